# What a search of one thread holds: constants, settings, statistics.

cdef enum:
    MAX_DEPTH = 512          # decisions below the root that the tree may reach
    CLOCK_STRIDE = 8         # iterations between looks at the clock, some 0.2 ms
    LED_BLOCK = 100          # iterations in one vote on which move leads
    EPOCH_LIMIT = 0xF0000000
    MOST_TRACED = 4096       # moves of one iteration that all-moves-as-first statistics see
    LOOKS = 8                # determinizations that show whether a move revealed something
    LOOKS_TRIED = 64         # and how many are drawn to find those in which it is legal
    SPARE_NODES = 1 << 18    # 8 MiB: a larger tree left behind is given back to the system
    TABLED_LOGS = 1024       # 8 KiB
    PHASES = 5               # determinize, select, expand, playout, backup

cdef enum Selection:
    UCB1
    UCB1_TUNED
    PUCT
    EVEN
    GRAVE

cdef enum Playout:
    UNIFORM
    POLICY
    MAST


cdef struct Parameters:
    int selection
    int playout
    bint many_trees          # MO-ISMCTS
    bint cheat               # no determinization
    bint game_prior
    bint evaluates           # a cut playout ends in ops.evaluate, else in the running score
    double exploration
    bint urgent              # first_play_urgency is set
    double urgency
    double widening          # 0 switches widening off
    double widening_exponent
    double epsilon
    double grave_bias
    int grave_reference
    bint traces              # the moves of an iteration are noted
    int cut_transitions
    int cut_turns            # 0: never
    int depth_limit


cdef struct RootStat:
    int64_t count            # iterations of this search through the move
    double win
    double win_squares
    double score
    double margin
    double payoff
    double payoff_squares
    int64_t ranks[MAX_PLAYERS]
    int64_t led
    int64_t count_before     # at the start of the running vote


cdef struct AmafStat:        # all moves as first: of a move wherever it was made
    float total
    int32_t visits


cdef struct AmafTables:      # GRAVE: one table, by key, for every node with enough visits
    AmafStat *stats
    int32_t used             # table 0 means none
    int32_t capacity
    int32_t limit


cdef struct Choice:
    move_t move
    int32_t child            # NO_NODE if the tree is full
    bint fresh               # the child has no visits yet


cdef struct Search:
    const GameOps *ops
    Parameters parameters
    PayoffMix mix
    Tree tree
    Tree spare               # where a kept subtree is copied
    Rng rng
    uint64_t determinization_seed
    int64_t iterations
    int players
    int observer             # whose knowledge the search has
    int root_player
    int trees
    int32_t roots[MAX_PLAYERS]
    void *root_state
    void *state
    move_t *moves
    float *priors
    const float *weights
    uint32_t *marks          # by key: epoch if legal here, epoch + 1 if also a child
    uint32_t epoch
    int depth
    int32_t path[MAX_PLAYERS][MAX_DEPTH]
    uint8_t movers[MAX_DEPTH]
    Outcome outcome
    int key_count
    AmafStat *mast           # by key
    AmafTables tables
    int32_t *trace           # keys of the moves made in this iteration
    int traced
    int32_t *lasts           # places in the trace whose key does not come again
    RootStat *root_stats     # by place among the root's children
    int noted                # root_stats[noted:] are all 0
    int64_t depths[MAX_DEPTH + 1]
    bint timed
    int64_t phase_ns[PHASES]
    int64_t phase_start
    bint stopped
