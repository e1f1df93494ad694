/* SPDX-License-Identifier: Apache-2.0 */
/* trace-file.h - a ring of records in memory, and the thread that writes them to the ring file */
#ifndef LFPD_WATCH_TRACE_FILE_H
#define LFPD_WATCH_TRACE_FILE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/trace.h"

#define TRACE_MEMORY (4u * 1024u * 1024u) /* a power of two */

struct trace_file {
	/* the loop's */
	uint8_t *memory;
	uint32_t reserved; /* bytes, filled up, of the record that is being made */
	uint64_t skip;     /* bytes at the end of the memory that it leaves out */

	/* both sides': bytes put in and taken out since the beginning */
	_Atomic uint64_t in, out;
	_Atomic uint64_t lost;
	atomic_bool stop, ended, awake;
	sem_t wake, over;

	/* the thread's */
	pthread_t thread;
	int fd;
	int error; /* errno number; read by the loop after `ended` */
	struct lfp_trace_head head;
	struct lfp_trace_block block;
	uint32_t written; /* bytes of the block that the file has */
	uint64_t records;
	uint8_t *buf; /* LFP_TRACE_BLOCK */
	const char *path;
	gid_t group;
	void (*tell)(void *data);
	void *data;
};

/**
 * trace_file_start() - begin the thread
 * @path:	must live until the end; a regular file there is replaced
 * @size:	bytes of the file, at most
 * @group:	may read the file, (gid_t)-1: only the owner
 * @tell:	called by the thread when the file is open, and when it has ended
 *
 * Return: 0 or a negative errno.
 */
int trace_file_start(struct trace_file *file, const char *path, size_t size, const char *instance,
		     gid_t group, void (*tell)(void *data), void *data);

/* Room for a record of @len bytes (at most LFP_TRACE_RECORD_MAX), or NULL: it is counted as lost.
 */
uint8_t *trace_file_reserve(struct trace_file *file, uint32_t len);
void trace_file_commit(struct trace_file *file);

/* Write what is there and end. */
void trace_file_stop(struct trace_file *file);

/* Returns true if the thread has ended. trace_file_join() then does not wait. It frees everything
 * but keeps file->error. */
bool trace_file_has_ended(const struct trace_file *file);
void trace_file_join(struct trace_file *file);

/* Wait for it, a short time; true if it has ended. */
bool trace_file_wait(struct trace_file *file);

uint64_t trace_file_lost(const struct trace_file *file);

#endif
