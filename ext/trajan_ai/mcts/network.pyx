"""Networks in memory. `trajan_ai.mcts.network_file` reads and checks their files."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from trajan_ai.core.game cimport MAX_PLAYERS, Game, Position
from trajan_ai.core.portable cimport LINE
from trajan_ai.core.room cimport items, room

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasNetwork

UNITS = _UNITS
NEURONS = _NEURONS

cdef class Network:
    """The networks of a game, at most one for each number of players.

    The arguments are the game, the card of the network file, a hash of the numbers in the file, and
    for each number of players a dict of the arrays that `network_file` describes.
    """

    def __cinit__(self, Game game not None, dict card not None, str digest not None,
                  dict parts not None):
        self.game = game
        self.card = card
        self.digest = digest
        self._owners = []
        self._rules = offered(game.rules, HasNetwork)
        for players, arrays in parts.items():
            self._add(players, arrays)

    cdef _add(self, int players, dict arrays):
        cdef NetworkPart *part = &self._parts[players]
        cdef int features = self.game.ops.feature_counts[players]
        cdef int columns = len(arrays["columns"])
        cdef const uint16_t *column = <uint16_t *>items(self._owners, arrays["columns"], "H")
        cdef const uint8_t *counts = <uint8_t *>items(self._owners, arrays["counts"], "B")
        cdef const uint8_t *levels = <uint8_t *>items(self._owners, arrays["levels"], "B")
        cdef int i, highest, rows = 0
        cdef uint32_t *place
        cdef uint8_t *used
        if column[columns - 1] >= features:
            raise ValueError(f"{self.game.name} has {features} features, none of number "
                             f"{column[columns - 1]}")
        part.width = (features + STEP - 1) // STEP * STEP
        part.place = place = <uint32_t *>room(self._owners, part.width * sizeof(uint32_t))
        part.used = used = <uint8_t *>room(self._owners, part.width)
        for i in range(columns):
            highest = levels[counts[i] - 1]
            levels += counts[i]
            place[column[i]] = <uint32_t>rows << 8 | <uint32_t>highest
            used[column[i]] = 255
            rows += highest + 1
        part.rows = self._spread(arrays, rows)
        copy(part.bias, arrays["bias"], "i")
        copy(part.one, arrays["one"], "h")
        copy(part.second, arrays["second"], "h")
        copy(part.second_bias, arrays["second_bias"], "i")
        copy(part.out, arrays["out"], "i")
        copy(part.skip, arrays["skip"], "i")
        copy(part.out_bias, arrays["out_bias"], "i")

    cdef const uint64_t *_spread(self, dict arrays, int count) except NULL:
        """Copy the row of each level to all its feature values; return a row for each value."""
        cdef const uint8_t *counts = <uint8_t *>items(self._owners, arrays["counts"], "B")
        cdef const uint8_t *levels = <uint8_t *>items(self._owners, arrays["levels"], "B")
        cdef const signed char *rows = <signed char *>items(self._owners, arrays["rows"], "b")
        cdef size_t size = count * UNITS * sizeof(uint16_t)
        cdef char *memory = <char *>room(self._owners, size + LINE)
        # every row begins at the start of a cache line
        cdef uint16_t *first = <uint16_t *>(memory + (LINE - <size_t>memory % LINE) % LINE)
        cdef uint16_t *row = first
        cdef int i, h, value, level
        for i in range(len(arrays["counts"])):
            level = -1
            for value in range(levels[counts[i] - 1] + 1):
                level += levels[level + 1] == value
                for h in range(_UNITS):
                    row[h] = <uint16_t>(ABOVE + (rows[level * _UNITS + h] if level >= 0 else 0))
                row += _UNITS
            levels += counts[i]
            rows += counts[i] * _UNITS
        return <const uint64_t *>first

    cdef NetworkPart *part(self, Position position) except? NULL:
        """Return the network for the players and options of a position, or NULL if there is
        none."""
        cdef int players = position.players
        if not self._parts[players].width:
            return NULL
        if self._rules is not None and not self._rules.network_applies(position):
            return NULL
        return &self._parts[players]

    @property
    def player_counts(self):
        """The numbers of players for which there is a network."""
        return tuple(p for p in range(MAX_PLAYERS + 1) if self._parts[p].width)

    def corrections(self, Position position not None):
        """Return what the network adds to the evaluation of each player."""
        cdef const NetworkPart *part = NULL
        cdef list owners = []
        cdef uint8_t *features
        cdef uint32_t *rows
        cdef float values[MAX_PLAYERS]
        if position.game is self.game and position.player is not None:
            part = self.part(position)
        if part == NULL:
            raise TrajanError(f"{self.game.name}: the network has no values for this position")
        features = <uint8_t *>room(owners, part.width)
        rows = <uint32_t *>room(owners, part.width * sizeof(uint32_t))
        self.game.ops.features(position.state, position.player, features)
        network_values(part, features, rows, position.players, values)
        shift = position.players - position.player
        return [values[(player + shift) % position.players] for player in range(position.players)]


cdef copy(void *target, array, str format):
    """Copy an array into a structure."""
    memcpy(target, items([], array, format), len(array) * array.itemsize)
