/* SPDX-License-Identifier: Apache-2.0 */
/* history-file.c - the ring file of HISTORY, and the thread that writes its records */
#include "lfpd/watch/history-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lfpd/base/thread.h"

/*
 * Theory of operation
 *
 * The thread also opens the file, and looks at all its records, which can be a GiB of them on a
 * slow disk. It keeps none: of a file that stays it needs the newest serial number, and to one that
 * replaces it each record is copied as it is read.
 *
 * A new file is complete, and on the disk, before it has its name: it is written as PATH.new and
 * renamed. Its blocks are allocated, so that a disk that fills up later takes no record away. A
 * lock tells another process that writes the same file. Records are not synced: a power failure
 * takes the last ones.
 *
 * There is one record on its way at a time. While the thread cannot write it, the loop makes no
 * other one: its next interval is longer, and no count is lost.
 */

#define RETRY_MS 1000
#define LAST_MS  2000
#define MODE     0640

static const struct {
	int error;
	const char *text;
} texts[] = {
	{EMEDIUMTYPE, "it is not a regular file"},
	{EPERM, "it belongs to another user"},
	{ELOOP, "it is a symbolic link"},
	{EWOULDBLOCK, "another process writes it"},
	{EPROTO, "it is not a history of lfpd, or its head is damaged"},
	{EREMCHG, "it is the history of another instance"},
	{EFBIG, "HISTORY_SIZE has no room for one record"},
};

const char *history_strerror(int error)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].error == error)
			return texts[i].text;
	return strerror(error);
}

/* Writes all bytes. Returns 0 or a negative errno. */
static int write_at(int fd, const uint8_t *buf, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, buf, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* The records of one file on their way to another. */
struct copy {
	struct history_file *file;
	const struct lfp_history *old;
	int fd; /* of the new file; negative: only look at the records */
	uint64_t newest;
	uint32_t column[LFP_HISTORY_COLUMNS]; /* of the old file, for each of the new one */
};

/* Notes the newest record. */
static int look(void *data, const struct lfp_history_record *record)
{
	struct copy *copy = data;

	if (record->serial > copy->newest)
		copy->newest = record->serial;
	return atomic_load(&copy->file->stop) ? -ECANCELED : 0;
}

static void find_columns(struct copy *copy)
{
	const struct lfp_history *wanted = copy->file->wanted, *old = copy->old;

	for (uint32_t c = 0; c < wanted->columns; c++) {
		uint32_t at = lfp_history_find(old, wanted->column[c].name);
		bool same = at < old->columns && old->column[at].kind == wanted->column[c].kind;

		copy->column[c] = same ? at : LFP_HISTORY_COLUMNS;
	}
}

/* Writes a record to a file with other columns, or with fewer slots. */
static int copy_record(void *data, const struct lfp_history_record *from)
{
	const struct copy *copy = data;
	const struct lfp_history *wanted = copy->file->wanted;
	uint64_t values[LFP_HISTORY_COLUMNS];
	struct lfp_history_record record = *from;

	if (atomic_load(&copy->file->stop))
		return -ECANCELED;
	if (copy->newest - record.serial >= wanted->slots)
		return 0;
	for (uint32_t c = 0; c < wanted->columns; c++)
		values[c] =
			copy->column[c] < LFP_HISTORY_COLUMNS ? from->values[copy->column[c]] : 0;
	record.values = values;
	lfp_history_record_encode(&record, wanted->columns, copy->file->record);
	return write_at(
		copy->fd, copy->file->record, lfp_history_slot_size(wanted->columns),
		lfp_history_size(wanted->columns, (uint32_t)(record.serial % wanted->slots)));
}

/* Writes the head and the records of @old_fd, which is negative if there are none. */
static int fill_new(struct history_file *file, int fd, int old_fd, struct copy *copy)
{
	const struct lfp_history *wanted = file->wanted;
	size_t head_size = lfp_history_head_size(wanted->columns);
	uint64_t size = lfp_history_size(wanted->columns, wanted->slots);
	uint8_t *head = malloc(head_size);
	int rc = head ? 0 : -ENOMEM;

	/* Where the file system cannot allocate, the file has holes, which fill up later. */
	if (!rc && fallocate(fd, 0, 0, (off_t)size) &&
	    (errno != EOPNOTSUPP || ftruncate(fd, (off_t)size)))
		rc = -errno;
	if (!rc && old_fd >= 0) {
		struct lfp_history again = *copy->old;

		copy->fd = fd;
		find_columns(copy);
		rc = lfp_history_each(old_fd, &again, copy_record, copy);
	}
	if (!rc) {
		lfp_history_head_encode(wanted, head);
		rc = write_at(fd, head, head_size, 0);
	}
	free(head);
	return rc;
}

/* Makes the file, with the records of @old_fd unless it is negative. Returns a descriptor or a
 * negative errno. */
static int make_file(struct history_file *file, int old_fd, struct copy *copy)
{
	char new[LFP_PLACE_MAX];
	int fd, rc = 0;

	if (!file->wanted->slots)
		return -EFBIG;
	if (snprintf(new, sizeof(new), "%s.new", file->path) >= (int)sizeof(new))
		return -ENAMETOOLONG;
	/* One that a killed process has left. */
	if (unlink(new) && errno != ENOENT)
		return -errno;
	fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, MODE);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) ||
	    (file->group != (gid_t)-1 && fchown(fd, (uid_t)-1, file->group)) || fchmod(fd, MODE))
		rc = -errno;
	if (!rc)
		rc = fill_new(file, fd, old_fd, copy);
	if (!rc && (fsync(fd) || rename(new, file->path)))
		rc = -errno;
	if (!rc)
		return fd;
	(void)unlink(new);
	close(fd);
	return rc;
}

