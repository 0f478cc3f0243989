"""Networks as C structures. `trajan_ai.mcts.network_file` reads and checks their files."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from trajan_ai.core.game cimport MAX_PLAYERS, NO_PLAYER, Game, Position
from trajan_ai.core.room cimport items, room

from trajan_ai.core.errors import TrajanError

SHAPE = (UNITS, NEURONS)

cdef enum:
    ALIGNMENT = 64           # bytes, a line of memory


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
        cdef int columns = len(arrays["columns"])
        cdef int i, h, value, highest, level, at = 0, begin = 0
        cdef const uint16_t *column = <uint16_t *>items(self._owners, arrays["columns"], "H")
        cdef const uint8_t *counts = <uint8_t *>items(self._owners, arrays["counts"], "B")
        cdef const uint8_t *levels = <uint8_t *>items(self._owners, arrays["levels"], "B")
        cdef const signed char *rows = <signed char *>items(self._owners, arrays["rows"], "b")
        cdef uint32_t *place
        cdef uint8_t *used
        cdef uint16_t *wide
        part.width = (features + STEP - 1) // STEP * STEP
        part.place = place = <uint32_t *>room(self._owners, part.width * sizeof(uint32_t))
        part.used = used = <uint8_t *>room(self._owners, part.width)
        for i in range(columns):
            highest = levels[begin + counts[i] - 1]
            place[column[i]] = <uint32_t>at << 8 | <uint32_t>highest
            used[column[i]] = 255
            at += highest + 1
            begin += counts[i]
        wide = <uint16_t *>room(self._owners, at * UNITS * sizeof(uint16_t) + ALIGNMENT)
        wide += ((ALIGNMENT - <size_t>wide % ALIGNMENT) % ALIGNMENT) // sizeof(uint16_t)
        part.rows = <uint64_t *>wide
        begin = 0
        for i in range(columns):
            level = -1
            for value in range(levels[begin + counts[i] - 1] + 1):
                if levels[begin + level + 1] == value:
                    level += 1
                for h in range(UNITS):
                    wide[h] = <uint16_t>(
                        ABOVE + (rows[(begin + level) * UNITS + h] if level >= 0 else 0))
                wide += UNITS
            begin += counts[i]
        copy(part.bias, arrays["bias"], "i")
        copy(part.one, arrays["one"], "h")
        copy(part.second, arrays["second"], "h")
        copy(part.second_bias, arrays["second_bias"], "i")
        copy(part.out, arrays["out"], "i")
        copy(part.skip, arrays["skip"], "i")
        copy(part.out_bias, arrays["out_bias"], "i")

    cdef NetworkPart *part(self, int players) noexcept:
        """Return the network for a number of players, NULL without one."""
        return &self._parts[players] if self._parts[players].width else NULL

    @property
    def player_counts(self):
        """The numbers of players that have a network."""
        return tuple(p for p in range(MAX_PLAYERS + 1) if self._parts[p].width)

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
                       <uint32_t *>room(owners, part.width * sizeof(uint32_t)),
                       position.players, values)
        return [values[(i - player + position.players) % position.players]
                for i in range(position.players)]


cdef copy(void *target, array, str format):
    """Copy an array into a structure."""
    memcpy(target, items([], array, format), len(array) * array.itemsize)
