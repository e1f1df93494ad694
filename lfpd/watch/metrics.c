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
#include "lfpd/watch/http.h"
#include "lfpd/watch/server.h"
#include "lfpd/watch/statistics.h"

#define REQUEST_MAX 8192
#define BACKLOG     16

#define TEXT        "text/plain; version=0.0.4; charset=utf-8"
#define OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct metrics {
	struct server *server;
	const char *path; /* of a UNIX socket, or NULL */
};

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

int metrics_start(struct instance *inst)
{
	const char *where = inst->config.metrics_listen;
	struct sockaddr_storage addr;
	struct metrics *metrics;
	socklen_t len;
	int fd, rc;

	if (!*where)
		return 0;
	rc = lfp_endpoint(where, &addr, &len);
	if (rc)
		return rc;
	metrics = calloc(1, sizeof(*metrics));
	if (!metrics)
		return -ENOMEM;
	metrics->path = *where == '/' ? where : NULL;
	fd = metrics->path ? listen_at_path(inst, where) : listen_at_port(&addr, len);
	rc = fd < 0 ? fd : server_listen(inst->loop, fd, &ops, inst, &metrics->server);
	if (!rc) {
		inst->metrics = metrics;
		return 0;
	}
	if (fd >= 0) {
		close(fd);
		if (metrics->path)
			unlink(metrics->path);
	}
	free(metrics);
	return rc;
}

void metrics_stop(struct instance *inst)
{
	struct metrics *metrics = inst->metrics;

	if (!metrics)
		return;
	inst->metrics = NULL;
	server_stop(metrics->server);
	if (metrics->path)
		unlink(metrics->path);
	free(metrics);
}
