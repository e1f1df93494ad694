/* SPDX-License-Identifier: Apache-2.0 */
/* give.c - sockets that one task gives and another takes */
#include "ijblfp/ctl/give.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/addr.h"

/*
 * Theory of operation
 *
 * GIVE, not TAKE, moves the socket to another near end at once (give-move.c): from then on the
 * giver cannot use the socket through its descriptor, with the library or without. TAKE hands out
 * that near end and closes the far end of the giver's, which ends the giver's select().
 *
 * DROP reports that the giver has closed its descriptor. Without a DROP the timer finds that out.
 * It checks twice: the kernel closes the descriptors of a process before its end is known, and a
 * socket whose giver has ended must stay.
 */

#define LOOK_MS   1000u
#define FOUR_DAYS (4u * 24u * 3600u) /* seconds, as on z/OS */

static void on_timer(uv_timer_t *timer);

/* Ends the gift: the socket is closed or has lost its connection, and cannot be taken any more. */
static void drop(struct vsock *vs)
{
	struct given *given = vs->given;

	if (!given)
		return;
	vs->given = NULL;
	lfp_list_del(&given->place);
	/* The giver's select() waits for this. */
	close(given->far);
	free(given);
}

void gives_init(struct instance *inst)
{
	lfp_list_init(&inst->gives->all);
	inst->socks->on_drop = drop;
	uv_timer_init(inst->loop, &inst->gives->timer);
	inst->gives->timer.data = inst;
	handle_open(inst);
}

void gives_finish(struct instance *inst)
{
	uv_timer_stop(&inst->gives->timer);
	handle_close(inst, (uv_handle_t *)&inst->gives->timer);
}

static bool is_blank(const char text[static LFP_CTL_CLIENT])
{
	for (size_t i = 0; i < LFP_CTL_CLIENT; i++)
		if (text[i] != ' ' && text[i])
			return false;
	return true;
}

static bool same(const char a[static LFP_CTL_CLIENT], const char b[static LFP_CTL_CLIENT])
{
	return !memcmp(a, b, LFP_CTL_CLIENT);
}

static void fill(char to[static LFP_CTL_CLIENT], const char *text)
{
	size_t len = strlen(text);

	memset(to, ' ', LFP_CTL_CLIENT);
	memcpy(to, text, len < LFP_CTL_CLIENT ? len : LFP_CTL_CLIENT);
}

/* Returns a task's client id. CICS-style tasks are in the address space of their process. */
static void name_task(struct instance *inst, const struct task *task, struct lfp_ctl_client *client)
{
	const struct task *process = ijblfp_task_find(inst->tasks, task->pid);
	char id[9], text[9];

	*client = task->client;
	if (task->key && process)
		memcpy(client->name, process->client.name, LFP_CTL_CLIENT);
	if (is_blank(client->name)) {
		task_id_text(task->partition, id, text);
		fill(client->name, text);
	}
	if (is_blank(client->task)) {
		snprintf(text, sizeof(text), "%08X", task->number);
		fill(client->task, text);
	}
}

/* Decodes the client id of a request. Returns false if the request has no client id. */
static bool take_client(const struct lfp_ctl_request *request, struct lfp_ctl_client *client)
{
	if (request->len != sizeof(*client))
		return false;
	memcpy(client, request->data, sizeof(*client));
	return client->family == AF_INET || client->family == AF_INET6;
}

/* Returns true if another task has this client id. */
static bool name_is_taken(struct instance *inst, const struct task *task,
			  const struct lfp_ctl_client *want)
{
	struct tasks *tasks = inst->tasks;
	struct lfp_ctl_client own, other;

	name_task(inst, task, &own);
	if (!is_blank(want->name))
		memcpy(own.name, want->name, LFP_CTL_CLIENT);
	if (!is_blank(want->task))
		memcpy(own.task, want->task, LFP_CTL_CLIENT);
	for (uint32_t i = 0; i < tasks->nr_slots; i++) {
		if (!tasks->slots[i] || tasks->slots[i] == task)
			continue;
		name_task(inst, tasks->slots[i], &other);
		if (same(own.name, other.name) && same(own.task, other.task))
			return true;
	}
	return false;
}

