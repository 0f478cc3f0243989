"""The payoff of each player for the final state of a playout, in [0, 1]."""

cdef struct PayoffMix:
    double win               # weights, which are not negative and sum to 1
    double rank
    double margin
    double score
    # the lead in VP whose payoff is halfway between a tie and a full payoff
    double margin_scale
    double score_scale       # VP worth a full payoff
    double control_variate   # share of a shortfall that is added back


cdef struct Means:           # means of the iterations so far, by player
    double shortfalls[MAX_PLAYERS]


cdef struct Outcome:
    double values[MAX_PLAYERS]    # VP, final or expected
    float shortfalls[MAX_PLAYERS]    # VP by which playout moves are rated below the best ones
    int32_t ranks[MAX_PLAYERS]    # 1 is best; ties share a rank
    double wins[MAX_PLAYERS]      # share of the win
    double margins[MAX_PLAYERS]   # VP minus the best opponent's
    double payoffs[MAX_PLAYERS]


cdef inline void ranks_of_values(Outcome *outcome, int players) noexcept nogil:
    cdef int p, q
    for p in range(players):
        outcome.ranks[p] = 1
        for q in range(players):
            outcome.ranks[p] += outcome.values[q] > outcome.values[p]


cdef inline double squashed(double x, double scale) noexcept nogil:
    """Map a lead to (0, 1): 1/2 at 0, 3/4 at `scale`."""
    return 0.5 + 0.5 * x / (scale + (x if x > 0 else -x))


cdef inline void settle(Outcome *outcome, int players, const PayoffMix *mix, Means *means,
                        double count) noexcept nogil:
    """Fill in wins, margins and payoffs from values, ranks and shortfalls.

    Before the call, the means cover `count` outcomes; after the call, also this one. The VP that a
    playout's own choices cost a player, less the mean cost, are added back in part to the VP from
    which payoffs are computed. This is a control variate (Veness, Lanctot and Bowling, "Variance
    Reduction in Monte-Carlo Tree Search", 2011).
    """
    cdef double counted[MAX_PLAYERS]
    cdef int p, q, rival, first = 0
    cdef double beaten, lead, score
    for p in range(players):
        first += outcome.ranks[p] == 1
        means.shortfalls[p] += (outcome.shortfalls[p] - means.shortfalls[p]) / (count + 1)
        counted[p] = mix.control_variate * (outcome.shortfalls[p] - means.shortfalls[p])
    for p in range(players):
        rival = 1 if p == 0 else 0
        beaten = 0.0
        for q in range(players):
            if q != p:
                if outcome.values[q] > outcome.values[rival]:
                    rival = q
                beaten += (1.0 if outcome.ranks[q] > outcome.ranks[p]
                           else 0.5 if outcome.ranks[q] == outcome.ranks[p] else 0.0)
        outcome.wins[p] = 1.0 / first if outcome.ranks[p] == 1 else 0.0
        outcome.margins[p] = outcome.values[p] - outcome.values[rival]
        lead = outcome.values[p] + counted[p] - (outcome.values[rival] + counted[rival])
        score = (outcome.values[p] + counted[p]) / mix.score_scale
        score = 0.0 if score < 0.0 else 1.0 if score > 1.0 else score
        outcome.payoffs[p] = (mix.win * outcome.wins[p]
                              + mix.rank * beaten / (players - 1)
                              + mix.margin * squashed(lead, mix.margin_scale)
                              + mix.score * score)
