/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - the ring of records, and the thread that writes them to a file or to the journal */
#include "lfpd/log/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/number.h"
#include "lfpd/base/thread.h"

/*
 * Theory of operation
 *
 * `in` and `out` count records; each has one writer. The loop never waits: log.c leaves out a
 * record for which the ring has no place, and counts it. The ring also has the records that are
 * written already, until others take their place: lfpd-admin shows them.
 *
 * The thread sleeps until there is a record, then waits BATCH_MS for more, so that a busy loop
 * wakes it rarely. What the file does not take now, on a full disk, stays in the buffer and in the
 * ring. The thread tries again every RETRY_MS.
 */

#define BATCH_MS  20
#define RETRY_MS  1000
#define LAST_MS   2000
#define BUF_MAX   (256u * 1024u)
#define LINE_MAX_ 8192u /* a line of JSON is shorter: each byte of a text has six at most */
#define MODE      0640

_Static_assert(LOG_NAME_MAX * 6 + LOG_PROGRAM_MAX * 6 + 2048 < LINE_MAX_, "a line fits");

static void wake(struct writer *writer)
{
	if (!atomic_exchange_explicit(&writer->awake, true, memory_order_acq_rel))
		sem_post(&writer->wake);
}

void writer_commit(struct writer *writer)
{
	uint64_t in = atomic_load_explicit(&writer->in, memory_order_relaxed);

	writer_at(writer, in)->serial = in + 1;
	in++;
	atomic_store_explicit(&writer->in, in, memory_order_release);
	if (writer->kind == WRITER_MEMORY) {
		atomic_store_explicit(&writer->out, in, memory_order_relaxed);
		return;
	}
	wake(writer);
	if (in - atomic_load_explicit(&writer->out, memory_order_relaxed) == WRITER_RECORDS / 4)
		sem_post(&writer->hurry);
}

const struct log_record *writer_find(const struct writer *writer, uint64_t serial)
{
	const struct log_record *record = writer_at(writer, serial - 1);

	return serial && record->serial == serial ? record : NULL;
}

void writer_reopen(struct writer *writer, gid_t group)
{
	if (writer->kind != WRITER_FILE)
		return;
	atomic_store(&writer->group, group);
	atomic_store(&writer->reopen, true);
	wake(writer);
	sem_post(&writer->hurry);
}

/* Returns the N of "/dev/fd/N", or -1. */
static int inherited(const char *path)
{
	unsigned long number;

	if (strncmp(path, "/dev/fd/", 8) || lfp_number(path + 8, 0, INT_MAX, &number))
		return -1;
	return (int)number;
}

/* Returns whether the file ends within a line: its writer was killed, or the disk was full. */
static bool is_cut(int fd)
{
	char path[32], last;
	struct stat st;
	bool cut;
	int in;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	cut = in >= 0 && pread(in, &last, 1, st.st_size - 1) == 1 && last != '\n';
	if (in >= 0)
		close(in);
	return cut;
}

/* Returns a descriptor or a negative errno. Never waits for a reader of a FIFO. */
static int open_file(const struct writer *writer)
{
	gid_t group = atomic_load(&writer->group);
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
	int fd = inherited(writer->path), rc = 0;
	bool made = false;
	struct stat st;

	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd < 0 ? -errno : fd;
	}
	fd = open(writer->path, flags | O_CREAT | O_EXCL, MODE);
	made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(writer->path, flags);
	if (fd < 0)
		return errno == ENXIO ? -EMEDIUMTYPE : -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EMEDIUMTYPE;
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		rc = -EPERM;
	/* The process's umask may take away the group's right. */
	else if (made && group != (gid_t)-1 && fchown(fd, (uid_t)-1, group))
		rc = -errno;
	else if (made && fchmod(fd, MODE))
		rc = -errno;
	if (!rc)
		return fd;
	/* The next attempt would take it, as one that was there. */
	if (made)
		(void)unlink(writer->path);
	close(fd);
	return rc;
}

static void note_error(struct writer *writer, int error)
{
	/* Whoever stops this thread looks itself. */
	if (atomic_exchange(&writer->error, error) != error && !atomic_load(&writer->stop))
		writer->tell(writer->data);
}

