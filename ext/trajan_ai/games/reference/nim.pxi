"""Nim with knowledge: a reference game without secrets."""

cdef enum:
    HEAPS = 4
    MAX_HEAP = 7              # maximum number of objects in a heap
    NIM_MOVES = HEAPS * MAX_HEAP
    NIM_WEIGHTS = 1       # one weight: how much the search trusts the knowledge, from 0 to 1


# Nim, normal play: the player who takes the last object wins. Bouton, "Nim, a game with a complete
# mathematical theory" (1901): the player to move loses exactly when the exclusive or of the heap
# sizes is 0.
cdef packed struct Nim:
    uint8_t heaps[HEAPS]
    uint8_t player
    uint8_t over
    uint8_t turn


cdef int nim_players(const void *state) noexcept nogil:
    return 2


cdef int nim_player(const void *state) noexcept nogil:
    cdef const Nim *nim = <const Nim *>state
    return NO_PLAYER if nim.over else <int>nim.player


cdef int nim_turn(const void *state) noexcept nogil:
    return (<const Nim *>state).turn


cdef int nim_legal(const void *state, move_t *moves) noexcept nogil:
    cdef const Nim *nim = <const Nim *>state
    cdef int count = 0
    cdef int heap, taken
    if nim.over:
        return 0
    for heap in range(HEAPS):
        for taken in range(1, nim.heaps[heap] + 1):
            moves[count] = heap * MAX_HEAP + taken - 1
            count += 1
    return count


cdef void nim_step(Nim *nim, move_t move) noexcept nogil:
    nim.heaps[move // MAX_HEAP] -= <uint8_t>(move % MAX_HEAP + 1)
    nim.turn += 1
    nim.player ^= 1


cdef void nim_apply(void *state, move_t move) noexcept nogil:
    cdef Nim *nim = <Nim *>state
    cdef int heap, left = 0
    nim_step(nim, move)
    for heap in range(HEAPS):
        left += nim.heaps[heap]
    if left == 1:  # taking the last object is forced
        for heap in range(HEAPS):
            nim.heaps[heap] = 0
        nim.turn += 1
        nim.player ^= 1
    nim.over = left <= 1


cdef void nim_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Nim *nim = <const Nim *>state
    scores[0] = scores[1] = 0
    if nim.over:
        scores[nim.player ^ 1] = 1


cdef void nim_ranks(const void *state, int32_t *ranks) noexcept nogil:
    cdef const Nim *nim = <const Nim *>state
    ranks[nim.player ^ 1] = 1
    ranks[nim.player] = 2


cdef void nim_determinize(const void *source, void *target, int observer,
                          Rng *rng) noexcept nogil:
    memcpy(target, source, sizeof(Nim))


cdef int nim_sum(const Nim *nim) noexcept nogil:
    return nim.heaps[0] ^ nim.heaps[1] ^ nim.heaps[2] ^ nim.heaps[3]


cdef bint nim_wins(const Nim *nim, move_t move) noexcept nogil:
    """Return whether the move leaves a position whose exclusive or is 0."""
    cdef int heap = move // MAX_HEAP
    cdef int left = nim.heaps[heap] - (move % MAX_HEAP + 1)
    return nim_sum(nim) ^ nim.heaps[heap] ^ left == 0


cdef int nim_policy(const void *state, const move_t *moves, int count, const float *weights,
                    Rng *rng) noexcept nogil:
    cdef int i
    for i in range(count):
        if weights[0] > 0.5 and nim_wins(<const Nim *>state, moves[i]):
            return i
    return <int>rng_below(rng, <unsigned int>count)


cdef void nim_prior(const void *state, const move_t *moves, int count, const float *weights,
                    float *out) noexcept nogil:
    cdef float total = 0.0
    cdef int i
    for i in range(count):
        out[i] = 1.0
        if nim_wins(<const Nim *>state, moves[i]):
            out[i] += 20.0 * weights[0]
        total += out[i]
    for i in range(count):
        out[i] /= total


cdef void nim_evaluate(const void *state, const float *weights, float *values) noexcept nogil:
    cdef const Nim *nim = <const Nim *>state
    cdef float mover = 0.5 + 0.5 * weights[0] * (1.0 if nim_sum(nim) else -1.0)
    values[nim.player] = mover
    values[nim.player ^ 1] = <float>1.0 - mover


cdef int nim_turns_left(const void *state, int player) noexcept nogil:
    cdef const Nim *nim = <const Nim *>state
    cdef int heap, left = 0
    for heap in range(HEAPS):
        left += nim.heaps[heap]
    return 0 if nim.over else 1 + left // 4


cdef GameOps NIM
memset(&NIM, 0, sizeof(GameOps))
NIM.state_size = sizeof(Nim)
NIM.max_moves = NIM_MOVES
NIM.action_count = NIM_MOVES
NIM.weight_count = NIM_WEIGHTS
NIM.players = nim_players
NIM.player = nim_player
NIM.turn = nim_turn
NIM.legal = nim_legal
NIM.apply = nim_apply
NIM.scores = nim_scores
NIM.ranks = nim_ranks
NIM.determinize = nim_determinize
NIM.policy = nim_policy
NIM.prior = nim_prior
NIM.evaluate = nim_evaluate
NIM.turns_left = nim_turns_left

NIM_OPS = capsule(&NIM)
NIM_ACTIONS = tuple(f"heap {heap} take {taken}"
                    for heap in range(1, HEAPS + 1) for taken in range(1, MAX_HEAP + 1))


cdef int check_size(bytes state, size_t size) except -1:
    if <size_t>len(state) < size:
        raise ValueError(f"the state must have at least {size} bytes, got {len(state)}")
    return 0


def encode_nim(list heaps not None):
    """Return the state of up to four heaps of at most seven, at least two objects in all."""
    cdef Nim nim
    cdef int heap
    memset(&nim, 0, sizeof(Nim))
    if len(heaps) > HEAPS:
        raise ValueError(f"there are at most {HEAPS} heaps, got {len(heaps)}")
    for heap in range(len(heaps)):
        if not 0 <= heaps[heap] <= MAX_HEAP:
            raise ValueError(f"a heap has 0 to {MAX_HEAP} objects, got {heaps[heap]}")
        nim.heaps[heap] = <uint8_t>heaps[heap]
    return PyBytes_FromStringAndSize(<const char *>&nim, sizeof(Nim))


def decode_nim(bytes state not None):
    """Return the heaps and the player to decide."""
    cdef Nim nim
    check_size(state, sizeof(Nim))
    memcpy(&nim, <const char *>state, sizeof(Nim))
    return [nim.heaps[heap] for heap in range(HEAPS)], nim.player