void give_clientid(struct call *call)
{
	struct task *task = call->conn->task, *process;
	struct lfp_ctl_client client;

	if (!take_client(call->request, &client)) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	if (name_is_taken(call->inst, task, &client)) {
		ctl_fail(call->conn, EEXIST);
		return;
	}
	process = task->key ? ijblfp_task_find(call->inst->tasks, task->pid) : task;
	if (process && !is_blank(client.name))
		memcpy(process->client.name, client.name, LFP_CTL_CLIENT);
	if (!is_blank(client.task))
		memcpy(task->client.task, client.task, LFP_CTL_CLIENT);
	task->client.family = client.family;
	name_task(call->inst, task, &client);
	ctl_answer(call->conn, 0, 0, &client, sizeof(client), -1);
}

static void remember(struct instance *inst, const struct given *given)
{
	struct give_past *past = &inst->gives->past[inst->gives->nr_past++ % GIVE_PAST];

	past->giver = given->giver;
	past->task = given->task;
	past->number = given->number;
}

/* Returns true if @task, whose client id is @giver, gave the socket @number lately. @task is NULL
 * if no task has that client id any more. */
static bool was_given(const struct gives *gives, const struct lfp_ctl_client *giver,
		      const struct task *task, int32_t number)
{
	unsigned int nr = gives->nr_past < GIVE_PAST ? gives->nr_past : GIVE_PAST;

	for (unsigned int i = 0; i < nr; i++)
		if (same(gives->past[i].giver.name, giver->name) &&
		    same(gives->past[i].giver.task, giver->task) &&
		    (!task || gives->past[i].task == task->number) &&
		    gives->past[i].number == number)
			return true;
	return false;
}

/* Returns the reason why the call's socket cannot be given: 0 or a positive errno. */
static int check(const struct call *call, const struct lfp_ctl_client *to)
{
	const struct vsock *vs = call->vs;

	if (vs->is_datagram)
		return EOPNOTSUPP;
	if (vs->state == VSOCK_LISTENING)
		return EBUSY;
	if (vs->state != VSOCK_ESTABLISHED)
		return ENOTCONN;
	return lfp_family_from(to->family) == (int)vs->family ? 0 : EBADF;
}

void give_give(struct call *call)
{
	struct instance *inst = call->inst;
	const struct lfp_ctl_request *r = call->request;
	const struct task *task = call->conn->task;
	uint64_t wait = r->b > 0 && (uint32_t)r->b < FOUR_DAYS ? (uint32_t)r->b : FOUR_DAYS;
	struct vsock *vs = call->vs;
	struct given *given;
	int error = EINVAL;

	given = calloc(1, sizeof(*given));
	if (!given) {
		ctl_fail(call->conn, ENOMEM);
		return;
	}
	if (take_client(r, &given->to) && r->a >= 0 && r->b >= 0)
		error = check(call, &given->to);
	/* It keeps its peer, so only a path shows its close. */
	if (!error) {
		vsock_give_path(inst->near, vs, call->conn->passed);
		error = vs->near[0].id.living ? ENOBUFS : 0;
	}
	given->vs = vs;
	given->near = vs->near[0].id;
	if (!error)
		error = -give_move(inst, vs, call->conn->passed, &given->far);
	if (error) {
		free(given);
		ctl_fail(call->conn, error);
		return;
	}
	given->number = r->a;
	name_task(inst, task, &given->giver);
	given->giver.family = given->to.family;
	given->uid = task->uid;
	given->task = task->number;
	given->pid = task->pid;
	given->until = uv_now(inst->loop) + wait * 1000;
	lfp_list_init(&given->place);
	lfp_list_append(&inst->gives->all, &given->place);
	vs->given = given;
	if (!uv_is_active((uv_handle_t *)&inst->gives->timer))
		uv_timer_start(&inst->gives->timer, on_timer, LOOK_MS, LOOK_MS);
	ctl_reply(call->conn, 0);
}

static struct given *find(struct gives *gives, const struct lfp_ctl_client *giver, int32_t number)
{
	struct given *given;

	lfp_list_each(given, &gives->all, place)
		if (given->number == number && same(given->giver.name, giver->name) &&
		    same(given->giver.task, giver->task))
			return given;
	return NULL;
}