/* Writes the buffer. Returns 0 or a positive errno; the rest is kept. */
static int flush(struct writer *writer)
{
	size_t done = 0;
	int error = 0;

	errno = EIO;
	if (writer->cut && write(writer->fd, "\n", 1) != 1)
		return errno;
	writer->cut = false;
	while (done < writer->len && !error) {
		ssize_t n = write(writer->fd, writer->buf + done, writer->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			error = n ? errno : EIO;
	}
	if (done)
		writer->torn = writer->buf[done - 1] != '\n';
	writer->len -= done;
	memmove(writer->buf, writer->buf + done, writer->len);
	return error;
}

/* What is written to the stream of lines goes to the end of the buffer. */
static ssize_t append(void *cookie, const char *text, size_t size)
{
	struct writer *writer = cookie;

	if (size > BUF_MAX - writer->len)
		return 0;
	memcpy(writer->buf + writer->len, text, size);
	writer->len += size;
	return (ssize_t)size;
}

/* One stream for all lines, which only the thread uses: to open one for each, and to lock it for
 * each piece, takes as long as to make the line. Returns false if memory runs out. */
static bool open_lines(struct writer *writer)
{
	writer->lines = fopencookie(writer, "w", (cookie_io_functions_t){.write = append});
	if (!writer->lines)
		return false;
	(void)__fsetlocking(writer->lines, FSETLOCKING_BYCALLER);
	return true;
}

/* Appends the record's line to the buffer. */
static void put_line(struct writer *writer, const struct log_record *record)
{
	log_record_json(record, writer->instance, writer->lines);
	(void)fflush(writer->lines);
}

/* Takes records from the ring. Returns 0 or a positive errno. */
static int drain(struct writer *writer)
{
	uint64_t in = atomic_load_explicit(&writer->in, memory_order_acquire);
	uint64_t out = atomic_load_explicit(&writer->out, memory_order_relaxed);
	int error = 0;

	while (out != in && !error) {
		const struct log_record *record = writer_at(writer, out);

		if (writer->kind == WRITER_JOURNAL)
			error = -log_record_journal(record, writer->instance);
		else if (writer->len + LINE_MAX_ > BUF_MAX)
			error = flush(writer);
		if (error)
			break;
		if (writer->kind == WRITER_FILE)
			put_line(writer, record);
		atomic_store_explicit(&writer->out, ++out, memory_order_release);
	}
	return error ? error : writer->len ? flush(writer) : 0;
}

/* The rest of a line whose beginning is in another file is of no use. */
static void forget_torn(struct writer *writer)
{
	const char *end = writer->torn ? memchr(writer->buf, '\n', writer->len) : NULL;

	if (end) {
		writer->len -= (size_t)(end + 1 - writer->buf);
		memmove(writer->buf, end + 1, writer->len);
	}
	writer->torn = false;
}

/* Opens the file again. Keeps the old one if that fails. Returns 0 or a positive errno. */
static int open_again(struct writer *writer)
{
	struct stat old, new;
	int fd;

	if (inherited(writer->path) >= 0)
		return 0;
	fd = open_file(writer);
	if (fd < 0)
		return -fd;
	if (!fstat(fd, &new) && !fstat(writer->fd, &old) &&
	    new.st_dev == old.st_dev &&new.st_ino == old.st_ino) {
		close(fd);
		return 0;
	}
	writer->cut = is_cut(fd);
	close(writer->fd);
	writer->fd = fd;
	forget_torn(writer);
	return 0;
}

static void wait_for_records(struct writer *writer, bool failing)
{
	if (failing) {
		(void)thread_wait(&writer->hurry, RETRY_MS);
	} else {
		while (sem_wait(&writer->wake) && errno == EINTR)
			;
		(void)thread_wait(&writer->hurry, BATCH_MS);
	}
	/* Further records wake this thread once more. */
	atomic_store_explicit(&writer->awake, false, memory_order_seq_cst);
}

static void *run(void *data)
{
	struct writer *writer = data;
	int error = 0, opening = 0;
	bool last = false;

	while (!last) {
		wait_for_records(writer, error || opening);
		last = atomic_load(&writer->stop);
		if (atomic_exchange(&writer->reopen, false) || opening)
			opening = open_again(writer);
		error = drain(writer);
		note_error(writer, opening ? opening : error);
	}
	if (writer->fd >= 0)
		close(writer->fd);
	atomic_store(&writer->ended, true);
	sem_post(&writer->over);
	return NULL;
}

static void free_memory(struct writer *writer)
{
	sem_destroy(&writer->wake);
	sem_destroy(&writer->hurry);
	sem_destroy(&writer->over);
	if (writer->lines)
		fclose(writer->lines);
	free(writer->ring);
	free(writer->buf);
	writer->ring = NULL;
}

int writer_start(struct writer *writer, enum writer_kind kind, const char *path,
		 const char *instance, gid_t group, void (*tell)(void *data), void *data)
{
	int rc = 0;

	memset(writer, 0, sizeof(*writer));
	writer->kind = kind;
	writer->path = path;
	writer->instance = instance;
	atomic_store(&writer->group, group);
	writer->tell = tell;
	writer->data = data;
	writer->fd = -1;
	writer->ring = calloc(WRITER_RECORDS, sizeof(*writer->ring));
	writer->buf = kind == WRITER_FILE ? malloc(BUF_MAX) : NULL;
	sem_init(&writer->wake, 0, 0);
	sem_init(&writer->hurry, 0, 0);
	sem_init(&writer->over, 0, 0);
	if (!writer->ring || (kind == WRITER_FILE && (!writer->buf || !open_lines(writer))))
		rc = -ENOMEM;
	if (!rc && kind == WRITER_FILE)
		writer->fd = rc = open_file(writer);
	if (writer->fd >= 0)
		writer->cut = is_cut(writer->fd);
	if (rc >= 0)
		rc = kind == WRITER_MEMORY ? 0 : thread_start(&writer->thread, run, writer);
	if (!rc)
		return 0;
	if (writer->fd >= 0)
		close(writer->fd);
	free_memory(writer);
	return rc;
}

bool writer_stop(struct writer *writer)
{
	if (writer->kind != WRITER_MEMORY) {
		atomic_store(&writer->stop, true);
		wake(writer);
		sem_post(&writer->hurry);
		(void)thread_wait(&writer->over, LAST_MS);
		if (!atomic_load(&writer->ended))
			return false;
		pthread_join(writer->thread, NULL);
	}
	free_memory(writer);
	return true;
}
