"""The data of a search: constants, enumerations, settings, statistics."""

cdef enum:
    MAX_DEPTH = 512          # decisions below the root that the tree may reach
    CLOCK_STRIDE = 8         # iterations (some 0.2 ms) between two readings of the clock
    SOURCES_STRIDE = 8        # on request, one in this many iterations records its sources of VP
    SOURCE_CELLS = MAX_PLAYERS * MAX_SOURCES
    EPOCH_LIMIT = 0xF0000000
    LOOKS = 8                # determinizations that are checked for something that a move revealed
    # maximum number of determinizations drawn to find some in which the move is legal
    LOOKS_TRIED = 64
    # seed of the draws that show whether a player can distinguish positions
    LOOK_SEED = 8
    MIN_UNITS = 1024         # smallest size of a tree, 32 KiB
    TABLED_LOGS = 1024       # logarithms in a table of 8 KiB
    GROWTH_FROM = 500        # visits of a decision above which exploration may grow
    APART = 128              # size in bytes of two cache lines, which processors fetch together
    MAX_WAITS = 500         # waits (some 0.2 ms) after which a helper with a deadline returns
    PATIENCE = 32           # waits (some 1 us) for helpers before the tree's thread plays

cdef enum Selection:
    SELECTION_UCB1
    SELECTION_PUCT

cdef enum Playout:
    PLAYOUT_UNIFORM
    PLAYOUT_POLICY

cdef enum Phase:
    PHASE_DETERMINIZATION
    PHASE_SELECTION
    PHASE_EXPANSION
    PHASE_PLAYOUT
    PHASE_EVALUATION
    PHASE_NETWORK
    PHASE_BACKUP

cdef enum:
    PHASES = PHASE_BACKUP + 1


cdef struct Parameters:
    int selection
    int playout
    bint many_trees          # one tree per player
    bint own_moves           # each tree contains only the moves of one player
    bint cheat               # no determinization
    bint game_prior
    bint evaluates           # a cut playout is valued by ops.evaluate, else by the running score
    double exploration
    double exploration_growth
    int cut_turns            # 0: never
    int network_until        # playouts with at most this many turns left are not cut; 0: cut all
    int in_flight            # iterations under way at a time


cdef struct RootStat:
    int64_t count            # iterations of this search through the move
    double win
    double scores[MAX_PLAYERS]
    double margin
    double margin_squares
    double payoff
    double payoff_high       # the greatest payoff of an iteration
    int64_t source_visits    # iterations, among `count`, that recorded their sources


cdef struct Choice:
    move_t move
    int32_t child            # NO_NODE if the tree is full
    bint fresh               # the child has no visits yet


# an iteration in flight; sharing.pxi describes which thread may access it, and when
cdef struct Iteration:
    # becomes the iteration's number + 1 when its playout is over; the tree's thread waits for this
    int64_t played
    char _gap[APART]
    void *state              # the drawn state, from which the iteration is then played
    void *again              # memory for a second playout of an iteration that records sources
    move_t *moves
    uint8_t *features        # memory for the network's input, NULL without a network
    uint32_t *rows           # memory for the network's list of features
    Rng rng
    # generator for the playout: the search's if only one iteration is in flight, otherwise `rng`
    Rng *dice
    bint running             # the game was not over where the iteration left the tree
    # if true, VP are recorded by source, and the playout continues from its cut to the end of the
    # game
    bint with_sources
    int32_t sources[SOURCE_CELLS]
    int depth
    Outcome outcome
    int64_t phase_ns[PHASES]
    int64_t phase_start
    uint8_t movers[MAX_DEPTH]
    int32_t path[MAX_PLAYERS][MAX_DEPTH]
    double lent[MAX_PLAYERS][MAX_DEPTH]     # provisional payoffs until the playout is over
    char _end[APART]


# Fields that several threads access lie in separate cache lines, so that a thread does not have to
# wait for a line in which another thread writes a different field.
cdef struct Search:
    # Read by all threads.
    const GameOps *ops
    Parameters parameters
    PayoffMix mix
    uint64_t determinization_seed
    int players
    int observer             # the player whose knowledge the search uses
    bint with_sources        # one in SOURCES_STRIDE iterations records its sources of VP
    int allowed_count        # number of allowed moves at the root; 0: all
    move_t *allowed
    int root_player
    int trees
    int threads
    int key_count
    bint timed
    bint by_cpu_time         # deadlines of run() refer to the CPU time of the calling thread
    void *root_state
    Iteration *under_way     # iteration i is under_way[i & ring]
    int64_t ring
    const float *weights
    const NetworkPart *network      # corrects ops.evaluate; NULL if there is none
    char _gap_1[APART]

    # Only the tree's thread accesses the following fields, but other threads may read `iterations`.
    Tree tree
    int32_t roots[MAX_PLAYERS]
    Rng rng
    int64_t iterations       # backed up
    int64_t limit            # total number of iterations that may be selected
    float *priors
    uint32_t *marks          # by key: epoch if legal here, epoch + 1 if also a child
    uint32_t epoch
    Means means
    RootStat *root_stats     # by place among the root's children
    double *root_sources     # VP of iterations that recorded them, by place, player and source
    int noted                # the statistics of this place and all later ones are 0
    int64_t depths[MAX_DEPTH + 1]
    double logs[TABLED_LOGS] # natural logarithms of counts; the entry for 0 is unused
    int64_t phase_ns[PHASES]
    char _gap_2[APART]

    # Shared between threads.
    int64_t selected         # iterations begun
    char _gap_3[APART]
    int64_t claimed          # iterations whose playout some thread has taken
    char _gap_4[APART]
    int64_t open             # false: helpers return
    int64_t stopped
    char _gap_5[APART]
