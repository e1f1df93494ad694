/* SPDX-License-Identifier: Apache-2.0 */
/* trace-file.c - a ring of records in memory, and the thread that writes them to the ring file */
#include "lfpd/watch/trace-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lfpd/base/thread.h"

/*
 * Theory of operation
 *
 * `in` and `out` count bytes; each has one writer. A record does not cross the end of the memory:
 * what is too short there is left out, marked by a length of 0. The thread looks WAKES_A_SECOND
 * times a second, and when the loop wakes it because a quarter of the memory is full.
 *
 * A block of the file is valid up to `used` in its head. The head is written after the bytes that
 * it covers, and with the number 0 before the first of them; so a concurrent reader of the file
 * sees whole records only.
 */

#define WAKE_MS     50
#define LAST_WAIT_S 2
#define MASK        (TRACE_MEMORY - 1)
#define WAKE_AT     (TRACE_MEMORY / 4)
#define RECORD_LENGTH(p)                                                                           \
	((uint32_t)(p)[0] << 24 | (uint32_t)(p)[1] << 16 | (uint32_t)(p)[2] << 8 | (p)[3])

uint8_t *trace_file_reserve(struct trace_file *file, uint32_t len)
{
	uint64_t in = atomic_load_explicit(&file->in, memory_order_relaxed);
	uint64_t out = atomic_load_explicit(&file->out, memory_order_acquire);
	uint32_t need = lfp_trace_filled(len), at = (uint32_t)(in & MASK);

	file->skip = TRACE_MEMORY - at < need ? TRACE_MEMORY - at : 0;
	if (atomic_load_explicit(&file->ended, memory_order_relaxed) ||
	    TRACE_MEMORY - (in - out) < file->skip + need) {
		atomic_fetch_add_explicit(&file->lost, 1, memory_order_relaxed);
		return NULL;
	}
	if (file->skip) {
		memset(file->memory + at, 0, 8);
		at = 0;
	}
	file->reserved = need;
	memset(file->memory + at + need - 8, 0, 8);
	return file->memory + at;
}

static void wake(struct trace_file *file)
{
	if (!atomic_exchange_explicit(&file->awake, true, memory_order_acq_rel))
		sem_post(&file->wake);
}

void trace_file_commit(struct trace_file *file)
{
	uint64_t in = atomic_load_explicit(&file->in, memory_order_relaxed);

	in += file->skip + file->reserved;
	atomic_store_explicit(&file->in, in, memory_order_release);
	if (in - atomic_load_explicit(&file->out, memory_order_relaxed) >= WAKE_AT)
		wake(file);
}

void trace_file_stop(struct trace_file *file)
{
	atomic_store(&file->stop, true);
	wake(file);
}

bool trace_file_has_ended(const struct trace_file *file)
{
	return atomic_load(&file->ended);
}

uint64_t trace_file_lost(const struct trace_file *file)
{
	return atomic_load_explicit(&file->lost, memory_order_relaxed);
}

