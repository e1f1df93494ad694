/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h - the ring of records, and the thread that writes them to a file or to the journal */
#ifndef LFPD_LOG_WRITER_H
#define LFPD_LOG_WRITER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfpd/log/record.h"

#define WRITER_RECORDS 4096u /* of the ring, a power of two */

enum writer_kind {
	WRITER_MEMORY, /* no thread: the ring alone */
	WRITER_FILE,
	WRITER_JOURNAL,
};

struct writer {
	/* the loop's; the thread reads the records between `out` and `in` */
	struct log_record *ring;
	enum writer_kind kind;
	const char *path, *instance;
	void (*tell)(void *data);
	void *data;

	/* both sides': records put in and taken out since the beginning */
	_Atomic uint64_t in, out;
	atomic_bool awake, stop, reopen, ended;
	_Atomic gid_t group; /* may read a new file; (gid_t)-1: only the owner's */
	_Atomic int error;   /* errno number: why the last write failed; 0: it did not */
	sem_t wake, hurry, over;

	/* the thread's */
	pthread_t thread;
	int fd;
	char *buf;
	FILE *lines; /* appends to @buf */
	size_t len;  /* bytes of @buf that the file has not taken */
	bool torn;   /* the file has the first part of the first line of @buf */
	bool cut;    /* the file ends in a part of a line that nobody finishes */
};

/**
 * writer_start() - open the destination and begin
 * @path:	of WRITER_FILE; "/dev/fd/N": descriptor N of this process, which is copied. Must
 * live until the end, as @instance
 * @tell:	called by the thread when writer->error has changed, and when the thread has ended
 *
 * Return: 0 or a negative errno; -EMEDIUMTYPE: not a regular file; -EPERM: the file belongs to
 * another user.
 */
int writer_start(struct writer *writer, enum writer_kind kind, const char *path,
		 const char *instance, gid_t group, void (*tell)(void *data), void *data);

/* The place of the record number @at, counted from 0. */
static inline struct log_record *writer_at(const struct writer *writer, uint64_t at)
{
	return &writer->ring[at % WRITER_RECORDS];
}

/* The record at writer->in is complete. The caller must not fill it before `out` is higher than the
 * record that it replaces. */
void writer_commit(struct writer *writer);

/* Returns the record of this serial number, NULL if the ring no longer has it. */
const struct log_record *writer_find(const struct writer *writer, uint64_t serial);

/* The file is opened again, by its name. @group may read it if it is a new one. */
void writer_reopen(struct writer *writer, gid_t group);

/* Writes what is there, and waits for the end, a short time. Returns false if the thread still
 * waits for its file: it then goes on with the memory of @writer. */
bool writer_stop(struct writer *writer);

#endif
