/* SPDX-License-Identifier: Apache-2.0 */
/* admin.c - the admin socket: lfpd answers questions about itself */
#include "lfpd/watch/admin.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/admin-request.h"
#include "lfp/admin.h"
#include "lfp/endpoint.h"
#include "lfp/interface.h"
#include "lfp/log.h"
#include "lfp/netns.h"
#include "lfpd/restart/reload.h"
#include "lfpd/sock/cut.h"
#include "lfpd/state/session.h"
#include "lfpd/watch/lists.h"
#include "lfpd/watch/log-list.h"
#include "lfpd/watch/server.h"
#include "lfpd/watch/statistics.h"
#include "lfpd/watch/trace.h"
#include "transport/path.h"

struct admin {
	struct instance *instance;
	struct server *server;
	char path[LFP_PLACE_MAX];
};

static void put_config(const struct lfpd_config *config, FILE *out)
{
	size_t nr;
	const struct lfp_field *fields = lfpd_config_fields(&nr);

	for (size_t i = 0; i < nr; i++) {
		fprintf(out, "%s\t", fields[i].key);
		lfp_field_print(&fields[i], config, out);
		putc('\n', out);
	}
	fprintf(out, "window_bytes\t%u\n", lfpd_window_bytes(config));
	fprintf(out, "threshold_bytes\t%u\n", lfpd_window_threshold_bytes(config));
}

static void put_path(const struct session *session, FILE *out)
{
	const struct path_stats *stats = path_stats(session->path);
	struct transport_conn *conn = path_conn(session->path);
	struct transport_peer peer;

	conn->transport->describe(conn, &peer);
	fprintf(out, "peer_vmid\t%s\n", session->hello.vmid);
	fprintf(out, "peer_appname\t%s\n", session->hello.appname);
	fprintf(out, "peer\t%s\n", peer.text);
	fprintf(out, "transport\t%s\n", conn->transport->name);
	fprintf(out, "path_mtu\t%" PRIu32 "\n", path_mtu(session->path));
	fprintf(out, "path_msglimit\t%" PRIu32 "\n", path_msglimit(session->path));
	fprintf(out, "peer_window\t%" PRIu32 "\n", session->peer_window);
	fprintf(out, "packets_waiting\t%" PRIu32 "\n", stats->outstanding);
	fprintf(out, "packets_waiting_max\t%" PRIu32 "\n", stats->outstanding_max);
	fprintf(out, "packets_queued\t%" PRIu32 "\n", stats->queued);
	fprintf(out, "limit_waits\t%" PRIu64 "\n", stats->limit_waits);
	fprintf(out, "packets_in\t%" PRIu64 "\n", stats->packets_in);
	fprintf(out, "packets_out\t%" PRIu64 "\n", stats->packets_out);
	fprintf(out, "bytes_in\t%" PRIu64 "\n", stats->bytes_in);
	fprintf(out, "bytes_out\t%" PRIu64 "\n", stats->bytes_out);
}

/* Where the host's sockets are, if the configuration says so. */
static void put_place(const struct lfpd_config *config, FILE *out)
{
	int fd;

	if (*config->host_interface)
		fprintf(out, "host_interface\t%s (%s)\n", config->host_interface,
			lfp_interface_state(config->host_interface));
	if (!*config->host_netns)
		return;
	fd = lfp_netns_open(config->host_netns);
	fprintf(out, "host_netns\t%s (%s)\n", config->host_netns,
		fd < 0                  ? "deleted"
		: lfp_netns_is_ours(fd) ? "in use"
					: "replaced: lfpd is in an earlier one");
	if (fd >= 0)
		close(fd);
}

static void put_status(const struct instance *inst, FILE *out)
{
	char hostid[INET_ADDRSTRLEN] = "0.0.0.0";
	time_t now = time(NULL);

	if (inst->config.has_vse_hostid)
		inet_ntop(AF_INET, &inst->config.vse_hostid, hostid, sizeof(hostid));
	fprintf(out, "pid\t%ld\n", (long)getpid());
	fprintf(out, "version\t%s\n", VSELFPD_VERSION);
	fprintf(out, "uptime\t%lld\n",
		(long long)(now > inst->start_time ? now - inst->start_time : 0));
	fprintf(out, "foreground\t%s\n", inst->foreground ? "yes" : "no");
	fprintf(out, "vmid\t%s\n", inst->vmid);
	fprintf(out, "connected\t%s\n", inst->session ? "yes" : "no");
	if (reload_is_under_way(inst))
		fputs("reload\tunder way\n", out);
	fprintf(out, "hostid\t%s\n", hostid);
	fprintf(out, "hostname\t%s\n", inst->host_name);
	put_place(&inst->config, out);
	fprintf(out, "io_buffers\t%zu\n", inst->pool.allocated);
	fprintf(out, "io_buffers_used\t%zu\n", inst->pool.in_use);
	fprintf(out, "tasks\t%zu\n", inst->session ? inst->session->tasks.count : 0);
	fprintf(out, "sockets\t%u\n", inst->nr_sockets);
	if (inst->session)
		put_path(inst->session, out);
	trace_answer(inst, out);
	put_config(&inst->config, out);
}

/* A client that has asked for a reload. */
struct asked {
	struct instance *instance;
	struct server_client *client; /* NULL: it is gone */
	bool cut;
};

