/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - an anti-replay window (RFC 4303, 3.4.3): the sequence numbers that a receiver has had
 *
 * A number is looked up before its packet is authenticated and remembered after that. Sequence
 * numbers begin at 1 and have 64 bits; numbers of 32 bits are the same without the upper half.
 */
#ifndef DEVEMU_CRYPTO_REPLAY_H
#define DEVEMU_CRYPTO_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_WORD = 64, REPLAY_MAX = 1024 };

struct replay {
	uint64_t highest;                       /* that was remembered, 0: none */
	unsigned int size;                      /* in numbers, a multiple of REPLAY_WORD */
	uint64_t had[REPLAY_MAX / REPLAY_WORD]; /* a ring of bits: sequence number modulo size */
};

/* @size: REPLAY_WORD to REPLAY_MAX, rounded up to a multiple of REPLAY_WORD. */
void replay_init(struct replay *replay, unsigned int size);

/* Returns true if @sequence was remembered, or is older than the window. */
bool replay_had(const struct replay *replay, uint64_t sequence);

void replay_remember(struct replay *replay, uint64_t sequence);

#endif
