/* SPDX-License-Identifier: Apache-2.0 */
/* shm-inner.h - a connection of the transport shm, for its files */
#ifndef TRANSPORT_SHM_INNER_H
#define TRANSPORT_SHM_INNER_H

#include "transport/choice.h"
#include "transport/meet.h"
#include "transport/shm-ring.h"

struct shm_settings {
	unsigned int ring_size; /* bytes of each ring, see shm_ring_size(); the connecting side
				   chooses */
	unsigned int poll;      /* longest poll before sleep, microseconds; 0: no poll */
};

_Static_assert(sizeof(struct shm_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

struct shm_conn {
	struct meet_conn meet;
	bool sleeping; /* the peer was told */
	bool full;     /* a send was refused; `need` bytes must fit */
	size_t need;
	struct shm_poll poll;

	struct shm_ring in, out;
	void *memory; /* mapping of control page and both rings, or NULL */
	size_t mapped;
};

/* shm-memory.c: make (connecting side) or take (listener) the shared memory @memfd, whose rings
 * have
 * @ring_size bytes, and map it. -EPROTO with @why if the memory is invalid. */
int shm_memory_make(struct shm_conn *conn, uint32_t ring_size);
int shm_memory_take(struct shm_conn *conn, int memfd, uint32_t ring_size, const char **why);
void shm_memory_drop(struct shm_conn *conn);

static inline const struct shm_settings *shm_settings(const struct transport_where *where)
{
	return transport_settings_of(&where->settings, &transport_shm);
}

#endif
