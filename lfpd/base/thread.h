/* SPDX-License-Identifier: Apache-2.0 */
/* thread.h - threads that write files for the loop */
#ifndef LFPD_BASE_THREAD_H
#define LFPD_BASE_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

/* Starts a thread that takes no signals: they are the loop's. Returns 0 or a negative errno. */
int thread_start(pthread_t *thread, void *(*run)(void *data), void *data);

/* Waits for @sem, at most @ms milliseconds of the monotonic clock. Returns false if the time is
 * over or a signal came. */
bool thread_wait(sem_t *sem, long ms);

#endif
