/* The sums of a network, in integers alone: every machine and compiler gives the same values. */
#ifndef TRAJAN_MCTS_NETWORK_H
#define TRAJAN_MCTS_NETWORK_H

#include <stdint.h>
#include <string.h>

#include "trajan_ai/core/portable.h"

#define TRAJAN_UNITS 64     /* number of units in the first layer */
#define TRAJAN_NEURONS 32   /* number of neurons in the second layer */
#define TRAJAN_SEATS 4
#define TRAJAN_ONE 1023     /* represents 1.0 in the second layer */
#define TRAJAN_SHIFT 10     /* bits by which sums of the second layer are scaled up */
#define TRAJAN_BIAS 64      /* factor of out_bias in the sum of an output */
#define TRAJAN_VP 1048576.0f    /* represents 1 VP in the sum of an output */
#define TRAJAN_STEP 64      /* features examined together */
#define TRAJAN_BLOCK 256    /* rows whose sum fits into 16 bits */
#define TRAJAN_ABOVE 128    /* added to each weight of a row, so that none is negative */
#define TRAJAN_LANES (TRAJAN_UNITS / 4)    /* 64-bit lanes: each has weights of 4 units */

/* The network for one number of players. A feature has one row for each value from 0 to its
   highest; larger values count as the highest. */
typedef struct {
    int width;                  /* features read, a multiple of TRAJAN_STEP */
    const uint32_t *place;      /* by feature: its row of value 0 times 256, plus its highest value */
    const uint8_t *used;        /* by feature: 255 if used, else 0 */
    const uint64_t *rows;       /* [][TRAJAN_LANES], aligned to 64 bytes */
    int32_t bias[TRAJAN_UNITS];
    int16_t one[TRAJAN_UNITS];
    int16_t second[TRAJAN_NEURONS][TRAJAN_UNITS];
    int32_t second_bias[TRAJAN_NEURONS];
    int32_t out[TRAJAN_SEATS][TRAJAN_NEURONS];
    int32_t skip[TRAJAN_SEATS][TRAJAN_UNITS];
    int32_t out_bias[TRAJAN_SEATS];
} trajan_network;

/* Return one bit for each of 8 features, the lowest bit for the first feature: 1 if the feature is
   used and not 0. */
static inline uint64_t trajan_filled(const uint8_t *x, const uint8_t *used) {
#if TRAJAN_GNU && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t bytes, mask;
    memcpy(&bytes, x, 8);
    memcpy(&mask, used, 8);
    bytes &= mask;
    bytes = (((bytes & low) + low) | bytes) & ~low;
    return bytes / 128 * UINT64_C(0x0102040810204080) >> 56;
#else
    uint64_t filled = 0;
    int i;
    for (i = 0; i < 8; i++) filled |= (uint64_t)((x[i] & used[i]) != 0) << i;
    return filled;
#endif
}

/* List the rows of the features that are not 0. Return their number. */
static inline int trajan_list_rows(const trajan_network *net, const uint8_t *x, uint32_t *list) {
    int count = 0, i, k;
    for (i = 0; i < net->width; i += TRAJAN_STEP) {
        /* One mask for 64 features, because each end of a loop over bits is hard to predict. */
        uint64_t filled = 0;
        for (k = 0; k < TRAJAN_STEP; k += 8)
            filled |= trajan_filled(x + i + k, net->used + i + k) << k;
        for (; filled; filled &= filled - 1) {
            int feature = i + trajan_lowest_bit(filled);
            uint32_t place = net->place[feature], highest = place & 255, value = x[feature];
            uint32_t row = (place >> 8) + (value < highest ? value : highest);
            trajan_prefetch(net->rows + TRAJAN_LANES * row);
            trajan_prefetch(net->rows + TRAJAN_LANES * row + TRAJAN_LANES / 2);
            list[count++] = row;
        }
    }
    return count;
}

/* Add up to TRAJAN_BLOCK rows to the sums. */
static inline void trajan_add_rows(const trajan_network *net, const uint32_t *list, int count,
                                   int32_t *sums) {
    uint64_t lanes[TRAJAN_LANES] = {0};
    uint16_t block[TRAJAN_UNITS];
    int i, h;
    for (i = 0; i < count; i++) {
        const uint64_t *row = net->rows + TRAJAN_LANES * list[i];
        for (h = 0; h < TRAJAN_LANES; h++) lanes[h] += row[h];
    }
    memcpy(block, lanes, sizeof(block));
    for (h = 0; h < TRAJAN_UNITS; h++) sums[h] += block[h] - TRAJAN_ABOVE * count;
}

/* Write what the network adds to the VP of each seat, beginning with the player to move. x has
   net->width bytes: the features of that player, then arbitrary bytes. `list` has room for the same
   number of rows. */
static inline void trajan_network_values(const trajan_network *net, const uint8_t *x,
                                         uint32_t *list, int seats, float *values) {
    int32_t sums[TRAJAN_UNITS];
    int16_t units[TRAJAN_UNITS];
    int32_t neurons[TRAJAN_NEURONS];
    int count = trajan_list_rows(net, x, list);
    int i, h, k, seat;
    memcpy(sums, net->bias, sizeof(sums));
    for (i = 0; i < count; i += TRAJAN_BLOCK)
        trajan_add_rows(net, list + i, count - i < TRAJAN_BLOCK ? count - i : TRAJAN_BLOCK, sums);
    for (h = 0; h < TRAJAN_UNITS; h++) {
        int32_t one = net->one[h];
        units[h] = (int16_t)(sums[h] < 0 ? 0 : sums[h] > one ? one : sums[h]);
    }
    for (k = 0; k < TRAJAN_NEURONS; k++) {
        const int16_t *weights = net->second[k];
        int32_t sum = 0;    /* at most 64 times 1023 times 2^15 */
        int64_t neuron;
        for (h = 0; h < TRAJAN_UNITS; h++) sum += (int32_t)units[h] * weights[h];
        neuron = ((int64_t)sum + net->second_bias[k]) / (1 << TRAJAN_SHIFT);
        neurons[k] = (int32_t)(neuron < 0 ? 0 : neuron > TRAJAN_ONE ? TRAJAN_ONE : neuron);
    }
    for (seat = 0; seat < seats; seat++) {
        int64_t sum = (int64_t)net->out_bias[seat] * TRAJAN_BIAS;
        for (k = 0; k < TRAJAN_NEURONS; k++) sum += (int64_t)neurons[k] * net->out[seat][k];
        for (h = 0; h < TRAJAN_UNITS; h++) sum += (int64_t)units[h] * net->skip[seat][h];
        values[seat] = (float)sum / TRAJAN_VP;
    }
}

#endif
