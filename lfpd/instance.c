/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - one lfpd instance: its places, its session, what its sockets share */
#include "lfpd/state/instance.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfpd/names/resolver.h"
#include "lfpd/policy/hostid.h"
#include "lfpd/policy/limits.h"
#include "lfpd/restart/reload.h"
#include "lfpd/restart/resume.h"
#include "lfpd/sock/socket.h"
#include "lfpd/state/session.h"
#include "lfpd/users/share.h"
#include "lfpd/watch/admin.h"
#include "lfpd/watch/metrics.h"
#include "lfpd/watch/trace.h"

#define RETRY_MS   100  /* paused listeners */
#define ORPHANS_MS 1000 /* a look at the orphans */
#define QUIET_MS   1000 /* without a pause: accepting goes on */

/* --- Listeners that pause, orphans --- */

static void resume(struct socket *sock)
{
	socket_unpause(sock);
	socket_arm(sock);
}

static void drop_stuck_orphans(struct instance *inst, uint64_t now)
{
	struct socket *sock, *next;

	for (sock = TAILQ_FIRST(&inst->orphans); sock; sock = next) {
		next = TAILQ_NEXT(sock, entry);
		if (inst->rests)
			sock->progress = now; /* it may not */
		else if (now - sock->progress >= inst->config.close_timeout * UINT64_C(1000))
			socket_release(sock, true);
	}
}

static void on_tick(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	uint64_t now = uv_now(inst->loop);

	if (inst->pause_told && TAILQ_EMPTY(&inst->paused) && now - inst->last_pause >= QUIET_MS) {
		inst->pause_told = false;
		lfp_msg("VLFD103I", "Connections are accepted again.");
	}
	while (!TAILQ_EMPTY(&inst->paused))
		resume(TAILQ_FIRST(&inst->paused));
	drop_stuck_orphans(inst, now);
	if (inst->pause_told)
		uv_timer_start(timer, on_tick, RETRY_MS, 0);
	else if (!TAILQ_EMPTY(&inst->orphans))
		uv_timer_start(timer, on_tick, ORPHANS_MS, 0);
}

void instance_tick(struct instance *inst)
{
	if (!uv_is_active((uv_handle_t *)&inst->tick) && !inst->stopping)
		uv_timer_start(&inst->tick, on_tick, ORPHANS_MS, 0);
}

void instance_pause_listener(struct instance *inst, struct socket *sock, int error)
{
	sock->paused_in = &inst->paused;
	TAILQ_INSERT_TAIL(&inst->paused, sock, entry);
	inst->last_pause = uv_now(inst->loop);
	if (inst->pause_told)
		return;
	inst->pause_told = true;
	inst->counters.pauses++;
	uv_timer_start(&inst->tick, on_tick, RETRY_MS, 0);
	if (error)
		lfp_msg("VLFD101W", "Accepting connections pauses: %s.", strerror(error));
	else
		lfp_msg("VLFD102W",
			"Accepting connections pauses: all of MAX_SOCKETS (%u) are in use.",
			inst->config.max_sockets);
}

void instance_count_socket(struct instance *inst, int change)
{
	inst->nr_sockets += (unsigned int)change;
	if (change < 0 && !TAILQ_EMPTY(&inst->paused) && !inst->stopping)
		resume(TAILQ_FIRST(&inst->paused));
}

/* --- The path's listener --- */

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	session_create(listener->data, conn);
}

static void on_pause(struct transport_listener *listener, int error)
{
	struct instance *inst = listener->data;

	if (error)
		lfp_msg("VLFD106W", "Instance %s cannot take a path now and tries again: %s.",
			inst->config.iucv_src_appname, strerror(error < 0 ? -error : error));
	else
		lfp_msg("VLFD107I", "Instance %s takes paths again.",
			inst->config.iucv_src_appname);
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	struct instance *inst = listener->data;

	lfp_msg("VLFD128W", "Instance %s takes no path from %s.", inst->config.iucv_src_appname,
		why);
}

static int listen_for_path(struct instance *inst)
{
	char place[LFP_PLACE_MAX], why[TRANSPORT_WHY] = "";
	bool iucv = inst->config.transport == LFPD_TRANSPORT_IUCV;
	struct transport_where where = {
		.path = place,
		.name = inst->config.iucv_src_appname,
		.msglimit = inst->config.iucv_msglimit,
		.mtu = inst->config.mtu_size,
		.poll_us = inst->config.shm_poll,
		.device_mtu = inst->config.hs_mtu,
		.no_cq = !inst->config.hs_cq,
		.faults = inst->config.hs_faults,
		.hsuid = inst->config.iucv_hsuid,
		.why = why,
	};
	int rc = lfp_place_lfpd(place, inst->config.iucv_src_appname, "path");

	if (!rc)
		rc = transport_at(inst->config.transport)
			     ->listen(inst->loop, &where, &inst->listener);
	if (rc) {
		lfp_msg("VLFD010E", "Instance %s cannot listen for its path at %s: %s.",
			inst->config.iucv_src_appname, iucv ? "AF_IUCV" : place,
			*why ? why : lfp_place_strerror(rc));
		return rc;
	}
	/* CP or the device knows better than we what this system is called. */
	if (*inst->listener->vmid)
		memcpy(inst->vmid, inst->listener->vmid, sizeof(inst->vmid));
	inst->listener->data = inst;
	inst->listener->on_connection = on_connection;
	inst->listener->on_pause = on_pause;
	inst->listener->on_refused = on_refused;
	return 0;
}

