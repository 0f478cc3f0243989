// The data that the server sends, and what the scripts share. Only `npm run types` reads this file.

/** A place of the drawing, such as "province alpes". */
type Place = string;
/** A move in notation, such as "sow III". */
type Action = string;
/** A player's seat, counted from 0. */
type Player = number;

type Content = string | number | Node | null | undefined | Content[];
/** Attributes of an element; those that begin with "on" are handlers. */
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => unknown)>;

// --- a game and its nodes: page/views.py

/** Parent, player, action, turn, scores by player, key in `log`. */
type TreeNode = [parent: number, player: Player, action: Action, turn: number, scores: number[], key: string];

/** What happened: to whom, the VP, a sentence, and whether it ends a part of the game. */
type Happening = [player: Player | null, vp: number, words: string, isClosing: boolean];

interface Drawing {
	svg?: string;
	/** of a game without drawings */
	text?: string;
}

/** What can be decided at a node, and the board. */
interface Decidable extends Drawing {
	game: string;
	player: Player | null;
	names: string[];
	scores: number[];
	turn: number;
	instruction: string | null;
	legal: [action: Action, place: Place | null][];
	/** actions in words, for the actions whose words differ from the notation */
	words: Record<Action, string>;
	/** the symbols of the pieces in an action */
	pieces: Record<string, string[]>;
	/** for each action that declines something, whether the player gives something up */
	declining: Record<Action, boolean>;
	/** the actions of each group, by the name that stands for them where they are many */
	groups: Record<string, Action[]>;
	/** what is asked where several actions have the same place */
	question: string;
}

interface TreeState extends Decidable {
	id: string;
	title: string;
	/** the bot of each player, null for a person */
	seats: (string | null)[];
	opened: boolean;
	/** whether cards are hidden from the only person */
	locked: boolean;
	observer: Player | null;
	options: Record<string, unknown>;
	has_record: boolean;
	/** where on the board the last move was made */
	origin: Place | null;
	/** by node since the last decision of a person: the places that show what a turn of another player has done so far */
	moves: Record<number, Place[]>;
	view: Player | "open";
	views: (Player | "open")[];
	nodes: TreeNode[];
	/** the nodes after decisions that revealed something to the person, who may take them back */
	revealing: number[];
	node: number;
	ranks: number[] | null;
	log: Record<string, string>;
	/** what happened before each node, without the events that the actions already name */
	events: Record<number, Happening[]>;
	/** the end of the current part of the game in words, null if the game has no parts */
	ending: string | null;
	/** VP of each player by source */
	sources: Record<string, number[]>;
	/** elements of a set that were named and not played yet */
	gathered: Action[];
	so_far: string;
	bot: string | null;
}

/** A panel of the board. */
interface Panel {
	group: SVGGElement;
	label: string;
	/** the name of the panel, the same in every language */
	name: string;
	/** the height in units of the drawing */
	height: number;
	/** whether a place in the panel can be chosen */
	chosen: boolean;
	/** whether the panel is shown only if there is room */
	extra: boolean;
	shown: boolean;
	/** the button that opens the panel while it is not shown */
	tab: HTMLElement | null;
}

/** A part of the rules on one screen: core/tips.py */
interface RulesSection {
	title: string;
	rows: { name: string; text: string; symbols: string[] }[];
}

interface Preview {
	lines: string[];
	places: Place[];
	/** the VP that the move brings the player */
	vp: number;
	/** the symbols of what the move costs */
	price: string[];
	/** the difference that the move makes, in one line, or an empty text */
	brief: string;
}

// --- a ranking

interface Turn {
	actions: Action[];
	/** the indices of the actions that reveal something */
	reveals: number[];
	words: string;
	complete: boolean;
	undecided: boolean;
}

interface RankedMove {
	action: Action;
	words: string;
	grade: "quick" | "verified" | "rollout";
	share: number;
	win: number | null;
	win_error: number | null;
	score: number | null;
	score_error: number | null;
	margin: number | null;
	margin_error: number | null;
	gain: number | null;
	turn: Turn;
	places: (Place | null)[];
}

interface ComparedSources {
	actions: Action[];
	sources: { name: string; first: number; others: number[] }[];
}

/** A line of the answer to a search. After an error it has only `problems` and `last`. */
interface RankingResult {
	problems?: string[];
	last: boolean;
	player?: Player;
	moves?: RankedMove[];
	/** the number of all moves */
	of?: number;
	grade?: "quick" | "verified" | "rollout";
	calibrated?: boolean;
	redeals?: number;
	iterations?: number;
	seconds?: number;
	why?: ComparedSources | null;
}

// --- an annotated game: analysis/annotation/judging.py and accounts.py

interface Estimate {
	mean: number;
	error: number;
}

/** Win rate and margin with their standard errors. */
interface Outcome {
	win: number;
	win_error: number;
	margin: number;
	margin_error: number;
}

