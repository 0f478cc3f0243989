"""A batch of games in C. The module `trajan_ai.adapters.vector` steps them without the GIL."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from cpython cimport array

from trajan_ai.core.game cimport (
    MAX_MOVES, MAX_PLAYERS, NO_LIMIT, NO_PLAYER, Game, GameOps, Position, has_move, move_t,
    raise_failure,
)
from trajan_ai.core.portable cimport LINE
from trajan_ai.core.room cimport items, room
from trajan_ai.core.uniform cimport play_at_random
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed, seeded

import array

from trajan_ai.core.errors import TrajanError

# Format characters of the struct module; NumPy's int32 is a C int or a 32-bit long.
cdef str BYTES = "B"
cdef str FLOATS = "f"
cdef str INTEGERS = "il"

cdef enum:
    MAX_FEATURES = 8192     # maximum number of features that are converted to floats at a time
    MAX_GAMES = 1 << 24     # maximum number of games in a batch
    NONE = -1                # no move

# How this module plays the seats other than the caller's: not at all, or by a rule in C.
cpdef enum:
    OPPONENT_NONE
    OPPONENT_RANDOM
    OPPONENT_POLICY

# The kinds of reward at the end of a game: see vector.py.
cpdef enum:
    REWARD_WIN
    REWARD_MARGIN


cdef class Batch:
    """`count` games of one kind, each with its own random number generators. `reset`, `show` and
    `step` process the games in the range [first, last).

    The caller owns the NumPy arrays: `bytes_` or `floats` (at most one of the two; count x
    features), `mask` (count x actions), `rewards` and `scores` (count x players), `player`, `seat`
    and `done` (count).
    """

    cdef const GameOps *ops
    cdef readonly Game game
    cdef readonly int count
    cdef int players, room, width, actions, pool, opponents, reward
    cdef bint seated
    cdef float margin_scale
    cdef uint8_t *openings
    cdef uint8_t *states
    cdef uint8_t *ended      # like `states`: the final state of the last finished game by slot
    cdef move_t *moves
    cdef int *legal
    cdef move_t *chosen
    cdef Rng *rngs
    cdef Rng *samplers
    cdef uint8_t *bytes_
    cdef float *floats
    cdef float *scales
    cdef uint8_t *mask
    cdef float *rewards
    cdef int32_t *scores
    cdef int32_t *player
    cdef int32_t *seat
    cdef uint8_t *done
    cdef array.array weights
    # the objects that own the memory behind the pointers above
    cdef list owners

    def __cinit__(self, list openings not None, int count, int players, *,
                  bytes_, floats, scales, mask not None, rewards not None, scores not None,
                  player not None, seat not None, done not None, int opponents, bint seated,
                  int reward, float margin_scale):
        cdef int i
        cdef list owners = []
        cdef Position opening
        if not openings:
            raise ValueError("a batch needs at least one opening")
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count}")
        if count > MAX_GAMES:
            raise ValueError(f"count must be at most {MAX_GAMES}, got {count}")
        self.game = (<Position?>openings[0]).game
        self.ops = self.game.ops
        for one in openings:
            opening = <Position?>one
            self._check_position(opening, players)
            if self.ops.deal != NULL and (opening.ply != 0 or opening.origin is None):
                raise ValueError("an opening must be the first decision of a deal")
        if not OPPONENT_NONE <= opponents <= OPPONENT_POLICY:
            raise ValueError(f"opponents must be {OPPONENT_NONE} to {OPPONENT_POLICY}, "
                             f"got {opponents}")
        if opponents == OPPONENT_POLICY and self.ops.policy == NULL:
            raise ValueError(f"{self.game.name}: this game has no policy")
        if (bytes_ is not None or floats is not None) and self.ops.features == NULL:
            raise ValueError(f"{self.game.name}: this game has no features")
        self.count, self.players, self.pool = count, players, len(openings)
        self.opponents, self.seated = opponents, seated
        self.reward, self.margin_scale = reward, margin_scale
        self.actions = self.ops.action_count
        # every state begins at the start of a cache line
        self.room = (self.ops.state_size + LINE - 1) // LINE * LINE
        self.owners = owners
        self.width = 0
        if bytes_ is not None:
            self.width = self.ops.feature_counts[players]
            self.bytes_ = <uint8_t *>items(owners, bytes_, BYTES, False,
                                           <Py_ssize_t>count * self.width)
        if floats is not None:
            self.width = self.ops.feature_counts[players]
            self.floats = <float *>items(owners, floats, FLOATS, False,
                                         <Py_ssize_t>count * self.width)
            self.scales = <float *>items(owners, scales, FLOATS, True, self.width)
        if self.width > MAX_FEATURES:
            raise ValueError(f"a game must have at most {MAX_FEATURES} features, got {self.width}")
        self.mask = <uint8_t *>items(owners, mask, BYTES, False, <Py_ssize_t>count * self.actions)
        self.rewards = <float *>items(owners, rewards, FLOATS, False, <Py_ssize_t>count * players)
        self.scores = <int32_t *>items(owners, scores, INTEGERS, False, <Py_ssize_t>count * players)
        self.player = <int32_t *>items(owners, player, INTEGERS, False, count)
        self.seat = <int32_t *>items(owners, seat, INTEGERS, False, count)
        self.done = <uint8_t *>items(owners, done, BYTES, False, count)
        self.weights = array.array("f", self.game.default_weights or ())
        if opponents == OPPONENT_POLICY and len(self.weights) < self.ops.weight_count:
            raise ValueError(f"{self.game.name}: this game has no default weights")
        self.states = <uint8_t *>room(owners, <size_t>self.room * count)
        self.ended = <uint8_t *>room(owners, <size_t>self.room * count)
        self.openings = <uint8_t *>room(owners, <size_t>self.room * self.pool)
        self.moves = <move_t *>room(
            owners, <size_t>self.ops.max_moves * count * sizeof(move_t))
        self.legal = <int *>room(owners, count * sizeof(int))
        self.chosen = <move_t *>room(owners, count * sizeof(move_t))
        self.rngs = <Rng *>room(owners, count * sizeof(Rng))
        self.samplers = <Rng *>room(owners, count * sizeof(Rng))
        for i in range(self.pool):
            memcpy(self.openings + <size_t>self.room * i, (<Position?>openings[i]).state,
                   self.ops.state_size)
        for i in range(count):
            self.chosen[i] = NONE
            rng_seed(&self.rngs[i], <uint64_t>i)
            rng_seed(&self.samplers[i], <uint64_t>i)
            memcpy(self.state(i), self.openings, self.ops.state_size)
            memcpy(self.ended + <size_t>self.room * i, self.openings, self.ops.state_size)

    # ---- Checks of arguments ------------------------------------------------------------------

    cdef int _check_position(self, Position position, int players) except -1:
        if position.game is not self.game:
            raise ValueError(f"the position must be of the game {self.game.name}, got "
                             f"{position.game.name}")
        if self.ops.players(position.state) != players:
            raise ValueError(f"the position must have {players} players, got "
                             f"{self.ops.players(position.state)}")
        if self.ops.player(position.state) == NO_PLAYER:
            raise ValueError("the game of the position is over")
        return 0

    cdef int _check_index(self, int i) except -1:
        if not 0 <= i < self.count:
            raise IndexError(f"the index must be 0 to {self.count - 1}, got {i}")
        return 0

    cdef int _check_range(self, int first, int last) except -1:
        if not 0 <= first <= last <= self.count:
            raise IndexError(f"the range must be in 0 to {self.count}, got {first} to {last}")
        return 0

    cdef inline uint8_t *state(self, int i) noexcept nogil:
        return self.states + <size_t>self.room * i

    cdef inline move_t *listed(self, int i) noexcept nogil:
        return self.moves + <size_t>self.ops.max_moves * i

    # ---- One game -----------------------------------------------------------------------------

    cdef void begin(self, int i) noexcept nogil:
        """Deal a new game in slot `i`, and move the caller to the next seat."""
        cdef Rng *rng = &self.rngs[i]
        cdef const uint8_t *opening = self.openings + <size_t>self.room * (
            rng_below(rng, <unsigned int>self.pool))
        if self.ops.deal != NULL:
            memcpy(self.state(i), opening, self.ops.state_size)
            self.ops.deal(self.state(i), rng)
        else:
            self.ops.determinize(opening, self.state(i), 0, rng)
        if self.seated:
            self.seat[i] = (self.seat[i] + 1) % self.players

    cdef void finish(self, int i) noexcept nogil:
        """Write the scores and rewards of a finished game."""
        cdef int32_t *scores = self.scores + self.players * i
        cdef float *rewards = self.rewards + self.players * i
        cdef int32_t ranks[MAX_PLAYERS]
        cdef int p, winners = 0
        self.ops.scores(self.state(i), scores)
        self.ops.ranks(self.state(i), ranks)
        for p in range(self.players):
            winners += ranks[p] == 1
        for p in range(self.players):
            if self.reward == REWARD_WIN:
                rewards[p] = <float>win_reward(ranks[p] == 1, winners, self.players)
            else:
                rewards[p] = margin_reward(scores, p, self.players, self.margin_scale)
        self.done[i] = 1
        memcpy(self.ended + <size_t>self.room * i, self.state(i), self.ops.state_size)

    cdef void settle(self, int i) noexcept nogil:
        """Advance to the caller's next decision: make the moves of opponents in C, and deal a new
        game after a finished one."""
        cdef uint8_t *state = self.state(i)
        cdef move_t *moves
        cdef int player, count, choice
        while True:
            player = self.ops.player(state)
            if player == NO_PLAYER:
                self.finish(i)
                self.begin(i)
            elif self.opponents != OPPONENT_NONE and player != self.seat[i]:
                moves = self.spare(i)
                count = self.ops.legal(state, moves)
                if self.opponents == OPPONENT_RANDOM:
                    choice = <int>rng_below(&self.rngs[i], <unsigned int>count)
                else:
                    choice = self.ops.policy(state, moves, count, self.weights.data.as_floats,
                                             &self.rngs[i])
                self.ops.apply(state, moves[choice])
            else:
                self.player[i] = player
                return

    cdef inline move_t *spare(self, int i) noexcept nogil:
        """Remove the caller's moves from the mask, and return a buffer for another player's
        moves."""
        self.unmask(i)
        return self.listed(i)

    cdef inline void unmask(self, int i) noexcept nogil:
        cdef uint8_t *mask = self.mask + <size_t>self.actions * i
        cdef const move_t *moves = self.listed(i)
        cdef int k
        for k in range(self.legal[i]):
            mask[moves[k]] = 0
        self.legal[i] = 0
        self.chosen[i] = NONE

    cdef void present(self, int i) noexcept nogil:
        """Write the mask and the observation of the player to move."""
        cdef uint8_t *mask = self.mask + <size_t>self.actions * i
        cdef move_t *moves = self.listed(i)
        cdef uint8_t features[MAX_FEATURES]
        cdef float *floats
        cdef int k
        self.unmask(i)
        self.legal[i] = self.ops.legal(self.state(i), moves)
        for k in range(self.legal[i]):
            mask[moves[k]] = 1
        if self.bytes_ != NULL:
            self.ops.features(self.state(i), self.ops.player(self.state(i)),
                              self.bytes_ + <size_t>self.width * i)
        elif self.floats != NULL:
            self.ops.features(self.state(i), self.ops.player(self.state(i)), features)
            floats = self.floats + <size_t>self.width * i
            for k in range(self.width):
                floats[k] = features[k] * self.scales[k]

    cdef inline void clear(self, int i) noexcept nogil:
        if self.done[i]:
            self.done[i] = 0
            memset(self.rewards + self.players * i, 0, self.players * sizeof(float))

    # ---- From Python --------------------------------------------------------------------------

    def seed(self, int i, uint64_t seed, uint64_t sampler):
        """Seed the generators of game `i`: one for deals and opponents, another for samples."""
        self._check_index(i)
        rng_seed(&self.rngs[i], seed)
        rng_seed(&self.samplers[i], sampler)

    def reset(self, int first, int last):
        """Deal games again."""
        cdef int i
        self._check_range(first, last)
        with nogil:
            for i in range(first, last):
                self.clear(i)
                self.unmask(i)
                self.seat[i] = i % self.players if self.seated else 0
                self.begin(i)
                memcpy(self.ended + <size_t>self.room * i, self.state(i), self.ops.state_size)
                self.settle(i)
        raise_failure()

    def show(self, int first, int last):
        """Write masks and observations."""
        cdef int i
        self._check_range(first, last)
        with nogil:
            for i in range(first, last):
                self.present(i)
        raise_failure()

    def choose(self, actions not None):
        """Choose the actions that `step` will carry out, one for every game.

        Returns the index of the first game whose action is not legal, or -1 if all are legal.
        """
        cdef list owners = []
        cdef const int32_t *action = <int32_t *>items(owners, actions, INTEGERS, True,
                                                      self.count)
        cdef move_t *chosen = self.chosen
        cdef int i
        for i in range(self.count):
            if not has_move(self.listed(i), self.legal[i], action[i]):
                return i
            chosen[i] = action[i]
        return -1

    def step(self, int first, int last, bint show):
        """Carry out the actions that were chosen with `choose` since the last `show`.

        If `show` is true, also write masks and observations, as the method `show` does. Raises
        ValueError, before any game changes, if a game has no chosen action.
        """
        cdef move_t move
        cdef int i
        self._check_range(first, last)
        for i in range(first, last):
            if self.chosen[i] < 0:
                raise ValueError(f"game {i} has no legal action; call choose first")
        with nogil:
            for i in range(first, last):
                move = self.chosen[i]
                self.clear(i)
                self.unmask(i)
                self.ops.apply(self.state(i), move)
                self.settle(i)
                if show:
                    self.present(i)
        raise_failure()

    def play(self, int i, move_t move):
        """Carry out a legal move of a player other than the caller."""
        cdef move_t moves[MAX_MOVES]
        self._check_index(i)
        if not has_move(moves, self.ops.legal(self.state(i), moves), move):
            raise ValueError(f"game {i}: move {move} is not legal")
        self.unmask(i)
        self.ops.apply(self.state(i), move)
        self.settle(i)
        raise_failure()

    def sample(self, actions not None):
        """Write a random legal action for every game, chosen uniformly from its legal actions."""
        cdef list owners = []
        cdef int32_t *action = <int32_t *>items(owners, actions, INTEGERS, False, self.count)
        cdef int i, hidden = -1
        with nogil:
            for i in range(self.count):
                if self.legal[i] == 0:
                    hidden = i
                    break
                action[i] = self.listed(i)[
                    rng_below(&self.samplers[i], <unsigned int>self.legal[i])]
        if hidden >= 0:
            raise ValueError(f"game {hidden} has not been shown; call show first")

    def position(self, int i):
        """Return a copy of the position of game `i`."""
        self._check_index(i)
        return self.game.wrap(self.state(i), None, 0)

    def final(self, int i):
        """Return the final position of the last game that ended in slot `i`, or the first position
        that was dealt there if no game has ended yet."""
        self._check_index(i)
        return self.game.wrap(self.ended + <size_t>self.room * i, None, 0)

    def put(self, int i, Position position not None):
        """Continue game `i` from `position`, a position of this game that is not over."""
        self._check_index(i)
        self._check_position(position, self.players)
        self.unmask(i)
        memcpy(self.state(i), position.state, self.ops.state_size)
        self.settle(i)

    def save(self):
        """Return the games, the last ended games and the generators as bytes."""
        cdef size_t states = <size_t>self.room * self.count, rngs = self.count * sizeof(Rng)
        return (PyBytes_FromStringAndSize(<const char *>self.states, states)
                + PyBytes_FromStringAndSize(<const char *>self.ended, states)
                + PyBytes_FromStringAndSize(<const char *>self.rngs, rngs)
                + PyBytes_FromStringAndSize(<const char *>self.samplers, rngs))

    def load(self, bytes saved not None):
        """Restore what `save` returned for the same number of games. Call `show` afterwards."""
        cdef size_t states = <size_t>self.room * self.count, rngs = self.count * sizeof(Rng)
        cdef const char *at = saved
        cdef int i
        if <size_t>len(saved) != 2 * (states + rngs):
            raise ValueError("the saved bytes do not belong to these games")
        for i in range(self.count):
            self.unmask(i)
        memcpy(self.states, at, states)
        memcpy(self.ended, at + states, states)
        memcpy(self.rngs, at + 2 * states, rngs)
        memcpy(self.samplers, at + 2 * states + rngs, rngs)


cdef inline double win_reward(bint won, int winners, int players) noexcept nogil:
    """Return a player's share of the win, scaled so that a sole winner gets 1 and the rewards of
    all players sum to 0."""
    cdef double share = 1.0 / winners if won else 0.0
    return (players * share - 1) / (players - 1)


cdef inline float margin_reward(const int32_t *scores, int player, int players,
                                float scale) noexcept nogil:
    """Return a player's lead m in VP, mapped to the range -1 to 1: m / sqrt(m**2 + scale**2)."""
    cdef float margin = 0
    cdef int p, best = -0x7FFFFFFF
    for p in range(players):
        if p != player and scores[p] > best:
            best = scores[p]
    margin = scores[player] - best
    return <float>(margin / sqrt(margin * margin + scale * scale))


