/* SPDX-License-Identifier: Apache-2.0 */
/* credit.c - spare sockets of lfpd, for near ends that programs make themselves */
#include "ijblfp/ctl/credit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/again.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/calls.h"
#include "ijblfp/ctl/credit-page.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/posts.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/addr.h"
#include "lfp/ctl.h"

#define LOOK_MS         1000u /* between two looks at unused spare sockets */
#define LOOKS_FOR_ALL   5u    /* without use, after which a promise ends */
#define CALLS_FOR_MORE  3u    /* so many calls of socket() between two looks earn more */
#define SHORT_MS        1000u /* without new spare sockets after lfpd has refused a socket */
#define PART_OF_NUMBERS 16u   /* spare sockets take at most this part of the descriptors */

struct credit {
	struct lfp_credit *page; /* shared with the program: untrusted. NULL until sealed */
	struct lfp_credit *next; /* not yet mapped by the program: not to be touched */
	int file;                /* of `next`, or -1 */
	uint32_t series;         /* of promises (lfp/ctl.h) */
	int family;              /* AF_INET or AF_INET6 */
	struct lfp_list spares;  /* struct vsock, by place */
	unsigned int asked;      /* spare sockets that lfpd was asked for, unanswered, */
	unsigned int stale;      /* of which so many are to be closed at once */
	/* Since the last look (on_timer()): */
	unsigned int calls;  /* calls of socket() */
	bool used;           /* a fresh socket was adopted */
	unsigned int idle;   /* looks without either */
	uint64_t not_before; /* no new spare sockets until then; ms of the loop's clock */
};

static struct credit **place_of(struct task *task, int family)
{
	return &task->credits[family == AF_INET6];
}

static unsigned int count(const struct lfp_list *list)
{
	unsigned int nr = 0;

	for (const struct lfp_list *at = list->next; at != list; at = at->next)
		nr++;
	return nr;
}

static void add_left(struct credit *credit, uint32_t nr)
{
	if (nr && credit->page)
		__atomic_fetch_add(&credit->page->left, nr, __ATOMIC_RELEASE);
}

/* Takes back the unused credit. Returns its amount, at most the number of spare sockets. */
static unsigned int take_back(struct credit *credit)
{
	unsigned int nr = count(&credit->spares);
	uint32_t left;

	if (!credit->page)
		return 0;
	left = LFP_CREDIT_LEFT(__atomic_exchange_n(
		&credit->page->left, credit->series << LFP_CREDIT_SERIES, __ATOMIC_ACQ_REL));
	return left < nr ? left : nr;
}

/* Takes back all credit, including that of fresh sockets: closing one no longer returns its
 * credit. */
static void end_series(struct credit *credit)
{
	credit->series++;
	(void)take_back(credit);
}

static void close_spares(struct instance *inst, struct credit *credit, unsigned int nr)
{
	for (; nr && !lfp_list_empty(&credit->spares); nr--)
		end_close(inst, lfp_list_entry(credit->spares.next, struct vsock, place), false);
}

static void close_all(struct task *task)
{
	for (int i = 0; i < CREDIT_FAMILIES; i++) {
		struct credit *credit = task->credits[i];

		if (!credit)
			continue;
		if (credit->page)
			(void)posts_take_from(task, credit->page);
		(void)take_back(credit);
		close_spares(task->inst, credit, UINT_MAX);
	}
}

static void revoke_all(struct task *task)
{
	for (int i = 0; i < CREDIT_FAMILIES; i++) {
		if (!task->credits[i])
			continue;
		end_series(task->credits[i]);
		task->credits[i]->asked = 0;
	}
}

static void unmap(struct lfp_credit *page)
{
	if (page)
		munmap(page, LFP_CREDIT_SIZE);
}

/* Closes the file of a page that is in use, or that the program has not mapped. */
static void drop_file(struct credit *credit)
{
	if (credit->file >= 0)
		close(credit->file);
	credit->file = -1;
}

static void free_one(struct credit *credit)
{
	end_series(credit);
	while (!lfp_list_empty(&credit->spares))
		lfp_list_del(credit->spares.next);
	drop_file(credit);
	unmap(credit->next);
	unmap(credit->page);
	free(credit);
}

static void free_all(struct task *task)
{
	for (int i = 0; i < CREDIT_FAMILIES; i++) {
		if (task->credits[i])
			free_one(task->credits[i]);
		task->credits[i] = NULL;
		task->pages[i] = NULL;
	}
}

const struct task_watch credit_watch = {
	.ends = close_all,
	.is_unknown = revoke_all,
	.frees = free_all,
};

struct vsock *credit_take(struct task *task, int family)
{
	struct credit *credit = *place_of(task, family);

	if (!credit || lfp_list_empty(&credit->spares))
		return NULL;
	credit->used = true;
	return lfp_list_entry(credit->spares.next, struct vsock, place);
}

