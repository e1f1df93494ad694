/* SPDX-License-Identifier: Apache-2.0 */
/* shm-memory.c - the shared memory of the transport shm: made, checked, mapped */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/shm-inner.h"

/*
 * The memory: CONTROL bytes, of which the first 2 KB are the control words of ring 0 (to lfpd) and
 * of ring 1 (from lfpd); then the two rings. It is sealed against a change of its size, because a
 * page that is gone would be a SIGBUS.
 */

#define CONTROL 65536u /* a multiple of every page size */
#define SEALS   (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

uint32_t shm_ring_size(uint32_t wanted, uint32_t mtu)
{
	uint32_t size = SHM_RING_MIN;

	while (size < SHM_RING_MAX && (size < wanted || size < 2 * (mtu + 16)))
		size *= 2;
	return size;
}

static bool is_ring_size(uint32_t size)
{
	return size >= SHM_RING_MIN && size <= SHM_RING_MAX && !(size & (size - 1));
}

/* Map each ring twice in a row. */
static int map(struct shm_conn *conn, int memfd, uint32_t ring_size, bool listens)
{
	struct shm_ring *rings[2] = {listens ? &conn->in : &conn->out,
				     listens ? &conn->out : &conn->in};
	uint8_t *memory;

	conn->mapped = CONTROL + 4 * (size_t)ring_size;
	memory = mmap(NULL, conn->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	conn->memory = memory;
	if (mmap(memory, CONTROL, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memfd, 0) ==
	    MAP_FAILED)
		return -errno;
	for (unsigned int i = 0; i < 4; i++) {
		/* Populated, so that no packet waits for the first use of a page. */
		off_t offset = (off_t)(CONTROL + (size_t)(i / 2) * ring_size);

		if (mmap(memory + CONTROL + (size_t)i * ring_size, ring_size,
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, memfd,
			 offset) == MAP_FAILED)
			return -errno;
	}
	for (unsigned int i = 0; i < 2; i++) {
		rings[i]->control = (struct shm_control *)(void *)memory + i;
		rings[i]->data = memory + CONTROL + (size_t)i * 2 * ring_size;
		rings[i]->size = ring_size;
	}
	return 0;
}

int shm_memory_make(struct shm_conn *conn, uint32_t ring_size)
{
	int memfd = memfd_create("lfp-path", MFD_CLOEXEC | MFD_ALLOW_SEALING), rc;

	if (memfd < 0)
		return -errno;
	/* Taken here, so that a lack of memory is an error and no signal later. */
	rc = -posix_fallocate(memfd, 0, (off_t)(CONTROL + 2 * (size_t)ring_size));
	if (!rc && fcntl(memfd, F_ADD_SEALS, SEALS))
		rc = -errno;
	if (!rc)
		rc = map(conn, memfd, ring_size, false);
	if (!rc)
		return memfd;
	close(memfd);
	return rc;
}

int shm_memory_take(struct shm_conn *conn, int memfd, uint32_t ring_size, const char **why)
{
	size_t size = CONTROL + 2 * (size_t)ring_size;
	struct stat st;
	int seals = fcntl(memfd, F_GET_SEALS);

	*why = "the memory that it offers is not sealed";
	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EPROTO;
	*why = "its rings have an invalid size";
	/* HELLO settles the size of packets, and then the connecting side checks that two fit. */
	if (!is_ring_size(ring_size))
		return -EPROTO;
	*why = "its memory does not have the size that it names";
	if (fstat(memfd, &st) || st.st_size != (off_t)size)
		return -EPROTO;
	*why = "its memory is not allocated";
	if ((uintmax_t)st.st_blocks * 512 < size)
		return -EPROTO;
	*why = "its memory cannot be mapped";
	return map(conn, memfd, ring_size, true);
}

void shm_memory_drop(struct shm_conn *conn)
{
	if (conn->memory)
		munmap(conn->memory, conn->mapped);
	conn->memory = NULL;
}