static int write_at(const struct trace_file *file, const uint8_t *buf, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(file->fd, buf, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static uint64_t place_of_block(const struct trace_file *file)
{
	return LFP_TRACE_BLOCK * (1 + file->block.number % file->head.blocks);
}

/* Writes the rest of the block to the file. */
static int write_block(struct trace_file *file)
{
	uint64_t place = place_of_block(file);
	uint32_t from = file->written;
	int rc = 0;

	if (from == file->block.used)
		return 0;
	file->block.lost = trace_file_lost(file);
	if (from == LFP_TRACE_BLOCK_HEAD) {
		static const uint8_t none[LFP_TRACE_BLOCK_HEAD];

		rc = write_at(file, none, sizeof(none), place);
	}
	if (!rc)
		rc = write_at(file, file->buf + from, file->block.used - from, place + from);
	lfp_trace_block_encode(&file->block, file->buf);
	if (!rc)
		rc = write_at(file, file->buf, LFP_TRACE_BLOCK_HEAD, place);
	file->written = file->block.used;
	return rc;
}

static void next_block(struct trace_file *file)
{
	file->block.number++;
	file->block.before = file->records;
	file->block.used = file->written = LFP_TRACE_BLOCK_HEAD;
}

/* Writes all frames in memory to the file. Returns 0 or an errno number. */
static int drain(struct trace_file *file)
{
	uint64_t in = atomic_load_explicit(&file->in, memory_order_acquire);
	uint64_t out = atomic_load_explicit(&file->out, memory_order_relaxed);
	int rc = 0;

	while (!rc && out != in) {
		const uint8_t *record = file->memory + (out & MASK);
		uint32_t len = lfp_trace_filled(RECORD_LENGTH(record));

		if (!len) {
			out += TRACE_MEMORY - (out & MASK);
			continue;
		}
		if (file->block.used + len > LFP_TRACE_BLOCK) {
			rc = write_block(file);
			next_block(file);
		}
		memcpy(file->buf + file->block.used, record, len);
		file->block.used += len;
		file->records++;
		out += len;
		atomic_store_explicit(&file->out, out, memory_order_release);
	}
	atomic_store_explicit(&file->out, out, memory_order_release);
	return rc ? rc : write_block(file);
}

/* A new file: one that another process has opened or linked stays untouched. */
static int open_file(struct trace_file *file)
{
	struct stat st;

	if (!lstat(file->path, &st)) {
		if (!S_ISREG(st.st_mode))
			return EEXIST;
		if (unlink(file->path))
			return errno;
	}
	file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
			0600);
	if (file->fd < 0)
		return errno;
	if (file->group != (gid_t)-1 &&
	    (fchown(file->fd, (uid_t)-1, file->group) || fchmod(file->fd, 0640)))
		return errno;
	memset(file->buf, 0, LFP_TRACE_BLOCK);
	lfp_trace_head_encode(&file->head, file->buf);
	return write_at(file, file->buf, LFP_TRACE_BLOCK, 0);
}

static void wait_for_records(struct trace_file *file)
{
	(void)thread_wait(&file->wake, WAKE_MS);
	atomic_store_explicit(&file->awake, false, memory_order_release);
}

static void *run(void *data)
{
	struct trace_file *file = data;
	int rc = open_file(file);

	if (!rc)
		file->tell(file->data);
	while (!rc) {
		bool last = atomic_load(&file->stop);

		rc = drain(file);
		if (last)
			break;
		if (!rc)
			wait_for_records(file);
	}
	if (file->fd >= 0)
		close(file->fd);
	file->error = rc;
	atomic_store(&file->ended, true);
	sem_post(&file->over);
	file->tell(file->data);
	return NULL;
}

int trace_file_start(struct trace_file *file, const char *path, size_t size, const char *instance,
		     gid_t group, void (*tell)(void *data), void *data)
{
	struct timespec now;
	size_t blocks = size / LFP_TRACE_BLOCK;
	int rc = -ENOMEM;

	memset(file, 0, sizeof(*file));
	clock_gettime(CLOCK_REALTIME, &now);
	file->fd = -1;
	file->path = path;
	file->group = group;
	file->tell = tell;
	file->data = data;
	blocks = blocks > LFP_TRACE_BLOCKS_MIN ? blocks - 1 : LFP_TRACE_BLOCKS_MIN;
	file->head.blocks = blocks < LFP_TRACE_BLOCKS_MAX ? (uint32_t)blocks : LFP_TRACE_BLOCKS_MAX;
	file->head.begun = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	memcpy(file->head.instance, instance, strnlen(instance, 8));
	next_block(file);
	file->memory = malloc(TRACE_MEMORY);
	file->buf = malloc(LFP_TRACE_BLOCK);
	if (!file->memory || !file->buf)
		goto error_free;
	sem_init(&file->wake, 0, 0);
	sem_init(&file->over, 0, 0);
	rc = thread_start(&file->thread, run, file);
	if (!rc)
		return 0;
	sem_destroy(&file->wake);
	sem_destroy(&file->over);
error_free:
	free(file->memory);
	free(file->buf);
	return rc;
}

void trace_file_join(struct trace_file *file)
{
	pthread_join(file->thread, NULL);
	sem_destroy(&file->wake);
	sem_destroy(&file->over);
	free(file->memory);
	free(file->buf);
}

bool trace_file_wait(struct trace_file *file)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LAST_WAIT_S;
	while (sem_clockwait(&file->over, CLOCK_MONOTONIC, &until))
		if (errno != EINTR)
			return false;
	return true;
}