interface Decision {
	ply: number;
	player: Player;
	turn: number;
	quarter: number;
	action: Action;
	words: string;
	best: Action;
	better: Action[];
	better_words: string;
	grade: "fine" | "inaccuracy" | "mistake" | "blunder";
	expected: Outcome;
	loss: Outcome;
	luck: Estimate[] | null;
	/** the number of this decision among the judged ones, which the page adds */
	at?: number;
	/** the nodes after and before this decision, which the page adds */
	node?: number;
	before?: number;
}

interface Account {
	player: Player;
	final: number;
	start: Estimate;
	luck: Estimate;
	own_errors: Estimate;
	others_errors: Estimate;
	rest: Estimate;
}

interface Strength {
	player: Player;
	vp: Estimate;
	lost: Estimate;
	lowest: number;
	highest: number;
	decisions: number;
	/** how many more decisions are needed to estimate a level */
	missing: number;
}

type Losses = Record<string, { decisions: number; margin: Estimate }>;

interface Annotation {
	names: string[];
	scores: number[];
	observer: Player | null;
	bot: string;
	limits: { iterations: number | null; seconds: number | null };
	decisions: Decision[];
	/** every score: ply, player, source, VP */
	brought: [ply: number, player: Player, source: string, vp: number][];
	accounts: Account[];
	strengths: Strength[];
	/** what a quarter is called in this game */
	part: string;
	by_quarter: Losses[];
	by_kind: Losses[];
	/** plies by player, the worst first */
	biggest_mistakes: number[][];
	/** the number of decisions, which the page adds while some are not judged yet */
	count?: number;
}

/** VP of every player by source before each decision, and at the end. */
interface Collected {
	names: string[];
	steps: Record<string, number>[][];
}

// --- exercises: page/practice.py

interface Exercise {
	id: string;
	game: string;
	players: number;
	/** whether the exercise is a mistake of the person */
	own: boolean;
	turn: number;
	lead: number;
	rating: number | null;
	title: string;
	solved: boolean;
	due: boolean;
}

interface ExerciseState extends Decidable {
	tried: Action | null;
	position: object;
	lead: number;
}

interface PlayedLevel {
	game: string;
	day: string;
	vp: number;
	error: number;
}

interface Verdict {
	right: boolean;
	words: string | null;
	gain: Estimate | null;
	/** sentences */
	reasons: string[];
	reply: { player: Player; words: string } | null;
	best: { action: Action; words: string; gain: Estimate | null }[];
}

// --- guided first games: page/guide.py

interface GuideStep extends Decidable {
	step: number;
	lesson: number;
	kind: "welcome" | "click" | "after" | "meanwhile" | "page" | "end";
	/** whether this step is the first of a lesson or page */
	opens: boolean;
	/** the language of the texts: English if the guide lacks the language of the page */
	language: string;
	texts: Record<string, string>;
	/** the pieces whose pictures are shown: the symbol and the name of each */
	symbols: [string, string][];
	/** what the person is to click */
	action: Action | null;
	/** what the moves of the person lead to */
	previews: Record<Action, Preview>;
	/** places to mark: what moves have changed, or what a page is about */
	changed: Place[];
	/** what happened since the step before, at the end of a part of the game */
	happened: Happening[];
	/** the ideas of all lessons and pages, and their first steps */
	ideas: string[];
	starts: number[];
	/** the options and the opponent of a whole game */
	options: Record<string, unknown>;
	level: string;
}

// --- questions, and the choices of a position file

/** A question about what lies open on a real table, or about what a move revealed. */
interface Question {
	key: string;
	text: string;
	/** questions with the same supply share its copies */
	supply: string;
	/** the possible answers, with the names that people use for them */
	names: Record<string, string>;
	pieces: Record<string, string[]>;
}

interface Section {
	at: string;
	label: string;
	line: number | null;
	kind: "number" | "member" | "choice";
	choices: string[];
	names: Record<string, string>;
	nothing: boolean;
	items: SectionItem[];
}

interface SectionItem {
	item: string | null;
	name: string | null;
	value: any;
	least?: number;
	most?: number;
}

/** A game that can be played, in the answer to /api/start. */
interface OfferedGame {
	name: string;
	players: number[];
	/** the labels of the bots by their names, for each number of players */
	levels: Record<number, Record<string, string>>;
	options: { name: string; allowed: string; choices: [string, string][] | null; default: string }[];
	note: string | null;
	/** what the game is about, and the number of lessons, if there is a guide */
	guide: { language: string; about: string; lessons: number } | null;
}

// --- the environment

declare var texts: Record<string, string> | undefined;

/** All elements of the page are HTML or SVG elements. */
interface Element extends HTMLOrSVGElement {}

interface Navigator {
	/** GiB, only in some browsers */
	deviceMemory?: number;
}

declare module "*/pyodide.mjs" {
	export function loadPyodide(options: { indexURL: string }): Promise<any>;
}
