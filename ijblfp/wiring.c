/* SPDX-License-Identifier: Apache-2.0 */
/* wiring.c - a resident LFP instance: its parts are made, joined and ended */
#include "ijblfp/wiring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/again.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/give.h"
#include "ijblfp/ctl/guard.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/posts.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/grave.h"
#include "ijblfp/near/near-arrivals.h"
#include "ijblfp/near/near-datagram.h"
#include "ijblfp/near/near.h"
#include "ijblfp/oper/netstat.h"
#include "ijblfp/oper/op.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/peek.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/watch.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "transport/passed.h"

#define DRAIN_MS 20

static int say_cannot(const struct instance *inst, const char *what, int error)
{
	lfp_msg("VLFB012E", "Instance %s cannot create %s: %s.", inst->config.st.id, what,
		lfp_place_strerror(error));
	return error;
}

/* Takes a directory that is there already. Another user that owns the one above may have made a
 * link of it. Returns 0 or a negative errno. */
static int take_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (st.st_uid != geteuid())
		rc = -EPERM;
	else if (fchmod(fd, 0700))
		rc = -errno;
	close(fd);
	return rc;
}

/* The directory with the private listener, which only this user may enter. */
static int make_private(const struct instance *inst, char path[static LFP_PLACE_MAX])
{
	int rc = lfp_place_vse(path, inst->config.st.id, "private");

	if (!rc && mkdir(path, 0700))
		rc = errno == EEXIST ? take_directory(path) : -errno;
	return rc ? say_cannot(inst, path, rc) : 0;
}

static void remove_private(const struct instance *inst)
{
	char path[LFP_PLACE_MAX];

	if (!lfp_place_vse(path, inst->config.st.id, "private"))
		rmdir(path);
}

static int make_near(struct instance *inst)
{
	char dir[LFP_PLACE_MAX];
	const char *fact;
	int rc = make_private(inst, dir);

	if (rc)
		return rc;
	rc = near_maker_init(inst->near, inst->config.st.id, dir, inst->config.st.window_size,
			     inst->config.network);
	if (rc)
		return say_cannot(inst, dir, rc);
	fact = near_self_test(inst->near);
	if (!fact)
		fact = near_datagram_self_test(inst->near);
	near_network_started(inst->config.network);
	if (fact) {
		lfp_msg("VLFB013E",
			"Instance %s cannot run on this kernel, because it lacks this property: "
			"%s.",
			inst->config.st.id, fact);
		return -ENOSYS;
	}
	return 0;
}

static void stop_now(struct instance *inst)
{
	inst->config.on_stop(inst->config.data);
}

static int make_servers(struct instance *inst)
{
	static const struct op_ops ops = {.stop = instance_drain, .stop_now = stop_now};
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, inst->config.st.id, "ctl");

	if (!rc)
		rc = ctl_server_init(inst, path);
	if (rc)
		return say_cannot(inst, path, rc);
	rc = lfp_place_vse(path, inst->config.st.id, "op");
	if (!rc)
		rc = op_server_init(inst, path, &ops);
	return rc ? say_cannot(inst, path, rc) : 0;
}

static void free_instance(struct instance *inst)
{
	void (*on_gone)(void *) = inst->config.on_gone;
	void *data = inst->config.data;

	graves_finish(inst->graves);
	vsock_table_finish(inst->socks);
	free(inst);
	if (on_gone)
		on_gone(data);
}

/* All parts of an instance. */
struct whole {
	struct instance inst; /* first member */
	struct descriptors descriptors;
	struct refusals refusals;
	struct near_maker near;
	struct vsock_table socks;
	struct graves graves;
	struct tasks tasks;
	struct link link;
	struct stream_set streams;
	struct dgram_set datagrams;
	struct gives gives;
	struct ctl_server ctl;
	struct again again;
	struct op_server op;
	struct netstat_round netstat;
	struct past_listeners past;
};

/* Lets all calls and connections that wait for descriptors or memory try again. */
static bool try_again(struct instance *inst, bool few)
{
	if (!few) {
		ctl_server_retry(inst);
		op_server_retry(inst);
	}
	listen_retry(inst);
	deliver_retry(inst);
	return !few && !inst->ctl->starved && lfp_list_empty(&inst->late);
}

