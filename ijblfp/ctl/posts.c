/* SPDX-License-Identifier: Apache-2.0 */
/* posts.c - options that programs post in the pages that they share with the instance */
#include "ijblfp/ctl/posts.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/early.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/early.h"

/*
 * Theory of operation
 *
 * lfp/post.h describes posts. A process may write anything into its page. A post counts only if it
 * names a stream of this process that has been connected, and TCP_NODELAY, which the process could
 * set by a call. So a wrong post harms nobody but its own process. Each word is read once, and that
 * copy is checked and used.
 *
 * A post that lacks memory stays in its page. Nothing may set the same option meanwhile, or the
 * post would undo that later: the program puts no second post beside the first one, but makes a
 * call, and calls about options fail as long as a post of their socket waits. Data may overtake the
 * post. The host then sends it as without TCP_NODELAY: later, but whole.
 */

/* Also if the connection has failed or was lost since the post: the option stays the socket's. */
static bool has_been_connected(const struct vsock *vs)
{
	return vs->state == VSOCK_ESTABLISHED || vs->state == VSOCK_CONNECTING ||
	       vs->state == VSOCK_RESET || vs->state == VSOCK_OVER;
}

/* Returns a negative errno if the post still has to be taken, as where memory lacks. */
static int take(struct task *task, uint64_t post)
{
	struct instance *inst = task->inst;
	int option = lfp_post_option(post);
	bool now = false;
	struct vsock *vs = vsock_find_cookie(inst->socks, lfp_post_cookie(post), &now);

	if (!vs || !now || vs->task != task->number || vs->is_datagram || vs->given ||
	    option != LFP_EARLY_NODELAY)
		return 0;
	return has_been_connected(vs) ? early_take(inst, vs, option, lfp_post_on(post)) : 0;
}

/* Posts of pages: how many were there, and why one still waits, any or one about a socket: 0, or a
 * negative errno. */
struct found {
	unsigned int posts;
	int waiting, own;
};

static void take_all(struct task *task, struct lfp_credit *page, uint64_t own_cookie,
		     struct found *found)
{
	for (unsigned int i = 0; i < LFP_POSTS; i++) {
		uint64_t post = __atomic_load_n(&page->posts[i], __ATOMIC_ACQUIRE);
		int rc;

		if (!post)
			continue;
		found->posts++;
		/* While it is there, the program puts no other one of this option beside it. */
		rc = take(task, post);
		if (!rc)
			__atomic_store_n(&page->posts[i], 0, __ATOMIC_RELEASE);
		else
			found->waiting = rc;
		if (rc && lfp_post_cookie(post) == own_cookie)
			found->own = rc;
	}
}

int posts_take_from(struct task *task, struct lfp_credit *page)
{
	struct found found = {0};

	take_all(task, page, 0, &found);
	return found.waiting;
}

/* Returns the process whose socket @vs is, or NULL if that has ended. */
static struct task *owner_of(const struct instance *inst, const struct vsock *vs)
{
	struct task *task;

	if (vs->task_slot >= inst->tasks->nr_slots)
		return NULL;
	task = inst->tasks->slots[vs->task_slot];
	return task && task->number == vs->task && !task->key ? task : NULL;
}

static struct found take_of(const struct instance *inst, const struct vsock *vs)
{
	struct task *task = owner_of(inst, vs);
	struct found found = {0};

	for (int i = 0; task && i < CREDIT_FAMILIES; i++)
		if (task->pages[i])
			take_all(task, task->pages[i], vs->near[0].id.cookie, &found);
	return found;
}

unsigned int posts_take(struct instance *inst, struct vsock *vs)
{
	return take_of(inst, vs).posts;
}

int posts_take_first(struct instance *inst, struct vsock *vs)
{
	return take_of(inst, vs).own;
}

static bool has_page(const struct task *task)
{
	return task->pages[0] || task->pages[1];
}

uint64_t posts_cookie(const struct task *task, const struct vsock *vs)
{
	uint64_t cookie = vs->near[0].id.cookie;

	if (!task || task->key || vs->task != task->number || vs->is_datagram ||
	    !task->inst->near->unique_cookies || cookie >= LFP_POST_COOKIES || !has_page(task))
		return 0;
	return cookie;
}

int32_t posts_owner(const struct instance *inst, const struct vsock *vs)
{
	const struct task *task = owner_of(inst, vs);

	return task && task->pid > 0 && has_page(task) ? task->pid : 0;
}
