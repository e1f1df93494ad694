/* SPDX-License-Identifier: Apache-2.0 */
/* admin.c - the admin socket: lfpd answers questions about itself */
#include "lfpd/admin.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/admin.h"
#include "lfp/listen.h"
#include "lfp/log.h"
#include "lfpd/session.h"
#include "transport/path.h"

#define CLIENTS_MAX 16
#define CLIENT_MS   5000 /* a client has so long to ask and to take the answer */
#define PAUSE_MS    100  /* without a descriptor */

TAILQ_HEAD(client_list, client);

struct admin {
	struct instance *instance;
	uv_poll_t poll;
	uv_timer_t timer; /* while accepting pauses */
	int fd;
	bool paused;
	int handles; /* still to be closed by libuv */
	struct client_list clients;
	unsigned int nr_clients;
	char path[LFP_PLACE_MAX];
};

struct client {
	TAILQ_ENTRY(client) entry;
	struct admin *admin;
	uv_poll_t poll;
	uv_timer_t timer;
	int fd;
	int handles;
	char request[LFP_ADMIN_REQUEST_MAX];
	size_t len;
	char *answer; /* NULL while the request is read */
	size_t answer_len, sent;
};

/* --- Answers --- */

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

static void put_status(const struct instance *inst, FILE *out)
{
	char hostid[INET_ADDRSTRLEN] = "0.0.0.0";

	if (inst->config.has_vse_hostid)
		inet_ntop(AF_INET, &inst->config.vse_hostid, hostid, sizeof(hostid));
	fprintf(out, "ok\n");
	fprintf(out, "pid\t%ld\n", (long)getpid());
	fprintf(out, "foreground\t%s\n", inst->foreground ? "yes" : "no");
	fprintf(out, "vmid\t%s\n", inst->vmid);
	fprintf(out, "connected\t%s\n", inst->session ? "yes" : "no");
	fprintf(out, "hostid\t%s\n", hostid);
	fprintf(out, "hostname\t%s\n", inst->host_name);
	fprintf(out, "io_buffers\t%zu\n", inst->pool.allocated);
	fprintf(out, "io_buffers_used\t%zu\n", inst->pool.in_use);
	fprintf(out, "tasks\t%zu\n", inst->session ? inst->session->tasks.count : 0);
	fprintf(out, "sockets\t%u\n", inst->nr_sockets);
	if (inst->session)
		put_path(inst->session, out);
	put_config(&inst->config, out);
}

/* --- Clients --- */

static void on_client_closed(uv_handle_t *handle)
{
	struct client *client = handle->data;

	if (--client->handles == 0) {
		free(client->answer);
		free(client);
	}
}

static void client_close(struct client *client)
{
	TAILQ_REMOVE(&client->admin->clients, client, entry);
	client->admin->nr_clients--;
	uv_close((uv_handle_t *)&client->poll, on_client_closed);
	uv_close((uv_handle_t *)&client->timer, on_client_closed);
	close(client->fd);
}

static void on_client_late(uv_timer_t *timer)
{
	client_close(timer->data);
}

