/* SPDX-License-Identifier: Apache-2.0 */
/* history-file.h - the ring file of HISTORY, and the thread that writes its records */
#ifndef LFPD_WATCH_HISTORY_FILE_H
#define LFPD_WATCH_HISTORY_FILE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/history.h"
#include "lfp/places.h"

struct history_file {
	/* both sides': the loop fills @record and sets @full, the thread writes it and clears it */
	uint8_t *record;
	atomic_bool full, stop, ended;
	atomic_bool open; /* set once, by the thread */
	atomic_int error; /* errno number: why the last attempt failed; 0: it did not. Before @open:
			     there is no file, and the thread has ended; see history_strerror() */
	sem_t wake, over;

	/* the loop's, while the file is free; else the thread's */
	uint64_t serial; /* of the next record */

	/* the thread's until @open, then nobody changes it */
	uint32_t damaged; /* records that the file had, and that are not whole */

	/* the thread's */
	pthread_t thread;
	char path[LFP_PLACE_MAX];
	struct lfp_history *wanted; /* has no records */
	gid_t group;
	int fd;
	void (*tell)(void *data);
	void *data;
};

/**
 * history_file_start() - begin the thread, which opens the file or makes it
 * @path:	a regular file of this process's user. An existing one with other columns or another
 *		number of slots is replaced by one that has the newest of its records
 * @wanted:	its instance, columns and slots; copied
 * @group:	may read a new file; (gid_t)-1: only the owner's group
 * @tell:	called by the thread when file->open or file->error has changed
 *
 * Return: 0 or a negative errno.
 */
int history_file_start(struct history_file *file, const char *path,
		       const struct lfp_history *wanted, gid_t group, void (*tell)(void *data),
		       void *data);

/* Returns the text for an errno number that the file was not opened for. */
const char *history_strerror(int error);

/* Whether a record can be handed over now: the file is open, and has taken the one before. */
bool history_file_is_free(const struct history_file *file);

/* Hands a record over, whose serial number this function sets. The file must be free. */
void history_file_put(struct history_file *file, struct lfp_history_record *record);

/* Wait until the file is free, or until the last attempt has failed, a short time. Returns true if
 * it is free. */
bool history_file_wait(struct history_file *file);

/* Ends the thread and frees the memory. Returns false if the thread still waits for its file: it
 * then goes on with the memory of @file. */
bool history_file_stop(struct history_file *file);

#endif
