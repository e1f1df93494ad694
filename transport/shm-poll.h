/* SPDX-License-Identifier: Apache-2.0 */
/* shm-poll.h - is it worth while to look for packets a little before going to sleep? */
#ifndef TRANSPORT_SHM_POLL_H
#define TRANSPORT_SHM_POLL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A wake-up costs 1 to 30 us, on both sides. So a side looks for packets for some time before it
 * sleeps, and lets others have the processor between two looks. How long is learnt: a packet that
 * comes soon after falling asleep doubles the time, up to the most; one that comes late, or a poll
 * that ends with nothing, halves it, down to none.
 */
struct shm_poll {
	uint64_t most;   /* ns; 0: never poll */
	uint64_t budget; /* ns, now */
	uint64_t since;  /* ns of the clock when this poll began, 0: none runs */
	uint64_t slept;  /* ns of the clock when it fell asleep, 0: it did not */
};

/* Nothing is there: look again (true), or sleep. @now is in ns. */
bool shm_poll_goes_on(struct shm_poll *poll, uint64_t now, uint64_t *missed);

/* A packet has come. */
void shm_poll_hit(struct shm_poll *poll, uint64_t now, uint64_t *hit);

#endif
