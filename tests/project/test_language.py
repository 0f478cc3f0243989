"""Words in documentation, help, comments and names that have a better replacement.

The tests find only some faults: a text can pass them and still read badly.
"""

import ast
import re

import pytest
from calls import ROOT

from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.main import parser

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
LAB = sorted((ROOT / "docs" / "lab").glob("*.md"))

# Nouns for data, which cannot be the subject of verbs such as "say" or "know".
DATA = (
    "analys[ei]s|answer|argument|byte|column|data|docstring|entry|field|file|flag|function|header"
    "|key|label|line|list|message|module|network|number|option|output|plan|record|report|result"
    "|row|search|section|setting|setup|state|test|value|view"
)

# Words and phrases that readers would have to translate, with replacements.
REPLACEMENTS = {
    r"tells?|told": "shows, reports, describes",
    r"anew": "again, from scratch",
    r"of (?:its|one's|their|his|your|our) own": "separate, dedicated, your own",
    r"once more": "again",
    r"so many": "that number",
    r"complain\w*": "error",
    r"mend(?:s|ed)?": "fix",
    r"left out": "omitted, optional",
    r"stranger'?s?": "third-party",
    r"behind every door": "in every interface",
    r"yardstick": "baseline",
    r"laborator(?:y|ies)": "experiments",
    r"plain search": "vanilla ISMCTS",
    r"planted faults?|wrong games?": "mutant, broken game",
    r"to be had|to come": "remaining, future",
    r"whoever|whatever|whichever": "anyone who, everything that, the one that",
    r"held? still|hears? of": "observes",
    rf"(?:{DATA})(?:s|es)? (?:says?|knows?|wants?)": "contains, states, uses, requires",
    r"(?:goes|went|going) on": "continues",
    r"handed": "passed, received",
    r"fares?": "performs, scores",
    r"for so long": "for that time",
    r"thus|hence|thereby|upon|amid|dear(?:er|est)": "so, by this, on, among, more expensive",
}
PHRASES = re.compile(r"\b(?:" + "|".join(REPLACEMENTS) + r")\b", re.IGNORECASE)

PARTICIPLES = {
    *("told", "found", "given", "wanted", "asked", "had", "made", "kept", "begun", "known"),
    *("meant", "heard", "said", "shown", "seen", "taken"),
}
EXCEPTIONS = {
    ("trajan_ai/page/requests.py", "shown"),  # a key of the page's requests
    ("trajan_ai/analysis/annotation/judging.py", "made"),  # a key of annotated games
    ("trajan_ai/core/game.pyi", "heard"),  # a stable name (docs/api.md)
}
BOOLEANS = ("is_", "has_", "should_", "was_", "can_")

# Comments, and the docstrings that start a line. Other strings are matched only so that they are
# skipped.
PYTHON_COMMENTS = re.compile(
    r'''(?P<text>^[ ]*r?"""(?s:.*?)"""|\#[^\n]*)
    | """(?s:.*?)""" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' ''',
    re.MULTILINE | re.VERBOSE,
)
JAVASCRIPT_COMMENTS = re.compile(r"(?P<text>(?<!\S)//[^\n]*|/\*(?s:.*?)\*/)")
COMMENTS = {
    **dict.fromkeys((".py", ".pyi", ".pyx", ".pxd", ".pxi"), PYTHON_COMMENTS),
    **dict.fromkeys((".js", ".mjs"), JAVASCRIPT_COMMENTS),
}


def prose_of(text):
    """Return Markdown without code, tables, headings, quotations and link targets.

    Removed lines are left as empty lines, so that line numbers remain those of the page.
    """

    def blank(match):
        return "\n" * match[0].count("\n")

    text = re.sub(r"```.*?```", blank, text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)
    lines = [
        "" if line.lstrip().startswith(("|", "#", "!", ">")) else line for line in text.split("\n")
    ]
    text = re.sub(r"`[^`\n]*`", "code", "\n".join(lines))
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "")


def comments_of(source, suffix):
    """Return the comments and docstrings of a source file, each at its original line numbers."""
    parts, end = [], 0
    for match in COMMENTS[suffix].finditer(source):
        if match["text"]:
            parts += ["\n" * source.count("\n", end, match.start()), match["text"]]
            end = match.end()
    return re.sub(r"`[^`\n]*`", "code", "".join(parts))


def replaceable(text, place):
    """Yield every word that has a better replacement, with the place of the word."""
    for number, line in enumerate(text.split("\n"), 1):
        for match in PHRASES.finditer(line):
            better = next(v for k, v in REPLACEMENTS.items() if re.fullmatch(k, match[0], re.I))
            yield f"{place}:{number}: {match[0]!r}; write: {better}"


@pytest.mark.parametrize("page", [*PAGES, *LAB], ids=lambda page: page.name)
def test_pages_use_the_common_word(page):
    prose = prose_of(page.read_text(encoding="utf-8"))
    assert not [*replaceable(prose, page.relative_to(ROOT))]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_uses_the_common_word(command):
    (commands,) = (action.choices for action in parser()._actions if action.choices)
    text = commands[command].format_help()
    assert not [*replaceable(text, f"trajan-ai {command} --help")]


def test_comments_and_docstrings_use_the_common_word():
    places = []
    for folder in ("trajan_ai", "ext", "tests", "docs"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in COMMENTS:
                text = comments_of(path.read_text(encoding="utf-8"), path.suffix)
                places += replaceable(text, path.relative_to(ROOT))
    assert not places, "\n".join(places)


def python_files():
    for folder in ("trajan_ai", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".pyi"):
                yield path.relative_to(ROOT)


def definitions(path):
    """Yield the name of every function, class, parameter and variable in a file, with its line."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno, True
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno, False
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno, False


def is_participle(name, is_definition):
    """Return whether a name, or a word in the name of a function or class, is a participle."""
    if name.startswith((*BOOLEANS, "test_")):
        return False
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").split("_")
    return bool(PARTICIPLES & set(words if is_definition or len(words) == 1 else ()))


def test_names_are_verbs_and_nouns():
    participles = [
        f"{path}:{line}: {name}"
        for path in python_files()
        for name, line, is_definition in definitions(path)
        if is_participle(name, is_definition) and (str(path), name) not in EXCEPTIONS
    ]
    assert not participles, "\n".join(participles)


def test_a_participle_is_recognised():
    assert is_participle("told", is_definition=False)
    assert is_participle("moves_found", is_definition=True)
    assert is_participle("GivenPlan", is_definition=True)


def test_a_replaceable_word_is_reported_with_its_line():
    page = "Fine.\n\n```sh\nanew\n```\nThe table tells\nit anew.\n"
    assert [*replaceable(prose_of(page), "page")] == [
        "page:6: 'tells'; write: shows, reports, describes",
        "page:7: 'anew'; write: again, from scratch",
    ]


def test_only_comments_and_docstrings_of_sources_are_checked():
    python = '"""Play anew."""\ntold = "told # told"  # told\nTEXT = """\ntells\n"""\n'
    assert [*replaceable(comments_of(python, ".pyx"), "source")] == [
        "source:1: 'anew'; write: again, from scratch",
        "source:2: 'told'; write: shows, reports, describes",
    ]
    script = 'get("http://told");  // told\n/* The table\n   tells it. */\n'
    assert [*replaceable(comments_of(script, ".js"), "source")] == [
        "source:1: 'told'; write: shows, reports, describes",
        "source:3: 'tells'; write: shows, reports, describes",
    ]
