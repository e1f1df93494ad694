/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - the statistics for Prometheus, at METRICS_LISTEN */
#include "lfpd/watch/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/endpoint.h"
#include "lfp/log.h"
#include "lfpd/restart/reload.h"
#include "lfpd/watch/http.h"
#include "lfpd/watch/server.h"
#include "lfpd/watch/statistics.h"

#define REQUEST_MAX 8192
#define BACKLOG     16

#define TEXT        "text/plain; version=0.0.4; charset=utf-8"
#define OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct metrics {
	struct server *server;
	struct sockaddr_storage addr;
	struct stat file; /* of a UNIX socket */
};

/* Returns the path of a UNIX socket, or NULL. */
static const char *path_of(const struct metrics *metrics)
{
	return metrics->addr.ss_family == AF_UNIX
		       ? ((const struct sockaddr_un *)&metrics->addr)->sun_path
		       : NULL;
}

/* Returns true if @path is the file of this UNIX socket, by whatever name. */
static bool is_file_of(const struct metrics *metrics, const char *path)
{
	struct stat st;

	return !lstat(path, &st) && st.st_dev == metrics->file.st_dev &&
	       st.st_ino == metrics->file.st_ino;
}

static void put_body(const struct instance *inst, const struct http_request *request, int *status,
		     FILE *out)
{
	if (*status == 200 && !strcmp(request->path, "/metrics")) {
		statistics_expose(inst, request->openmetrics, out);
		return;
	}
	if (*status == 200 && !strcmp(request->path, "/")) {
		fprintf(out, "lfpd %s: the metrics are at /metrics\n",
			inst->config.iucv_src_appname);
		return;
	}
	if (*status == 200)
		*status = 404;
	fprintf(out, "%d %s\n", *status, http_reason(*status));
}

void metrics_answer(const struct instance *inst, const char *text, size_t len, FILE *out)
{
	struct http_request request;
	int status = http_parse(text, len, &request);
	bool is_metrics;
	char *body = NULL;
	size_t body_len = 0;
	FILE *memory = open_memstream(&body, &body_len);

	if (!memory)
		return;
	put_body(inst, &request, &status, memory);
	if (fclose(memory)) {
		free(body);
		return;
	}
	is_metrics = status == 200 && !strcmp(request.path, "/metrics");
	fprintf(out,
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		"Connection: close\r\nCache-Control: no-store\r\n%s\r\n",
		status, http_reason(status),
		is_metrics ? request.openmetrics ? OPENMETRICS : TEXT : "text/plain; charset=utf-8",
		body_len, status == 405 ? "Allow: GET, HEAD\r\n" : "");
	if (!request.head)
		fwrite(body, 1, body_len, out);
	free(body);
}

static void answer(struct server_client *client, char *text, size_t len, FILE *out)
{
	metrics_answer(server_data(server_of(client)), text, len, out);
}

static void on_pause(struct server *server, int error)
{
	const struct instance *inst = server_data(server);

	if (error)
		lfp_msg("VLFD143W", "Metrics of instance %s are unavailable: %s.",
			inst->config.iucv_src_appname, strerror(error));
	else
		lfp_msg("VLFD144I", "Metrics of instance %s are available again.",
			inst->config.iucv_src_appname);
}

static const struct server_ops ops = {
	.question_max = REQUEST_MAX,
	.complete = http_complete,
	.answer = answer,
	.answers_too_long = true,
	.on_pause = on_pause,
};

static int listen_at_path(const struct instance *inst, const char *path)
{
	struct stat st;
	int fd;

	/* A socket of a run before, but nothing else, may be replaced. */
	if (!lstat(path, &st) && !S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = lfp_listen(path, SOCK_STREAM, 0660, BACKLOG);
	if (fd >= 0 && inst->admin_gid != (gid_t)-1 && chown(path, (uid_t)-1, inst->admin_gid)) {
		int error = errno;

		close(fd);
		unlink(path);
		return -error;
	}
	return fd;
}

static int listen_at_port(const struct sockaddr_storage *addr, socklen_t len)
{
	int fd = socket(addr->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), rc;
	const int on = 1;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)addr, len) || listen(fd, BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

static void end(struct metrics *metrics)
{
	const char *path = path_of(metrics);

	server_stop(metrics->server);
	/* Another process may have put its socket there. */
	if (path && is_file_of(metrics, path))
		unlink(path);
	free(metrics);
}

static int serve(struct instance *inst, struct metrics *metrics, socklen_t len)
{
	const char *path = path_of(metrics);
	int fd = path ? listen_at_path(inst, path) : listen_at_port(&metrics->addr, len), rc = fd;

	if (fd >= 0)
		rc = path && lstat(path, &metrics->file) ? -errno : 0;
	if (!rc)
		rc = server_listen(inst->loop, fd, &ops, inst, &metrics->server);
	if (rc && fd >= 0) {
		close(fd);
		if (path)
			unlink(path);
	}
	return rc;
}

static int open_place(struct instance *inst, const char *where, struct metrics **out)
{
	struct metrics *metrics, *now = inst->metrics;
	struct sockaddr_storage addr;
	socklen_t len;
	int rc;

	*out = NULL;
	if (!*where)
		return 0;
	rc = lfp_endpoint(where, &addr, &len);
	if (rc)
		return rc;
	if (now && (!memcmp(&now->addr, &addr, sizeof(addr)) ||
		    (path_of(now) && is_file_of(now, where)))) {
		*out = now;
		return 0;
	}
	metrics = calloc(1, sizeof(*metrics));
	if (!metrics)
		return -ENOMEM;
	metrics->addr = addr;
	rc = serve(inst, metrics, len);
	if (rc)
		free(metrics);
	else
		*out = metrics;
	return rc;
}

int metrics_start(struct instance *inst)
{
	return open_place(inst, inst->config.metrics_listen, &inst->metrics);
}

static void use(struct instance *inst, struct metrics *next)
{
	struct metrics *old = inst->metrics;

	inst->metrics = next;
	if (old && old != next)
		end(old);
}

static void drop(struct instance *inst, struct metrics *next)
{
	if (next && next != inst->metrics)
		end(next);
}

static int give(const struct instance *inst, gid_t gid)
{
	const char *path = inst->metrics ? path_of(inst->metrics) : NULL;

	return path && is_file_of(inst->metrics, path) && chown(path, (uid_t)-1, gid) ? -errno : 0;
}

const struct metrics_ops metrics_reload_ops = {
	.open = open_place,
	.use = use,
	.drop = drop,
	.give = give,
};

void metrics_stop(struct instance *inst)
{
	use(inst, NULL);
}