/* Returns the credit for which the socket was made, or NULL if the task has ended. */
static struct credit *credit_of(struct instance *inst, const struct vsock *vs)
{
	if (owner_has_ended(inst, vs))
		return NULL;
	return *place_of(inst->tasks->slots[vs->task_slot],
			 vs->family == LFP_AF_INET6 ? AF_INET6 : AF_INET);
}

static void on_timer(uv_timer_t *timer);

static void start_timer(struct instance *inst)
{
	if (!uv_is_active((uv_handle_t *)&inst->ctl->credits))
		uv_timer_start(&inst->ctl->credits, on_timer, LOOK_MS, LOOK_MS);
}

static void on_spare(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	struct credit *credit = vs ? credit_of(inst, vs) : NULL;

	bool stale = credit && credit->stale;

	if (credit && credit->asked)
		credit->asked--;
	if (stale)
		credit->stale--;
	if (!reply || reply->status) {
		if (vs)
			vsock_destroy(inst->socks, vs);
		if (credit)
			credit->not_before = uv_now(inst->loop) + SHORT_MS;
	} else if (vs && credit && !stale && uv_now(inst->loop) >= inst->tasks->no_credit_before) {
		vsock_set_state(inst->socks, vs, VSOCK_SPARE);
		lfp_list_append(&credit->spares, &vs->place);
		add_left(credit, 1);
		start_timer(inst);
	} else if (vs) {
		end_close(inst, vs, false);
	}
}

/* Returns false if no more can be asked for now. */
static bool ask_for_one(struct task *task, struct credit *credit)
{
	struct instance *inst = task->inst;
	struct vsock *vs = vsock_create(inst->socks, 0);
	struct lfp_frame frame = {
		.code = LFP_SOCKET,
		.task = task->number,
		.socket = {.family = (uint16_t)lfp_family_from(credit->family),
			   .kind = LFP_KIND_SPARE},
	};
	int error;

	if (!vs)
		return false;
	vs->family = frame.socket.family;
	vs->kind = SOCK_STREAM;
	owner_set(vs, task);
	frame.sock = vs->id;
	if (!request_send(inst, &frame, on_spare, &error)) {
		vsock_destroy(inst->socks, vs);
		return false;
	}
	credit->asked++;
	return true;
}

static bool may_ask(const struct instance *inst, const struct credit *credit)
{
	return count(&credit->spares) + credit->asked < inst->config.st.near_credit &&
	       inst->socks->by_state[VSOCK_SPARE] < inst->descriptors->limit / PART_OF_NUMBERS;
}

/* Closes the unused spare sockets of a program if none was used since the last look. After
 * LOOKS_FOR_ALL idle looks, also closes those promised to fresh sockets, because no event reports
 * that a program has closed a fresh socket. */
static void look_at(struct instance *inst, struct credit *credit)
{
	unsigned int unused = credit->used ? 0 : take_back(credit);

	credit->idle = credit->used || credit->calls ? 0 : credit->idle + 1;
	if (credit->idle >= LOOKS_FOR_ALL) {
		end_series(credit);
		unused = UINT_MAX;
	}
	close_spares(inst, credit, unused);
	credit->used = false;
	credit->calls = 0;
}

/* Calls @fn for each credit. */
static void each_credit(struct instance *inst,
			void (*fn)(struct instance *inst, struct credit *credit))
{
	struct tasks *tasks = inst->tasks;

	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		for (int j = 0; tasks->slots[i] && j < CREDIT_FAMILIES; j++)
			if (tasks->slots[i]->credits[j])
				fn(inst, tasks->slots[i]->credits[j]);
}

static void on_timer(uv_timer_t *timer)
{
	struct instance *inst = timer->data;

	each_credit(inst, look_at);
	if (!inst->socks->by_state[VSOCK_SPARE])
		uv_timer_stop(timer);
}

void credit_fill(struct task *task, int family)
{
	struct instance *inst = task->inst;
	struct credit *credit = *place_of(task, family);

	if (!credit || !credit->page || task->ended || task->state != TASK_ACTIVE ||
	    !link_is_up(inst->link) || inst->draining ||
	    uv_now(inst->loop) < inst->tasks->no_credit_before ||
	    uv_now(inst->loop) < credit->not_before)
		return;
	while (may_ask(inst, credit) && ask_for_one(task, credit))
		;
	start_timer(inst);
}

/* Gives the program the credit that it has lost count of. */
static void settle(struct credit *credit)
{
	uint32_t used, live, nr;

	nr = count(&credit->spares);
	used = LFP_CREDIT_LEFT(__atomic_load_n(&credit->page->left, __ATOMIC_ACQUIRE));
	live = __atomic_load_n(&credit->page->live, __ATOMIC_ACQUIRE);
	if (used < nr && live < nr - used)
		add_left(credit, nr - used - live);
}

void credit_renew(struct task *task)
{
	close_all(task);
	for (int i = 0; i < CREDIT_FAMILIES; i++)
		if (task->credits[i])
			task->credits[i]->stale = task->credits[i]->asked;
}

