/* SPDX-License-Identifier: Apache-2.0 */
/* ring.c - reading the ring file of a trace, also while it is written */
#include "lfpd-admin/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All of @len bytes, or as many as there are: their number or a negative errno. */
static ssize_t read_at(const struct ring *ring, uint8_t *buf, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(ring->fd, buf + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static uint64_t place(uint32_t index)
{
	return LFP_TRACE_BLOCK * (1 + (uint64_t)index);
}

static int compare(const void *a, const void *b)
{
	const struct lfp_trace_block *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

/* The heads of all blocks that are written. */
static int find_blocks(struct ring *ring)
{
	uint8_t buf[LFP_TRACE_BLOCK_HEAD];

	ring->blocks = calloc(ring->head.blocks, sizeof(*ring->blocks));
	if (!ring->blocks)
		return -ENOMEM;
	for (uint32_t i = 0; i < ring->head.blocks; i++) {
		struct lfp_trace_block block;
		ssize_t n = read_at(ring, buf, sizeof(buf), place(i));
		int rc;

		if (n < 0)
			return (int)n;
		if (n < (ssize_t)sizeof(buf))
			continue; /* the file is not that long yet */
		rc = lfp_trace_block_decode(buf, &block);
		if (rc == -ENOENT)
			continue;
		if (rc || block.number % ring->head.blocks != i)
			return -EPROTO;
		ring->blocks[ring->nr++] = block;
	}
	qsort(ring->blocks, ring->nr, sizeof(*ring->blocks), compare);
	if (ring->nr) {
		ring->gone = ring->blocks[0].before;
		ring->lost = ring->blocks[ring->nr - 1].lost;
		ring->records = ring->blocks[ring->nr - 1].before;
	}
	return 0;
}

int ring_open(struct ring *ring, const char *path)
{
	uint8_t buf[LFP_TRACE_BLOCK_HEAD];
	struct stat st;
	ssize_t n;
	int rc;

	memset(ring, 0, sizeof(*ring));
	/* O_NONBLOCK: a FIFO must not make us wait before we refuse it. */
	ring->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (ring->fd < 0)
		return -errno;
	rc = fstat(ring->fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EPROTO;
	if (!rc) {
		n = read_at(ring, buf, sizeof(buf), 0);
		rc = n < 0 ? (int)n : lfp_trace_head_decode(buf, (size_t)n, &ring->head);
	}
	if (!rc)
		rc = find_blocks(ring);
	if (rc)
		ring_close(ring);
	return rc;
}

void ring_close(struct ring *ring)
{
	close(ring->fd);
	free(ring->blocks);
	ring->blocks = NULL;
	ring->nr = 0;
}

/* Reads the block into @buf. Returns 0; -ESTALE if another block is in its place by now; or another
 * negative errno. */
static int read_block(const struct ring *ring, struct lfp_trace_block *block, uint8_t *buf)
{
	uint64_t number = block->number, at = place((uint32_t)(number % ring->head.blocks));
	uint8_t again[LFP_TRACE_BLOCK_HEAD];
	struct lfp_trace_block after;
	ssize_t n = read_at(ring, buf, LFP_TRACE_BLOCK, at);

	if (n < 0)
		return (int)n;
	if (n < (ssize_t)LFP_TRACE_BLOCK_HEAD || lfp_trace_block_decode(buf, block) == -EPROTO)
		return -EPROTO;
	if ((size_t)n < block->used)
		return -EPROTO;
	/* The writer clears the number before it overwrites the first byte. */
	n = read_at(ring, again, sizeof(again), at);
	if (n < (ssize_t)sizeof(again))
		return n < 0 ? (int)n : -EPROTO;
	(void)lfp_trace_block_decode(again, &after);
	return block->number == number && after.number == number ? 0 : -ESTALE;
}

static int each_of_block(struct ring *ring, const uint8_t *buf, const struct lfp_trace_block *block,
			 int (*one)(const struct lfp_trace_record *record, void *data), void *data)
{
	size_t at = LFP_TRACE_BLOCK_HEAD;
	uint64_t nr = 0;

	for (;;) {
		struct lfp_trace_record record;
		int rc = lfp_trace_record_decode(buf + at, block->used - at, &record);

		if (rc < 0)
			return rc;
		if (!rc)
			break;
		at += (size_t)rc;
		nr++;
		rc = one(&record, data);
		if (rc)
			return rc;
	}
	ring->records = block->before + nr;
	return 0;
}

int ring_each(struct ring *ring, int (*one)(const struct lfp_trace_record *record, void *data),
	      void *data)
{
	uint8_t *buf = malloc(LFP_TRACE_BLOCK);
	uint64_t expected = ring->gone;
	int rc = buf ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < ring->nr; i++) {
		struct lfp_trace_block block = ring->blocks[i];

		rc = read_block(ring, &block, buf);
		if (rc == -ESTALE) {
			rc = 0;
			continue;
		}
		if (rc)
			break;
		if (block.before > expected)
			ring->gone += block.before - expected;
		ring->lost = block.lost > ring->lost ? block.lost : ring->lost;
		rc = each_of_block(ring, buf, &block, one, data);
		expected = ring->records;
	}
	free(buf);
	return rc;
}
