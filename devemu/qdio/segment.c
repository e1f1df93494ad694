/* SPDX-License-Identifier: Apache-2.0 */
/* segment.c - the memory that two HiperSockets devices and the machine between them share */
#include "devemu/qdio/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sealed against a change of its size, because a page that is gone would be a SIGBUS. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static bool is_geometry(struct qdio_geometry g)
{
	return qdio_mtu(g.frame) && g.buffers >= 2 && g.buffers <= QDIO_BUFFERS &&
	       !(g.buffers & (g.buffers - 1));
}

/* Nowhere while only the size is asked for. */
static void *spot(const struct qdio_segment *segment, size_t at)
{
	return segment->memory ? segment->memory + at : NULL;
}

/* Place the parts one after the other from *@at on; moves it. */
static void place(struct qdio_segment *segment, struct qdio_side *side, size_t *at)
{
	uint32_t n = segment->geometry.buffers;

	side->control = spot(segment, *at);
	*at += sizeof(struct qdio_control);
	side->pending = spot(segment, *at);
	*at += n * sizeof(struct qdio_pending);
	for (int i = 0; i < QDIO_QUEUES; i++) {
		side->slsb[i] = spot(segment, *at);
		*at += n;
	}
	*at = (*at + QDIO_SBAL - 1) / QDIO_SBAL * QDIO_SBAL;
	for (int i = 0; i < QDIO_QUEUES; i++) {
		side->sbal[i] = spot(segment, *at);
		*at += n * QDIO_SBAL;
	}
	side->qaob = *at;
	*at += 2 * (size_t)n * QDIO_QAOB;
	*at = (*at + QDIO_PAGE - 1) / QDIO_PAGE * QDIO_PAGE;
}

static void place_frames(struct qdio_segment *segment, struct qdio_side *side, size_t *at)
{
	size_t n = segment->geometry.buffers, frame = segment->geometry.frame;

	side->out = *at;
	*at += 2 * n * frame;
	side->in = *at;
	*at += n * frame;
}

static void lay_out(struct qdio_segment *segment)
{
	size_t at = 0;

	for (int i = 0; i < 2; i++)
		place(segment, &segment->side[i], &at);
	for (int i = 0; i < 2; i++)
		place_frames(segment, &segment->side[i], &at);
	segment->size = at;
}

static int map(struct qdio_segment *segment, int fd)
{
	void *memory = mmap(NULL, segment->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	segment->memory = memory;
	lay_out(segment);
	return 0;
}

int qdio_segment_make(struct qdio_segment *segment, struct qdio_geometry geometry)
{
	int fd, rc = 0;

	*segment = (struct qdio_segment){.geometry = geometry};
	if (!is_geometry(geometry))
		return -EINVAL;
	lay_out(segment);
	fd = memfd_create("qdio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	/* Memory is taken here, so that a lack of it is an error and no signal later. */
	rc = -posix_fallocate(fd, 0, (off_t)segment->size);
	if (!rc && fcntl(fd, F_ADD_SEALS, SEALS))
		rc = -errno;
	if (!rc)
		rc = map(segment, fd);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

int qdio_segment_take(struct qdio_segment *segment, int fd, struct qdio_geometry geometry,
		      const char **why)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	*segment = (struct qdio_segment){.geometry = geometry};
	*why = "its queues have an invalid geometry";
	if (!is_geometry(geometry))
		return -EPROTO;
	*why = "the memory that it offers is not sealed";
	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EPROTO;
	lay_out(segment);
	*why = "its memory does not have the size that it names";
	if (fstat(fd, &st) || (uintmax_t)st.st_size != segment->size)
		return -EPROTO;
	*why = "its memory is not allocated";
	if ((uintmax_t)st.st_blocks * 512 < segment->size)
		return -EPROTO;
	*why = "its memory cannot be mapped";
	return map(segment, fd);
}

void qdio_segment_drop(struct qdio_segment *segment)
{
	if (segment->memory)
		munmap(segment->memory, segment->size);
	segment->memory = NULL;
}
