/* SPDX-License-Identifier: Apache-2.0 */
/* fork.c - locks of the z/VSE interfaces that must be free in the child of a fork() */
#include "libvsesock/vse/fork.h"

#include <stdbool.h>
#include <stddef.h>

static struct {
	pthread_mutex_t *lock;
	void (*in_child)(void);
} locks[VSE_LOCKS];

static void before_fork(void)
{
	for (int i = 0; i < VSE_LOCKS; i++)
		if (locks[i].lock)
			pthread_mutex_lock(locks[i].lock);
}

static void in_parent(void)
{
	for (int i = VSE_LOCKS - 1; i >= 0; i--)
		if (locks[i].lock)
			pthread_mutex_unlock(locks[i].lock);
}

static void in_child(void)
{
	for (int i = 0; i < VSE_LOCKS; i++)
		if (locks[i].in_child)
			locks[i].in_child();
	in_parent();
}

void vse_fork_lock(enum vse_lock which, pthread_mutex_t *lock, void (*child)(void))
{
	static bool registered;

	locks[which].lock = lock;
	locks[which].in_child = child;
	if (!registered)
		pthread_atfork(before_fork, in_parent, in_child);
	registered = true;
}
