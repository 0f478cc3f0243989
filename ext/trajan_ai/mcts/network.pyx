"""Networks as C structures. `trajan_ai.mcts.network_file` reads and checks their files."""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t
from libc.string cimport memcpy

from trajan_ai.core.game cimport MAX_PLAYERS, NO_PLAYER, Game, Position
from trajan_ai.core.room cimport items, room

from trajan_ai.core.errors import TrajanError

SHAPE = (UNITS, NEURONS)

cdef enum:
    ALIGNMENT = 16           # bytes, of a vector


cdef class Network:
    """The networks of a game, one for each number of players that has one.

    Arguments: the game, the card, and by number of players the arrays of the file by name.
    """

    def __cinit__(self, Game game not None, dict card not None, dict parts not None):
        self.game = game
        self.card = card
        self._owners = []
        for players, arrays in parts.items():
            self._add(players, arrays)

    cdef _add(self, int players, dict arrays):
        cdef NetworkPart *part = &self._parts[players]
        cdef int features = self.game.ops.feature_count(players)
        cdef int i, k, value, at = 0, reached = 0, begin = 0
        cdef const uint16_t *columns = <uint16_t *>items(self._owners, arrays["columns"], "H")
        cdef const uint8_t *counts = <uint8_t *>items(self._owners, arrays["counts"], "B")
        cdef const uint8_t *levels = <uint8_t *>items(self._owners, arrays["levels"], "B")
        cdef const signed char *rows = <signed char *>items(self._owners, arrays["rows"], "b")
        cdef int32_t *first
        cdef uint8_t *most
        cdef uint8_t *used
        cdef uint16_t *row
        cdef int16_t *wide
        part.columns = len(arrays["columns"])
        part.width = (features + 7) // 8 * 8
        part.column = columns
        part.first = first = <int32_t *>room(self._owners, part.width * sizeof(int32_t))
        part.most = most = <uint8_t *>room(self._owners, part.width)
        part.used = used = <uint8_t *>room(self._owners, part.width)
        part.row = row = <uint16_t *>room(self._owners, part.columns * 256 * sizeof(uint16_t))
        for i in range(part.columns):
            first[columns[i]] = at
            most[columns[i]] = levels[begin + counts[i] - 1]
            used[columns[i]] = 255
            reached = begin
            for value in range(most[columns[i]] + 1):
                if reached < begin + counts[i] and levels[reached] == value:
                    reached += 1
                row[at] = 0 if reached == begin else reached
                at += 1
            begin += counts[i]
        wide = <int16_t *>room(self._owners, (begin + 1) * UNITS * sizeof(int16_t) + ALIGNMENT)
        wide += ((ALIGNMENT - <size_t>wide % ALIGNMENT) % ALIGNMENT) // sizeof(int16_t)
        for i in range(begin * UNITS):
            wide[UNITS + i] = rows[i]
        part.rows = wide
        copy(part.bias, arrays["bias"], "i")
        copy(part.one, arrays["one"], "h")
        copy(part.second, arrays["second"], "h")
        copy(part.second_bias, arrays["second_bias"], "i")
        copy(part.out, arrays["out"], "i")
        copy(part.skip, arrays["skip"], "i")
        copy(part.out_bias, arrays["out_bias"], "i")

    cdef NetworkPart *part(self, int players) noexcept:
        """Return the network for a number of players, NULL without one."""
        return &self._parts[players] if self._parts[players].columns else NULL

    @property
    def player_counts(self):
        """The numbers of players that have a network."""
        return tuple(p for p in range(MAX_PLAYERS + 1) if self._parts[p].columns)

    def residuals(self, Position position not None):
        """Return what the network adds to the evaluation of each player."""
        cdef const NetworkPart *part = self.part(position.players)
        cdef float values[MAX_PLAYERS]
        cdef int i, player
        if position.game is not self.game or part == NULL or position.player is None:
            raise TrajanError(f"{self.game.name}: the network has no value of this position")
        cdef uint8_t *features
        cdef list owners = []
        features = <uint8_t *>room(owners, part.width)
        player = position.player
        self.game.ops.features(position.state, player, features)
        network_values(part, features,
                       <uint16_t *>room(owners, part.columns * sizeof(uint16_t) + 2),
                       position.players, values)
        return [values[(i - player + position.players) % position.players]
                for i in range(position.players)]


cdef copy(void *target, array, str format):
    """Copy an array into a structure."""
    memcpy(target, items([], array, format), len(array) * array.itemsize)