/* Returns 0, or why lfpd does not write this file. */
static int check_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EMEDIUMTYPE;
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return -EPERM;
	return flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

static bool is_same(const struct lfp_history *old, const struct lfp_history *wanted)
{
	if (old->columns != wanted->columns || old->slots != wanted->slots)
		return false;
	for (uint32_t c = 0; c < old->columns; c++)
		if (old->column[c].kind != wanted->column[c].kind ||
		    strcmp(old->column[c].name, wanted->column[c].name) != 0)
			return false;
	return true;
}

/* Goes on in the file @fd, or in one that replaces it. Returns the descriptor or a negative errno,
 * with @fd closed. */
static int take_old(struct history_file *file, int fd)
{
	struct lfp_history *old = malloc(sizeof(*old));
	struct copy copy = {.file = file, .old = old, .fd = -1};
	int rc = old ? lfp_history_head_read(fd, old) : -ENOMEM, new = fd;

	if (!rc && strcmp(old->instance, file->wanted->instance) != 0)
		rc = -EREMCHG;
	if (!rc)
		rc = lfp_history_each(fd, old, look, &copy);
	if (rc) {
		free(old);
		close(fd);
		return rc;
	}
	if (!is_same(old, file->wanted) || old->damaged)
		new = make_file(file, fd, &copy);
	/* A damaged record takes no place from others: its slot comes again. */
	if (new < 0 && is_same(old, file->wanted))
		new = fd;
	file->serial = copy.newest + 1;
	file->damaged = old->damaged;
	if (new != fd)
		close(fd);
	free(old);
	return new;
}

/* Returns a descriptor or a negative errno. Never waits for a reader of a FIFO. */
static int open_file(struct history_file *file)
{
	int fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK), rc;

	file->serial = 1;
	if (fd < 0 && errno == ENOENT)
		return make_file(file, -1, NULL);
	if (fd < 0)
		return errno == ENXIO || errno == EISDIR ? -EMEDIUMTYPE : -errno;
	rc = check_file(fd);
	if (!rc)
		return take_old(file, fd);
	close(fd);
	return rc;
}

