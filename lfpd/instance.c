/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - the start and the end of an lfpd instance */
#include "lfpd/instance.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/interface.h"
#include "lfp/log.h"
#include "lfpd/log/log.h"
#include "lfpd/names/resolver.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/policy.h"
#include "lfpd/policy/limits.h"
#include "lfpd/restart/reload.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/session/session.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/paused.h"
#include "lfpd/state/session.h"
#include "lfpd/state/stranger.h"
#include "lfpd/users/meter.h"
#include "lfpd/users/share.h"
#include "lfpd/watch/admin.h"
#include "lfpd/watch/history.h"
#include "lfpd/watch/metrics.h"
#include "lfpd/watch/trace.h"

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	session_create(listener->data, conn);
}

static void on_pause(struct transport_listener *listener, int error)
{
	struct instance *inst = listener->data;

	if (error)
		lfp_msg("VLFD106W", "Instance %s cannot accept a path: %s. It tries again.",
			inst->config.iucv_src_appname, strerror(error < 0 ? -error : error));
	else
		lfp_msg("VLFD107I", "Instance %s accepts paths again.",
			inst->config.iucv_src_appname);
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	struct instance *inst = listener->data;
	char more[LFP_RATELIMIT_TEXT];

	inst->counters.paths_refused++;
	if (stranger_is_told(inst, more))
		lfp_msg("VLFD128W", "Instance %s refused a path from %s%s.",
			inst->config.iucv_src_appname, why, more);
}

static int listen_for_path(struct instance *inst)
{
	char place[LFP_PLACE_MAX], why[TRANSPORT_WHY] = "";
	const struct transport *transport = transport_chosen(&inst->config.transport);
	struct transport_where where = {
		.path = place,
		.name = inst->config.iucv_src_appname,
		.msglimit = inst->config.iucv_msglimit,
		.mtu = inst->config.mtu_size,
		.settings = inst->config.transport,
		.why = why,
	};
	int rc = lfp_place_lfpd(place, inst->config.iucv_src_appname, "path");

	if (!rc)
		rc = transport->listen(inst->loop, &where, &inst->listener);
	if (rc) {
		lfp_msg("VLFD010E", "Instance %s cannot listen for its path at %s: %s.",
			inst->config.iucv_src_appname,
			transport->listens_at ? transport->listens_at : place,
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
		lfp_msg("VLFD011E", "Instance %s cannot listen for lfpd-admin at %s: %s.",
			inst->config.iucv_src_appname, place, lfp_place_strerror(rc));
	return rc;
}

/* Sockets will be bound to VSE_HOSTID and to nothing else: does the host have it? */
static int check_hostid(const struct instance *inst)
{
	struct hostid_fault fault;
	int rc = hostid_check(&inst->config, &fault);

	if (rc == -EADDRNOTAVAIL)
		lfp_msg("VLFD012E",
			"Instance %s cannot start, because this host does not have the address %s "
			"= %s. RESTRICT_TO_HOSTID confines it to this address.",
			inst->config.iucv_src_appname, fault.key, fault.addr);
	else if (rc)
		lfp_msg("VLFD013E",
			"Instance %s cannot start, because no socket can be bound to %s = %s: %s.",
			inst->config.iucv_src_appname, fault.key, fault.addr, strerror(-rc));
	return rc;
}

static int read_rules(struct instance *inst)
{
	struct lfp_reader_error err;
	int rc = ruling_read(inst, &err);

	if (rc)
		lfp_msg("VLFD017E",
			"Instance %s cannot start, because its POLICY_FILE has an error: %s.",
			inst->config.iucv_src_appname, err.text);
	return rc;
}

/* Each socket will be bound to HOST_INTERFACE: can it? */
static int check_interface(const struct instance *inst)
{
	const char *interface = inst->config.host_interface;
	int rc = lfp_interface_try(interface);

	if (rc)
		lfp_msg("VLFD016E", "Instance %s cannot start on HOST_INTERFACE = %s: %s.",
			inst->config.iucv_src_appname, interface, lfp_interface_strerror(rc));
	return rc;
}

static int open_log(struct instance *inst)
{
	int rc = log_open(inst);

	if (rc)
		lfp_msg("VLFD018E",
			"Instance %s cannot start, because its CONNECTION_LOG = %s cannot be "
			"opened: %s.",
			inst->config.iucv_src_appname, inst->config.connection_log,
			rc == -EMEDIUMTYPE ? "it is not a regular file"
			: rc == -EPERM     ? "it belongs to another user"
			: rc == -ELOOP     ? "it is a symbolic link"
					   : strerror(-rc));
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
	reload_publish(inst);
	inst->window = lfpd_window_bytes(config);
	inst->threshold = lfpd_window_threshold_bytes(config);
	inst->wmem_max = limits_wmem_max();
	inst->rmem_max = limits_rmem_max();
	lfp_list_init(&inst->candidates);
	lfp_list_init(&inst->orphans);
	lfp_list_init(&inst->paused);
	lfp_list_init(&inst->slow_meters);
	lfp_list_init(&inst->owing);
	lfp_list_init(&inst->reloads);
	shares_init(inst);
	inst->share_freed = paused_go_on;
	inst->sock_ops = &socket_event_ops;
	inst->metrics_ops = &metrics_reload_ops;
	ruling_init(inst);

	rc = check_interface(inst);
	if (!rc)
		rc = check_hostid(inst);
	if (!rc)
		rc = read_rules(inst);
	if (rc)
		return rc;
	inst->codepage = lfp_codepage_open(config->vse_codepage);
	if (!inst->codepage) {
		rc = -errno;
		lfp_msg("VLFD014E",
			"Instance %s cannot start, because the code page %s is unavailable: %s.",
			config->iucv_src_appname, config->vse_codepage, strerror(-rc));
		goto error_rules;
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
	rc = open_log(inst);
	if (rc)
		goto error_metrics;
	history_start(inst);
	uv_timer_init(loop, &inst->tick);
	inst->tick.data = inst;
	uv_timer_init(loop, &inst->meter_timer);
	inst->meter_timer.data = inst;
	lfp_list_init(&inst->held);
	uv_timer_init(loop, &inst->held_timer);
	inst->held_timer.data = inst;
	resolver_find_host_name(inst);
	return 0;

error_metrics:
	metrics_stop(inst);
error_admin:
	admin_stop(inst->admin);
error_listener:
	inst->listener->transport->stop(inst->listener);
error_buffers:
	buffers_finish(&inst->pool);
	lfp_codepage_close(inst->codepage);
error_rules:
	ruling_finish(inst);
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
	while ((session = lfp_list_first_entry(&inst->candidates, struct session, entry)))
		session_end(session, reason);
	while ((sock = lfp_list_first_entry(&inst->orphans, struct socket, stream.entry)))
		socket_release(sock, true);
	resume_drop(inst);
	meters_finish(inst);
	history_stop(inst);
	log_close(inst);
	trace_finish(inst);
	resolver_forget_host_name(inst);
	uv_close((uv_handle_t *)&inst->tick, NULL);
	uv_close((uv_handle_t *)&inst->meter_timer, NULL);
	uv_close((uv_handle_t *)&inst->held_timer, NULL);
	buffers_finish(&inst->pool);
	lfp_codepage_close(inst->codepage);
	inst->codepage = NULL;
	ruling_finish(inst);
}
