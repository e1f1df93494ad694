/* SPDX-License-Identifier: Apache-2.0 */
/* credit.c - sockets of lfpd that wait for near ends which programs make themselves */
#include "ijblfp/ctl/credit.h"

#include <errno.h>
#include <fcntl.h>
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
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/owner.h"
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
#define CALLS_FOR_MORE  3u    /* of socket() between two looks: the program makes many */
#define SHORT_MS        1000u /* without new spare sockets after lfpd has refused a socket */
#define PART_OF_NUMBERS 16u   /* spare sockets take at most this part of the descriptors */

struct credit {
	struct lfp_credit *page; /* the program has it, too: hostile */
	int family;              /* AF_INET or AF_INET6 */
	struct lfp_list spares;  /* struct vsock, by place */
	unsigned int asked;      /* SOCKET is sent for so many more */
	/* Since the last look (on_timer()): */
	unsigned int calls;  /* of socket() */
	bool used;           /* a fresh socket was adopted */
	unsigned int idle;   /* looks without either */
	uint64_t not_before; /* lfpd has refused one; ms of the loop's clock */
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
	if (nr)
		__atomic_fetch_add(&credit->page->left, nr, __ATOMIC_RELEASE);
}

/* Takes all credit that the program has not used. Returns how much, at most the spare sockets. */
static unsigned int take_back(struct credit *credit)
{
	uint32_t left = __atomic_exchange_n(&credit->page->left, 0, __ATOMIC_ACQ_REL);
	unsigned int nr = count(&credit->spares);

	return left < nr ? left : nr;
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
		(void)take_back(credit);
		close_spares(task->inst, credit, UINT_MAX);
	}
}

static void revoke_all(struct task *task)
{
	for (int i = 0; i < CREDIT_FAMILIES; i++) {
		if (!task->credits[i])
			continue;
		(void)take_back(task->credits[i]);
		task->credits[i]->asked = 0;
	}
}

static void free_one(struct credit *credit)
{
	(void)take_back(credit);
	while (!lfp_list_empty(&credit->spares))
		lfp_list_del(credit->spares.next);
	munmap(credit->page, LFP_CREDIT_SIZE);
	free(credit);
}

static void free_all(struct task *task)
{
	for (int i = 0; i < CREDIT_FAMILIES; i++) {
		if (task->credits[i])
			free_one(task->credits[i]);
		task->credits[i] = NULL;
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

	if (credit && credit->asked)
		credit->asked--;
	if (!reply || reply->status) {
		if (vs)
			vsock_destroy(inst->socks, vs);
		if (credit)
			credit->not_before = uv_now(inst->loop) + SHORT_MS;
	} else if (vs && credit && uv_now(inst->loop) >= inst->tasks->no_credit_before) {
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

/* Closes the spare sockets of a program that has not made one ahead for a while; after some time
 * also those that are promised to fresh sockets: no event tells when a program closes these. */
static void look_at(struct instance *inst, struct credit *credit)
{
	unsigned int unused = credit->used ? 0 : take_back(credit);

	credit->idle = credit->used || credit->calls ? 0 : credit->idle + 1;
	close_spares(inst, credit, credit->idle >= LOOKS_FOR_ALL ? UINT_MAX : unused);
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

	if (!credit || task->ended || task->state != TASK_ACTIVE || !link_is_up(inst->link) ||
	    inst->draining || uv_now(inst->loop) < inst->tasks->no_credit_before ||
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
	used = __atomic_load_n(&credit->page->left, __ATOMIC_ACQUIRE);
	live = __atomic_load_n(&credit->page->live, __ATOMIC_ACQUIRE);
	if (used < nr && live < nr - used)
		add_left(credit, nr - used - live);
}

void credit_on_call(struct task *task, int family)
{
	struct credit *credit = *place_of(task, family);

	if (!credit)
		return;
	settle(credit);
	if (++credit->calls >= CALLS_FOR_MORE)
		credit_fill(task, family);
}

static void close_unused(struct instance *inst, struct credit *credit)
{
	close_spares(inst, credit, take_back(credit));
}

/* Closes the spare sockets that no program counts on. */
static void close_all_unused(struct instance *inst)
{
	inst->tasks->no_credit_before = uv_now(inst->loop) + SHORT_MS;
	each_credit(inst, close_unused);
}

bool credit_try(struct instance *inst, struct request *request, int error)
{
	if ((error == ENFILE || error == EMFILE) && !request->again)
		close_all_unused(inst);
	return again_try(inst, request, error);
}

/* Makes a page that neither side can shorten. Returns its descriptor or a negative errno. */
static int make_page(struct lfp_credit **page)
{
	int fd = memfd_create("lfp-credit", MFD_CLOEXEC | MFD_ALLOW_SEALING), rc;

	if (fd < 0)
		return -errno;
	*page = MAP_FAILED;
	if (!ftruncate(fd, LFP_CREDIT_SIZE) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		*page = mmap(NULL, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*page != MAP_FAILED)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* Gives the task a page, in the place of one that its process has lost. Returns a descriptor of it
 * or a negative errno. */
static int open_credit(struct task *task, int family)
{
	struct credit **place = place_of(task, family), *credit = *place;
	struct lfp_credit *page;
	int fd = make_page(&page);

	if (fd < 0)
		return fd;
	if (!credit) {
		credit = calloc(1, sizeof(*credit));
		if (!credit) {
			munmap(page, LFP_CREDIT_SIZE);
			close(fd);
			return -ENOMEM;
		}
		credit->family = family;
		lfp_list_init(&credit->spares);
		*place = credit;
	} else {
		(void)take_back(credit);
		munmap(credit->page, LFP_CREDIT_SIZE);
	}
	credit->page = page;
	add_left(credit, count(&credit->spares));
	return fd;
}

void credit_call(struct call *call)
{
	const struct instance *inst = call->inst;
	struct task *task = call->conn->task;
	int family = call->request->a, fd;

	if (family != AF_INET && family != AF_INET6) {
		ctl_fail(call->conn, EAFNOSUPPORT);
		return;
	}
	if (!inst->config.st.near_credit || !inst->near->keeps_marks || task->key || task->spoken) {
		ctl_fail(call->conn, EOPNOTSUPP);
		return;
	}
	fd = open_credit(task, family);
	if (fd < 0) {
		ctl_fail(call->conn, -descriptors_lack(call->inst, fd));
		return;
	}
	(void)ctl_answer(call->conn, 0, 0, NULL, 0, fd);
	close(fd);
	(*place_of(task, family))->used = true;
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
