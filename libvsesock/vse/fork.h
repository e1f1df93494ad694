/* SPDX-License-Identifier: Apache-2.0 */
/* fork.h - locks of the z/VSE interfaces that must be free in the child of a fork() */
#ifndef VSESOCK_VSE_FORK_H
#define VSESOCK_VSE_FORK_H

#include <pthread.h>

/* In locking order: a thread that forks takes all of them. */
enum vse_lock {
	VSE_LOCK_AIO,
	VSE_LOCK_ASYNC,
	VSE_LOCK_ECB,
	VSE_LOCK_TASK,
	VSE_LOCK_API,
	VSE_LOCK_RESULTS,
	VSE_LOCKS
};

/* Registers a lock; for constructors. @in_child, unless NULL, runs in the child while all locks are
 * held, to drop the work of threads that the child does not have. */
void vse_fork_lock(enum vse_lock which, pthread_mutex_t *lock, void (*in_child)(void));

#endif