/* Writes the record, if there is one. Returns 0 or an errno number. */
static int write_record(struct history_file *file)
{
	uint32_t columns = file->wanted->columns;
	int error;

	if (!atomic_load_explicit(&file->full, memory_order_acquire))
		return 0;
	error = -write_at(
		file->fd, file->record, lfp_history_slot_size(columns),
		lfp_history_size(columns, (uint32_t)(file->serial % file->wanted->slots)));
	if (!error)
		file->serial++;
	if (atomic_exchange(&file->error, error) != error)
		file->tell(file->data);
	/* A file that is free again has no error. */
	if (!error)
		atomic_store_explicit(&file->full, false, memory_order_release);
	sem_post(&file->over);
	return error;
}

static void *run(void *data)
{
	struct history_file *file = data;

	file->fd = open_file(file);
	if (file->fd < 0)
		atomic_store(&file->error, -file->fd);
	else
		atomic_store_explicit(&file->open, true, memory_order_release);
	file->tell(file->data);
	sem_post(&file->over);
	while (file->fd >= 0 && !atomic_load(&file->stop)) {
		if (write_record(file))
			(void)thread_wait(&file->wake, RETRY_MS);
		else
			while (sem_wait(&file->wake) && errno == EINTR)
				;
	}
	if (file->fd >= 0)
		close(file->fd);
	atomic_store(&file->ended, true);
	sem_post(&file->over);
	return NULL;
}

static void free_memory(struct history_file *file)
{
	sem_destroy(&file->wake);
	sem_destroy(&file->over);
	free(file->wanted);
	free(file->record);
	file->wanted = NULL;
	file->record = NULL;
}

int history_file_start(struct history_file *file, const char *path,
		       const struct lfp_history *wanted, gid_t group, void (*tell)(void *data),
		       void *data)
{
	int rc = 0;

	memset(file, 0, sizeof(*file));
	file->group = group;
	file->tell = tell;
	file->data = data;
	sem_init(&file->wake, 0, 0);
	sem_init(&file->over, 0, 0);
	file->record = malloc(lfp_history_slot_size(wanted->columns));
	file->wanted = malloc(sizeof(*wanted));
	if (!file->record || !file->wanted)
		rc = -ENOMEM;
	else if (snprintf(file->path, sizeof(file->path), "%s", path) >= (int)sizeof(file->path))
		rc = -ENAMETOOLONG;
	if (!rc) {
		*file->wanted = *wanted;
		rc = thread_start(&file->thread, run, file);
	}
	if (rc)
		free_memory(file);
	return rc;
}

bool history_file_is_free(const struct history_file *file)
{
	return atomic_load_explicit(&file->open, memory_order_acquire) &&
	       !atomic_load_explicit(&file->full, memory_order_acquire);
}

void history_file_put(struct history_file *file, struct lfp_history_record *record)
{
	record->serial = file->serial;
	lfp_history_record_encode(record, file->wanted->columns, file->record);
	atomic_store_explicit(&file->full, true, memory_order_release);
	sem_post(&file->wake);
}

/* Posts that are of earlier records end a wait too early, so it has a deadline of its own. */
static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool history_file_wait(struct history_file *file)
{
	uint64_t end = now_ms() + LAST_MS, now;

	while (!history_file_is_free(file) && !atomic_load(&file->error) && (now = now_ms()) < end)
		(void)thread_wait(&file->over, (long)(end - now));
	return history_file_is_free(file);
}

bool history_file_stop(struct history_file *file)
{
	uint64_t end = now_ms() + LAST_MS, now;

	atomic_store(&file->stop, true);
	sem_post(&file->wake);
	while (!atomic_load(&file->ended) && (now = now_ms()) < end)
		(void)thread_wait(&file->over, (long)(end - now));
	if (!atomic_load(&file->ended))
		return false;
	pthread_join(file->thread, NULL);
	free_memory(file);
	return true;
}