static void on_client_writable(uv_poll_t *poll, int status, int events)
{
	struct client *client = poll->data;
	ssize_t n;

	(void)events;
	if (status < 0) {
		client_close(client);
		return;
	}
	n = send(client->fd, client->answer + client->sent, client->answer_len - client->sent,
		 MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		client->sent += (size_t)n;
	if (n < 0 || client->sent == client->answer_len)
		client_close(client);
}

static void answer(struct client *client, const char *request)
{
	FILE *out = open_memstream(&client->answer, &client->answer_len);

	if (out) {
		if (!strcmp(request, "status"))
			put_status(client->admin->instance, out);
		else
			fprintf(out, "error\tunknown request\n");
	}
	if (!out || fclose(out)) {
		client_close(client);
		return;
	}
	uv_poll_start(&client->poll, UV_WRITABLE, on_client_writable);
}

static void on_client_readable(uv_poll_t *poll, int status, int events)
{
	struct client *client = poll->data;
	char *newline;
	ssize_t n;

	(void)events;
	n = status < 0 ? 0
		       : recv(client->fd, client->request + client->len,
			      sizeof(client->request) - client->len, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_close(client);
		return;
	}
	client->len += (size_t)n;
	newline = memchr(client->request, '\n', client->len);
	if (newline) {
		*newline = '\0';
		answer(client, client->request);
	} else if (client->len == sizeof(client->request)) {
		client_close(client);
	}
}

static int client_create(struct admin *admin, int fd)
{
	struct client *client = NULL;

	if (admin->nr_clients < CLIENTS_MAX)
		client = calloc(1, sizeof(*client));
	if (!client || uv_poll_init(admin->instance->loop, &client->poll, fd)) {
		free(client);
		close(fd);
		return -ENOMEM;
	}
	uv_timer_init(admin->instance->loop, &client->timer);
	client->admin = admin;
	client->fd = fd;
	client->handles = 2;
	client->poll.data = client->timer.data = client;
	TAILQ_INSERT_TAIL(&admin->clients, client, entry);
	admin->nr_clients++;
	uv_poll_start(&client->poll, UV_READABLE, on_client_readable);
	uv_timer_start(&client->timer, on_client_late, CLIENT_MS, 0);
	return 0;
}

/* --- The listener --- */

static void on_connection(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *timer)
{
	struct admin *admin = timer->data;

	uv_poll_start(&admin->poll, UV_READABLE, on_connection);
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
	struct admin *admin = poll->data;
	int fd = accept4(admin->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int error = fd < 0 ? errno : 0;

	(void)status;
	(void)events;
	if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
		if (!admin->paused)
			lfp_msg("VLFD108W", "Instance %s cannot be asked now and tries again: %s.",
				admin->instance->config.iucv_src_appname, strerror(error));
		admin->paused = true;
		uv_poll_stop(poll);
		uv_timer_start(&admin->timer, on_pause_over, PAUSE_MS, 0);
		return;
	}
	if (fd < 0)
		return;
	if (admin->paused)
		lfp_msg("VLFD109I", "Instance %s can be asked again.",
			admin->instance->config.iucv_src_appname);
	admin->paused = false;
	client_create(admin, fd);
}

int admin_start(struct instance *inst, const char *path, struct admin **out)
{
	struct admin *admin = calloc(1, sizeof(*admin));
	int rc;

	if (!admin)
		return -ENOMEM;
	rc = lfp_listen(path, SOCK_STREAM, 0660, CLIENTS_MAX);
	if (rc < 0)
		goto error_free;
	admin->fd = rc;
	rc = uv_poll_init(inst->loop, &admin->poll, admin->fd);
	if (rc)
		goto error_close;
	uv_timer_init(inst->loop, &admin->timer);
	admin->instance = inst;
	admin->handles = 2;
	admin->poll.data = admin->timer.data = admin;
	TAILQ_INIT(&admin->clients);
	snprintf(admin->path, sizeof(admin->path), "%s", path);
	uv_poll_start(&admin->poll, UV_READABLE, on_connection);
	*out = admin;
	return 0;

error_close:
	close(admin->fd);
	unlink(path);
error_free:
	free(admin);
	return rc;
}

static void on_admin_closed(uv_handle_t *handle)
{
	struct admin *admin = handle->data;

	if (--admin->handles == 0)
		free(admin);
}

void admin_stop(struct admin *admin)
{
	while (!TAILQ_EMPTY(&admin->clients))
		client_close(TAILQ_FIRST(&admin->clients));
	uv_close((uv_handle_t *)&admin->poll, on_admin_closed);
	uv_close((uv_handle_t *)&admin->timer, on_admin_closed);
	close(admin->fd);
	unlink(admin->path);
}
