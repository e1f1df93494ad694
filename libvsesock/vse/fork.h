/* SPDX-License-Identifier: Apache-2.0 */
/* fork.h - locks of the z/VSE interfaces, which nobody holds in the child of a fork() */
#ifndef VSESOCK_VSE_FORK_H
#define VSESOCK_VSE_FORK_H

#include <pthread.h>

/* In the order in which a thread takes several of them, as the thread that forks takes all. */
enum vse_lock {
	VSE_LOCK_AIO,
	VSE_LOCK_ASYNC,
	VSE_LOCK_ECB,
	VSE_LOCK_TASK,
	VSE_LOCK_API,
	VSE_LOCK_RESULTS,
	VSE_LOCKS
};

/* For constructors. @in_child, if it is not NULL, is called in the child while all locks are held:
 * threads that were about to do something are not there. */
void vse_fork_lock(enum vse_lock which, pthread_mutex_t *lock, void (*in_child)(void));

#endif
