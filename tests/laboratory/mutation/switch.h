/* Which of the planted faults is on, and which were reached: one file that every process maps. */
#ifndef TRAJAN_PLANTED_H
#define TRAJAN_PLANTED_H

extern volatile unsigned char *trajan_switches; /* two bytes: the number; then a byte per fault */

static inline int trajan_planted(int number) {
    trajan_switches[2 + number] = 1;
    return (trajan_switches[0] | trajan_switches[1] << 8) == number;
}

#endif