static const struct task *named(struct instance *inst, const struct lfp_ctl_client *client)
{
	struct tasks *tasks = inst->tasks;
	struct lfp_ctl_client other;

	for (uint32_t i = 0; i < tasks->nr_slots; i++) {
		if (!tasks->slots[i])
			continue;
		name_task(inst, tasks->slots[i], &other);
		if (same(client->name, other.name) && same(client->task, other.task))
			return tasks->slots[i];
	}
	return NULL;
}

/* Checks whether @task may take the socket as a gift of @giver. Blanks in the giver's statement
 * match any name; blanks in the taker's do not. */
static bool may_take(const struct given *given, const struct task *task,
		     const struct lfp_ctl_client *taker, const struct lfp_ctl_client *giver)
{
	if (given->giver.family != giver->family)
		return false;
	if (given->uid != task->uid && given->uid != 0 && task->uid != 0)
		return false;
	if (!is_blank(given->to.name) && !same(given->to.name, taker->name))
		return false;
	return is_blank(given->to.task) || same(given->to.task, taker->task);
}

void give_take(struct call *call)
{
	struct instance *inst = call->inst;
	const struct task *task = call->conn->task;
	struct lfp_frame frame = {.code = LFP_TAKEN};
	struct lfp_ctl_client giver, taker;
	struct given *given;
	struct vsock *vs;

	if (!take_client(call->request, &giver)) {
		ctl_fail(call->conn, EPFNOSUPPORT);
		return;
	}
	given = find(inst->gives, &giver, call->request->a);
	if (!given) {
		const struct task *of = named(inst, &giver);
		bool taken = was_given(inst->gives, &giver, of, call->request->a);

		ctl_fail(call->conn, taken ? EBADF : of ? EACCES : EINVAL);
		return;
	}
	name_task(inst, task, &taker);
	if (!may_take(given, task, &taker, &giver)) {
		ctl_fail(call->conn, EACCES);
		return;
	}
	vs = given->vs;
	remember(inst, given);
	drop(vs);
	owner_set(vs, task);
	frame.task = task->number;
	frame.sock = vs->id;
	(void)link_send(inst, &frame);
	/* If the descriptor does not arrive, no program has it, and this copy closes the socket. */
	ctl_answer(call->conn, 0, 0, NULL, 0, vs->copy);
	close(vs->copy);
	vs->copy = -1;
}

/* Finds the gift by the giver's descriptor, if it can still be taken. Returns 0, or EBADF if the
 * task has never given that descriptor. */
static int find_given(struct call *call, struct given **out)
{
	struct gives *gives = call->inst->gives;
	struct given *given;
	struct near_id near;
	bool now;

	*out = NULL;
	if (call->conn->passed < 0 || near_identify(call->inst->near, call->conn->passed, &near))
		return EBADF;
	lfp_list_each(given, &gives->all, place) {
		if (given->near.name != near.name || given->near.cookie != near.cookie)
			continue;
		*out = given;
		call->conn->known = true;
		/* The same as owner_check() does for sockets that are not given. */
		return !given->vs->isolated || (call->conn->task->number == given->task) ? 0
											 : EBADF;
	}
	return vsock_find_near(call->inst->socks, &near, &now) && now ? EBADF : 0;
}

void give_taken(struct call *call)
{
	struct given *given;
	int error = find_given(call, &given);

	ctl_answer(call->conn, error, !given, NULL, 0, -1);
}

void give_drop_call(struct call *call)
{
	struct given *given;
	int error = find_given(call, &given);

	if (!error && given) {
		remember(call->inst, given);
		end_close(call->inst, given->vs, true);
	}
	ctl_reply(call->conn, error);
}

static bool giver_lives(struct instance *inst, const struct given *given)
{
	const struct task *task = task_find_number(inst->tasks, given->task);

	return task && !task->ended;
}

static void on_timer(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct lfp_list *all = &inst->gives->all;
	struct given *given, *next;

	for (given = lfp_list_first_entry(all, struct given, place); given; given = next) {
		bool unheld = near_names_is_gone(&inst->near->names, given->near.name) &&
			      giver_lives(inst, given);

		next = lfp_list_next_entry(all, given, place);
		if ((unheld && given->unheld) || given->until <= uv_now(inst->loop)) {
			remember(inst, given);
			end_close(inst, given->vs, true);
			continue;
		}
		given->unheld = unheld;
	}
	if (lfp_list_empty(&inst->gives->all))
		uv_timer_stop(timer);
}