static struct instance *make_whole(void)
{
	static const struct sock_watch watch = {
		.connected = guard_add,
		.accepted = guard_add_accepted,
		.ends = guard_end,
		.prime = guard_prime,
		.reads = posts_take,
		.poster = posts_owner,
		.program_of = task_program_of,
	};
	struct whole *whole = calloc(1, sizeof(*whole));
	struct instance *inst;

	if (!whole)
		return NULL;
	inst = &whole->inst;
	inst->all_closed = free_instance;
	inst->descriptors = &whole->descriptors;
	inst->refusals = &whole->refusals;
	inst->near = &whole->near;
	inst->socks = &whole->socks;
	inst->graves = &whole->graves;
	inst->tasks = &whole->tasks;
	inst->link = &whole->link;
	inst->streams = &whole->streams;
	inst->datagrams = &whole->datagrams;
	inst->watch = &watch;
	inst->gives = &whole->gives;
	inst->ctl = &whole->ctl;
	inst->again = &whole->again;
	inst->op = &whole->op;
	inst->netstat = &whole->netstat;
	inst->past = &whole->past;
	return inst;
}

struct instance *instance_create(uv_loop_t *loop, const struct instance_config *config, int *error)
{
	struct instance *inst = make_whole();

	*error = -ENOMEM;
	if (!inst)
		return NULL;
	inst->loop = loop;
	inst->config = *config;
	descriptors_init(inst, try_again);
	numbers_start();
	inst->near->listener = inst->ctl->listener = inst->op->listener = -1;
	inst->again->closed = -1;
	lfp_list_init(&inst->late);
	tasks_init(inst->tasks, owner_close_all, &credit_watch);
	vsock_table_init(inst->socks);
	if (graves_init(inst->graves))
		goto error_free;
	*error = make_near(inst);
	if (*error)
		goto error_near;
	*error = stream_set_init(inst);
	if (*error)
		goto error_near;
	near_arrivals_begin(inst);
	datagram_set_init(inst);
	gives_init(inst);
	sweep_init(inst);
	peek_init(inst);
	descriptors_start(inst);
	uv_timer_init(inst->loop, &inst->drain);
	inst->drain.data = inst;
	handle_open(inst);
	/* ijblfp_instance_stop() ends the link in any case. */
	*error = link_init(inst, &instance_link_ops);
	if (!*error)
		*error = again_init(inst);
	if (!*error)
		*error = make_servers(inst);
	if (*error) {
		/* Handles are open: libuv's close callbacks free the memory, without a call of
		 * on_gone. */
		inst->config.on_gone = NULL;
		ijblfp_instance_stop(inst);
		return NULL;
	}
	link_start(inst);
	return inst;

error_near:
	near_maker_finish(inst->near);
	remove_private(inst);
error_free:
	graves_finish(inst->graves);
	vsock_table_finish(inst->socks);
	free(inst);
	return NULL;
}

static void on_drain(uv_timer_t *timer)
{
	struct instance *inst = timer->data;

	if (tasks_living(inst->tasks) || inst->socks->by_id.count)
		return;
	uv_timer_stop(timer);
	inst->config.on_stop(inst->config.data);
}

void instance_drain(struct instance *inst)
{
	if (inst->draining || inst->stopping)
		return;
	inst->draining = true;
	lfp_msg("VLFB025I", "Instance %s ends with its last task, and starts no new tasks.",
		inst->config.st.id);
	uv_timer_start(&inst->drain, on_drain, 0, DRAIN_MS);
}

void ijblfp_instance_stop(struct instance *inst)
{
	if (inst->stopping)
		return;
	inst->stopping = true;
	op_server_finish(inst);
	link_finish(inst, "the LFP instance ends");
	end_all(inst); /* all calls that wait for a connection have their answer */
	ctl_server_finish(inst);
	tasks_finish(inst->tasks);
	datagram_set_finish(inst);
	gives_finish(inst);
	stream_set_finish(inst);
	again_finish(inst);
	near_arrivals_end(inst);
	near_maker_finish(inst->near);
	remove_private(inst);
	uv_timer_stop(&inst->drain);
	handle_close(inst, (uv_handle_t *)&inst->drain);
	sweep_finish(inst);
	peek_finish(inst);
	descriptors_finish(inst);
}