static void forget_client(void *state)
{
	struct asked *asked = state;

	asked->client = NULL;
}

/* Returns the answer with the number of sockets that have ended, or NULL without memory. */
static char *add_cut(char *text, size_t *len, unsigned int nr)
{
	const size_t more = 32;
	char *longer = realloc(text, *len + more);

	if (!longer) {
		free(text);
		return NULL;
	}
	*len += (size_t)snprintf(longer + *len, more, "cut\t%u\n", nr);
	return longer;
}

static void on_reloaded(void *data, int rc, char *text, size_t len)
{
	struct asked *asked = data;
	unsigned int nr = asked->cut && !rc ? cut_forbidden(asked->instance) : 0;

	if (asked->cut && !rc && text)
		text = add_cut(text, &len, nr);
	if (asked->client)
		server_say(asked->client, text, len);
	else
		free(text);
	free(asked);
}

/* Returns 0, or -ENOMEM with nothing begun. */
static int begin_reload(struct instance *inst, struct server_client *client, bool cut, FILE *out)
{
	struct asked *asked;
	int rc;

	if (reload_is_full(inst)) {
		fprintf(out, "error\t%u reloads are waiting already\n", RELOADS_WAITING_MAX);
		return 0;
	}
	asked = calloc(1, sizeof(*asked));
	if (!asked)
		return -ENOMEM;
	*asked = (struct asked){.instance = inst, .client = client, .cut = cut};
	server_wait(client, forget_client, asked);
	rc = reload(inst, on_reloaded, asked);
	if (rc) {
		server_wait_no_more(client);
		free(asked);
	}
	return rc;
}

static bool complete(const char *text, size_t len)
{
	return memchr(text, '\n', len);
}

/* Writes the answer after "ok". Returns 0, or a negative errno with nothing written. */
static int act(struct instance *inst, const struct lfp_admin_request *request,
	       struct server_client *client, FILE *out)
{
	int rc;

	switch (request->verb) {
	case LFP_ADMIN_STATUS:
		fputs("ok\n", out);
		put_status(inst, out);
		return 0;
	case LFP_ADMIN_STATISTICS:
		fputs("ok\n", out);
		statistics_answer(inst, out);
		return 0;
	case LFP_ADMIN_TASKS:
		return lists_tasks(inst, client, out);
	case LFP_ADMIN_SOCKETS:
		return lists_sockets(inst, client, out);
	case LFP_ADMIN_USERS:
		return share_list(inst, client, out);
	case LFP_ADMIN_LIMITS:
		return limit_list(inst, client, out);
	case LFP_ADMIN_LOG:
		return log_list(inst, request->since, client, out);
	case LFP_ADMIN_RELOAD:
	case LFP_ADMIN_RELOAD_CUT:
		return begin_reload(inst, client, request->verb == LFP_ADMIN_RELOAD_CUT, out);
	case LFP_ADMIN_TRACE_START:
		rc = trace_start(inst, &request->filter);
		if (rc)
			return rc;
		break;
	case LFP_ADMIN_TRACE_STOP:
		trace_stop(inst);
		break;
	case LFP_ADMIN_TRACE_STATUS:
		break;
	}
	fputs("ok\n", out);
	trace_answer(inst, out);
	return 0;
}

static void answer(struct server_client *client, char *text, size_t len, FILE *out)
{
	struct admin *admin = server_data(server_of(client));
	struct lfp_admin_request request;
	char *newline = memchr(text, '\n', len), why[96];
	int rc;

	*newline = '\0';
	if (lfp_admin_decode(text, (size_t)(newline - text), &request, why)) {
		fprintf(out, "error\t%s\n", why);
		return;
	}
	rc = act(admin->instance, &request, client, out);
	if (rc == -EBUSY)
		fputs("error\ta trace is already running: end it by trace stop first\n", out);
	else if (rc)
		fprintf(out, "error\t%s\n", strerror(-rc));
}

static void on_pause(struct server *server, int error)
{
	struct admin *admin = server_data(server);
	const char *name = admin->instance->config.iucv_src_appname;

	if (error)
		lfp_msg("VLFD108W",
			"Instance %s cannot accept lfpd-admin's questions: %s. It tries again.",
			name, strerror(error));
	else
		lfp_msg("VLFD109I", "Instance %s accepts lfpd-admin's questions again.", name);
}

static const struct server_ops ops = {
	.question_max = LFP_ADMIN_REQUEST_MAX + 1,
	.complete = complete,
	.answer = answer,
	.on_pause = on_pause,
};

int admin_start(struct instance *inst, const char *path, struct admin **out)
{
	struct admin *admin = calloc(1, sizeof(*admin));
	int fd, rc;

	if (!admin)
		return -ENOMEM;
	admin->instance = inst;
	snprintf(admin->path, sizeof(admin->path), "%s", path);
	fd = lfp_listen(path, SOCK_STREAM, 0660, SERVER_CLIENTS);
	if (fd < 0) {
		rc = fd;
		goto error_free;
	}
	rc = server_listen(inst->loop, fd, &ops, admin, &admin->server);
	if (rc)
		goto error_close;
	*out = admin;
	return 0;

error_close:
	close(fd);
	unlink(path);
error_free:
	free(admin);
	return rc;
}

void admin_stop(struct admin *admin)
{
	server_stop(admin->server);
	unlink(admin->path);
	free(admin);
}
