/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - an anti-replay window */
#include "devemu/crypto/replay.h"

#include <string.h>

void replay_init(struct replay *replay, unsigned int size)
{
	memset(replay, 0, sizeof(*replay));
	if (size > REPLAY_MAX)
		size = REPLAY_MAX;
	replay->size = size ? (size + REPLAY_WORD - 1) / REPLAY_WORD * REPLAY_WORD : REPLAY_WORD;
}

bool replay_had(const struct replay *replay, uint64_t sequence)
{
	const unsigned int bit = (unsigned int)(sequence % replay->size);

	if (sequence > replay->highest)
		return false;
	if (replay->highest - sequence >= replay->size)
		return true;
	return replay->had[bit / REPLAY_WORD] >> bit % REPLAY_WORD & 1;
}

void replay_remember(struct replay *replay, uint64_t sequence)
{
	unsigned int bit;

	if (sequence > replay->highest) {
		/* The places of those in between are free again. */
		if (sequence - replay->highest >= replay->size)
			memset(replay->had, 0, sizeof(replay->had));
		else
			for (uint64_t s = replay->highest + 1; s < sequence; s++) {
				bit = (unsigned int)(s % replay->size);
				replay->had[bit / REPLAY_WORD] &=
					~(UINT64_C(1) << bit % REPLAY_WORD);
			}
		replay->highest = sequence;
	}
	bit = (unsigned int)(sequence % replay->size);
	replay->had[bit / REPLAY_WORD] |= UINT64_C(1) << bit % REPLAY_WORD;
}