static int listen_for_questions(struct instance *inst)
{
	char place[LFP_PLACE_MAX];
	int rc = lfp_place_lfpd(place, inst->config.iucv_src_appname, "admin");

	if (!rc)
		rc = admin_start(inst, place, &inst->admin);
	if (rc)
		lfp_msg("VLFD011E", "Instance %s cannot listen for questions at %s: %s.",
			inst->config.iucv_src_appname, place, lfp_place_strerror(rc));
	return rc;
}

/* --- Start and stop --- */

/* Sockets will be bound to VSE_HOSTID and to nothing else: does the host have it? */
static int check_hostid(const struct instance *inst)
{
	struct hostid_fault fault;
	int rc = hostid_check(&inst->config, &fault);

	if (rc == -EADDRNOTAVAIL)
		lfp_msg("VLFD012E",
			"Instance %s cannot start, because this host does not have the address "
			"%s = %s, to which RESTRICT_TO_HOSTID confines it.",
			inst->config.iucv_src_appname, fault.key, fault.addr);
	else if (rc)
		lfp_msg("VLFD013E",
			"Instance %s cannot start, because no socket can be bound to %s = %s: %s.",
			inst->config.iucv_src_appname, fault.key, fault.addr, strerror(-rc));
	return rc;
}

int instance_start(struct instance *inst, uv_loop_t *loop, const struct lfpd_config *config,
		   const char *vmid, bool foreground)
{
	int rc;

	memset(inst, 0, sizeof(*inst));
	inst->loop = loop;
	inst->config = *config;
	snprintf(inst->vmid, sizeof(inst->vmid), "%s", vmid);
	inst->foreground = foreground;
	inst->start_time = time(NULL);
	inst->admin_gid = (gid_t)-1;
	policy_init(&inst->policy, config);
	inst->window = lfpd_window_bytes(config);
	inst->threshold = lfpd_window_threshold_bytes(config);
	inst->wmem_max = limits_wmem_max();
	inst->rmem_max = limits_rmem_max();
	TAILQ_INIT(&inst->candidates);
	TAILQ_INIT(&inst->orphans);
	TAILQ_INIT(&inst->paused);
	shares_init(inst);

	rc = check_hostid(inst);
	if (rc)
		return rc;
	inst->codepage = lfp_codepage_open(config->vse_codepage);
	if (!inst->codepage) {
		rc = -errno;
		lfp_msg("VLFD014E",
			"Instance %s cannot start, because the code page %s cannot be had: %s.",
			config->iucv_src_appname, config->vse_codepage, strerror(-rc));
		return rc;
	}
	rc = buffers_init(&inst->pool, config->mtu_size, config->initial_io_bufs);
	if (rc) {
		lfp_msg("VLFD015E",
			"Instance %s cannot start, because there is no memory for %u I/O buffers.",
			config->iucv_src_appname, config->initial_io_bufs);
		goto error_buffers;
	}
	rc = listen_for_path(inst);
	if (rc)
		goto error_buffers;
	rc = listen_for_questions(inst);
	if (rc)
		goto error_listener;
	rc = reload_admin_group(inst);
	if (rc) {
		lfp_msg("VLFD027E",
			"Instance %s cannot give its admin socket to ADMIN_GROUP = %s: %s.",
			config->iucv_src_appname, config->admin_group.name, strerror(-rc));
		goto error_admin;
	}
	reload_path_mode(inst);
	rc = metrics_start(inst);
	if (rc) {
		lfp_msg("VLFD145E", "Instance %s cannot listen at METRICS_LISTEN = %s: %s.",
			config->iucv_src_appname, config->metrics_listen, strerror(-rc));
		goto error_admin;
	}
	uv_timer_init(loop, &inst->tick);
	inst->tick.data = inst;
	resolver_find_host_name(inst);
	return 0;

error_admin:
	admin_stop(inst->admin);
error_listener:
	inst->listener->transport->stop(inst->listener);
error_buffers:
	buffers_finish(&inst->pool);
	lfp_codepage_close(inst->codepage);
	return rc;
}

void instance_stop(struct instance *inst, const char *reason)
{
	struct session *session;
	struct socket *sock;

	inst->stopping = true;
	inst->listener->transport->stop(inst->listener);
	admin_stop(inst->admin);
	metrics_stop(inst);
	if (inst->session)
		session_end(inst->session, reason);
	while ((session = TAILQ_FIRST(&inst->candidates)))
		session_end(session, reason);
	while ((sock = TAILQ_FIRST(&inst->orphans)))
		socket_release(sock, true);
	resume_drop(inst);
	trace_finish(inst);
	resolver_forget_host_name(inst);
	uv_close((uv_handle_t *)&inst->tick, NULL);
	buffers_finish(&inst->pool);
	lfp_codepage_close(inst->codepage);
	inst->codepage = NULL;
}

void instance_tell_status(struct instance *inst)
{
	char text[128];

	if (!inst->on_status)
		return;
	if (inst->session)
		snprintf(text, sizeof(text), "z/VSE instance %s of %s is connected",
			 inst->session->hello.appname, inst->session->hello.vmid);
	else
		snprintf(text, sizeof(text), "z/VSE instance is not connected");
	inst->on_status(inst, text);
}