void credit_on_call(struct task *task, int family)
{
	struct credit *credit = *place_of(task, family);

	if (!credit || !credit->page)
		return;
	settle(credit);
	if (++credit->calls >= CALLS_FOR_MORE)
		credit_fill(task, family);
}

static void close_unused(struct instance *inst, struct credit *credit)
{
	close_spares(inst, credit, take_back(credit));
}

/* Takes back all unused credit and closes its spare sockets. */
static void close_all_unused(struct instance *inst)
{
	inst->tasks->no_credit_before = uv_now(inst->loop) + SHORT_MS;
	each_credit(inst, close_unused);
}

/* The same, for the tasks of one user. */
static void close_unused_of(struct instance *inst, uint32_t uid)
{
	struct tasks *tasks = inst->tasks;

	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		for (int j = 0; tasks->slots[i] && j < CREDIT_FAMILIES; j++) {
			struct credit *credit = tasks->slots[i]->credits[j];

			if (!credit || tasks->slots[i]->uid != uid)
				continue;
			credit->not_before = uv_now(inst->loop) + SHORT_MS;
			close_unused(inst, credit);
		}
}

bool credit_try(struct instance *inst, struct request *request, int *error)
{
	const struct vsock *vs = vsock_find(inst->socks, request->sock);
	bool own = *error == EDQUOT;

	if (own)
		*error = ENFILE;
	if (own && vs && !request->again)
		close_unused_of(inst, vs->uid);
	else if ((*error == ENFILE || *error == EMFILE) && !request->again)
		close_all_unused(inst);
	return again_try(inst, request, *error);
}

/* Makes the page that the program has to map. Returns 0 or a negative errno. */
static int make_page(struct instance *inst, struct credit *credit)
{
	int rc;

	drop_file(credit);
	unmap(credit->next);
	credit->next = NULL;
	credit->file = credit_page_make(&credit->next);
	if (credit->file < 0)
		return credit->file;
	rc = descriptors_check_full(inst, credit->file);
	if (rc)
		drop_file(credit);
	return rc;
}

/* Starts to use the page that the program has mapped. It replaces an earlier page that the process
 * has lost. Spare sockets that were promised to fresh sockets stay theirs. */
static int begin_page(struct task *task, struct credit *credit)
{
	unsigned int unused;
	int rc = credit->file < 0 ? -EINVAL : credit_page_seal(credit->file);

	drop_file(credit);
	/* Posts that wait for memory would go with the page. */
	if (!rc && credit->page)
		rc = posts_take_from(task, credit->page);
	if (rc)
		return rc;
	unused = take_back(credit);
	unmap(credit->page);
	credit->page = credit->next;
	credit->next = NULL;
	task->pages[credit->family == AF_INET6] = credit->page;
	/* Posts name sockets by their cookies. */
	__atomic_store_n(&credit->page->takes_posts, task->inst->near->unique_cookies,
			 __ATOMIC_RELEASE);
	/* The same series: earlier fresh sockets count on their spare sockets. */
	(void)take_back(credit);
	add_left(credit, unused);
	return 0;
}

/* Returns the credit of the task, made in the first call; NULL without memory. */
static struct credit *open_credit(struct task *task, int family)
{
	struct credit **place = place_of(task, family);

	if (*place)
		return *place;
	*place = calloc(1, sizeof(**place));
	if (!*place)
		return NULL;
	(*place)->family = family;
	(*place)->file = -1;
	/* An earlier run of the instance may have made promises to the same process. */
	(*place)->series = (uint32_t)uv_hrtime();
	lfp_list_init(&(*place)->spares);
	return *place;
}

void credit_call(struct call *call)
{
	struct instance *inst = call->inst;
	struct task *task = call->conn->task;
	int family = call->request->a, rc;
	struct credit *credit;

	if (family != AF_INET && family != AF_INET6) {
		ctl_fail(call->conn, EAFNOSUPPORT);
		return;
	}
	if (!inst->config.st.near_credit || !inst->near->keeps_marks || task->key || task->spoken) {
		ctl_fail(call->conn, EOPNOTSUPP);
		return;
	}
	credit = open_credit(task, family);
	rc = !credit            ? -ENOMEM
	     : call->request->b ? begin_page(task, credit)
				: make_page(inst, credit);
	if (rc) {
		ctl_fail(call->conn, -descriptors_lack(call->inst, rc));
		return;
	}
	if (!call->request->b) {
		(void)ctl_answer(call->conn, 0, 0, NULL, 0, credit->file);
		return;
	}
	ctl_reply(call->conn, 0);
	if (call->request->c == LFP_CTL_FOR_POSTS)
		return;
	credit->used = true;
	credit_fill(task, family);
}

void credits_init(struct instance *inst)
{
	uv_timer_init(inst->loop, &inst->ctl->credits);
	inst->ctl->credits.data = inst;
	handle_open(inst);
}

void credits_finish(struct instance *inst)
{
	uv_timer_stop(&inst->ctl->credits);
	handle_close(inst, (uv_handle_t *)&inst->ctl->credits);
}
