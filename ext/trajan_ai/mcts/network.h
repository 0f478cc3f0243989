/* The sums of a network. Integers alone, so every machine and compiler gives the same values. */
#ifndef TRAJAN_MCTS_NETWORK_H
#define TRAJAN_MCTS_NETWORK_H

#include <stdint.h>
#include <string.h>

#include "trajan_ai/core/portable.h"

#define TRAJAN_UNITS 64     /* of the first layer */
#define TRAJAN_NEURONS 32   /* of the second layer */
#define TRAJAN_SEATS 4
#define TRAJAN_ONE 1023     /* what 1 is in the second layer */
#define TRAJAN_SHIFT 10     /* bits by which sums of the second layer are too large */
#define TRAJAN_BIAS 64      /* what 1 of out_bias is in the sum of an output */
#define TRAJAN_VP 1048576.0f    /* what 1 VP is there */
#define TRAJAN_BLOCK 256    /* rows of int8 whose sum fits an int16 */

#if TRAJAN_GNU && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TRAJAN_VECTORS 1
#else
#define TRAJAN_VECTORS 0
#endif

/* The network for one number of players. `rows` begins with a row of zeros. */
typedef struct {
    int columns;                /* features used */
    int width;                  /* features read, a multiple of 8 */
    const uint16_t *column;     /* the features used, ascending */
    const int32_t *first;       /* by feature: place of its value 0 in `row` */
    const uint8_t *most;        /* by feature: larger values count as this one */
    const uint8_t *used;        /* by feature: 255 if used, else 0 */
    const uint16_t *row;        /* by feature and value: its row */
    const int16_t *rows;        /* [][TRAJAN_UNITS], aligned to 16 bytes */
    int32_t bias[TRAJAN_UNITS];
    int16_t one[TRAJAN_UNITS];
    int16_t second[TRAJAN_NEURONS][TRAJAN_UNITS];
    int32_t second_bias[TRAJAN_NEURONS];
    int32_t out[TRAJAN_SEATS][TRAJAN_NEURONS];
    int32_t skip[TRAJAN_SEATS][TRAJAN_UNITS];
    int32_t out_bias[TRAJAN_SEATS];
} trajan_network;

/* List the rows of the features that are not 0. Return their number. */
static inline int trajan_list_rows(const trajan_network *net, const uint8_t *x, uint16_t *list) {
    int count = 0, i;
#if TRAJAN_VECTORS
    for (i = 0; i < net->width; i += 8) {
        uint64_t word, used;
        memcpy(&word, x + i, 8);
        memcpy(&used, net->used + i, 8);
        word &= used;
        while (word) {
            int shift = __builtin_ctzll(word) & 56;
            int j = i + (shift >> 3);
            int value = (int)(word >> shift & 255);
            word &= ~((uint64_t)255 << shift);
            list[count] = net->row[net->first[j] + (value < net->most[j] ? value : net->most[j])];
            count += list[count] != 0;
        }
    }
#else
    for (i = 0; i < net->columns; i++) {
        int j = net->column[i];
        list[count] = net->row[net->first[j] + (x[j] < net->most[j] ? x[j] : net->most[j])];
        count += list[count] != 0;
    }
#endif
    return count;
}

/* Add up to TRAJAN_BLOCK rows to the sums. */
static inline void trajan_add_rows(const trajan_network *net, const uint16_t *list, int count,
                                   int32_t *sums) {
    int16_t block[TRAJAN_UNITS];
    int i, h;
#if TRAJAN_VECTORS
    typedef int16_t vector __attribute__((vector_size(16)));
    enum { PARTS = TRAJAN_UNITS * 2 / sizeof(vector) };
    vector total[PARTS] = {{0}};
    for (i = 0; i < count; i++) {
        const vector *row = (const vector *)(net->rows + TRAJAN_UNITS * list[i]);
        for (h = 0; h < PARTS; h++) total[h] += row[h];
    }
    memcpy(block, total, sizeof(block));
#else
    memset(block, 0, sizeof(block));
    for (i = 0; i < count; i++) {
        const int16_t *row = net->rows + TRAJAN_UNITS * list[i];
        for (h = 0; h < TRAJAN_UNITS; h++) block[h] = (int16_t)(block[h] + row[h]);
    }
#endif
    for (h = 0; h < TRAJAN_UNITS; h++) sums[h] += block[h];
}

/* Write what the network adds to the VP of each seat, the observer's first. x has net->width
   features of the observer, `list` room for as many rows. */
static inline void trajan_network_values(const trajan_network *net, const uint8_t *x,
                                         uint16_t *list, int seats, float *values) {
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
        int32_t sum = 0;
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