def encode(Position position not None, int player):
    """Return two buffers: the features that a player observes, and the mask of legal actions.

    If another player is to move, the mask contains only zeros. Raises TrajanError if there is no
    such player or if the game has no features.
    """
    cdef const GameOps *ops = position.game.ops
    if ops.features == NULL:
        raise TrajanError(f"{position.game.name}: this game has no features for learners")
    position._check_player(player)
    cdef bytearray features = bytearray(ops.feature_counts[ops.players(position.state)])
    cdef bytearray mask = bytearray(ops.action_count)
    cdef uint8_t *ones = <uint8_t *><char *>mask
    cdef move_t moves[MAX_MOVES]
    cdef int i
    ops.features(position.state, player, <uint8_t *><char *>features)
    raise_failure()
    if ops.player(position.state) == player:
        for i in range(ops.legal(position.state, moves)):
            ones[moves[i]] = 1
    return features, mask


def advance(Position position not None, move_t move):
    """Return the position after a legal move, the player to move there, and the legal moves.

    The player is None when the game is over. Adapters of other libraries make this one call instead
    of three, because each call makes a step slower. Raises the errors of `after_move`.
    """
    cdef Position after
    cdef move_t moves[MAX_MOVES]
    cdef int player, count, i
    if not position._is_legal(move):
        position.after_move(move)  # raises the error
    after = position._apply(move)
    player = after.game.ops.player(after.state)
    if player == NO_PLAYER:
        return after, None, []
    count = after._list(moves)
    return after, player, [moves[i] for i in range(count)]


def shares(Position position not None):
    """Return each player's scaled share of the win in a finished game: see `win_reward`."""
    cdef list ranks = position.ranks
    cdef int rank, winners = ranks.count(1), players = len(ranks)
    return [win_reward(rank == 1, winners, players) for rank in ranks]


def rollout(Position position not None, seed):
    """Play uniformly random moves to the end of the game, and return the final position."""
    cdef Position end = position.game.wrap(position.state, None, 0)
    cdef Rng rng = seeded(seed)
    with nogil:
        play_at_random(position.game.ops, end.state, &rng, NO_LIMIT)
    raise_failure()
    return end
