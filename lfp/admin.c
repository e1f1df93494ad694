/* SPDX-License-Identifier: Apache-2.0 */
/* admin.c - how commands ask a daemon */
#include "lfp/clock.h"
#include "lfp/admin.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TIMEOUT_MS 10000 /* longest wait for the next bytes */
#define WHOLE_MS   60000 /* longest wait for a whole answer; lfpd has the same limit */

/* Wait for @events until @deadline: 0 or a negative errno. */
static int wait_for(int fd, short events, long long deadline)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	for (;;) {
		long long left = deadline - (long long)lfp_now_ms();
		int rc;

		if (left <= 0)
			return -ETIMEDOUT;
		rc = poll(&pfd, 1, (int)left);
		if (rc > 0)
			return 0;
		if (rc < 0 && errno != EINTR)
			return -errno;
	}
}

/* A connected socket or a negative errno. */
static int connect_to(const char *path)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	struct timeval timeout = {.tv_sec = TIMEOUT_MS / 1000};
	int fd, rc;

	if (strlen(path) >= sizeof(sun.sun_path))
		return -ENAMETOOLONG;
	strcpy(sun.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* poll() does not report room in a full backlog. A blocking connect() waits for SO_SNDTIMEO
	 * (net/unix/af_unix.c, unix_stream_connect()). */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0) {
		rc = -errno;
		goto fail;
	}
	while (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0) {
		if (errno == EINTR)
			continue;
		rc = errno == EAGAIN ? -ETIMEDOUT : -errno;
		goto fail;
	}
	return fd;
fail:
	close(fd);
	return rc;
}

static int send_line(int fd, const char *request, long long deadline)
{
	char line[LFP_ADMIN_REQUEST_MAX + 2];
	size_t len = (size_t)snprintf(line, sizeof(line), "%s\n", request), done = 0;

	while (done < len) {
		ssize_t n = send(fd, line + done, len - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno == EAGAIN) {
			int rc = wait_for(fd, POLLOUT, deadline);

			if (rc)
				return rc;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* Read to the end of file into memory that grows; room for a NUL is left. */
static int receive(int fd, char **answer, long long deadline, size_t *len)
{
	long long last = deadline + WHOLE_MS - TIMEOUT_MS;
	size_t room = 0;

	*len = 0;
	for (;;) {
		ssize_t n;

		if (room - *len < 2) {
			char *larger;

			room = room ? room * 2 : 65536;
			if (room > LFP_ADMIN_ANSWER_MAX + 2)
				room = LFP_ADMIN_ANSWER_MAX + 2;
			larger = realloc(*answer, room);
			if (!larger)
				return -ENOMEM;
			*answer = larger;
		}
		n = recv(fd, *answer + *len, room - 1 - *len, MSG_DONTWAIT);
		if (n == 0)
			return 0;
		if (n > 0) {
			*len += (size_t)n;
			if (*len > LFP_ADMIN_ANSWER_MAX)
				return -EMSGSIZE;
			/* A busy machine needs time for a long answer. */
			deadline = (long long)lfp_now_ms() + TIMEOUT_MS;
			if (deadline > last)
				deadline = last;
		} else if (errno == EAGAIN) {
			int rc = wait_for(fd, POLLIN, deadline);

			if (rc)
				return rc;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
}

int lfp_admin_ask(const char *path, const char *request, char **answer)
{
	long long deadline = (long long)lfp_now_ms() + TIMEOUT_MS;
	char *text = NULL;
	size_t len;
	int fd, rc;

	if (strlen(request) > LFP_ADMIN_REQUEST_MAX || strchr(request, '\n'))
		return -EINVAL;
	fd = connect_to(path);
	if (fd < 0)
		return fd;
	rc = send_line(fd, request, deadline);
	if (!rc)
		rc = receive(fd, &text, deadline, &len);
	if (rc)
		goto close_fd;
	/* The daemon ended before its answer was complete. */
	if (!len || text[len - 1] != '\n') {
		rc = -ECONNRESET;
		goto close_fd;
	}
	if (memchr(text, '\0', len)) {
		rc = -EPROTO;
		goto close_fd;
	}
	text[len] = '\0';
	close(fd);
	*answer = text;
	return 0;

close_fd:
	close(fd);
	free(text);
	return rc;
}

/* Copies @len bytes at @from, or as many as fit with a NUL. */
static void copy_part(char *to, size_t room, const char *from, size_t len)
{
	if (!room)
		return;
	if (len > room - 1)
		len = room - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* The parts of the line at @line; returns where the next one starts. */
static const char *split_line(const char *line, size_t *key_len, const char **value,
			      size_t *value_len)
{
	size_t len = strcspn(line, "\n");
	const char *tab = memchr(line, '\t', len);

	*key_len = tab ? (size_t)(tab - line) : len;
	*value = tab ? tab + 1 : line + len;
	*value_len = len - (size_t)(*value - line);
	return line + len + (line[len] == '\n');
}

int lfp_admin_value(const char *answer, const char *key, char *out, size_t room)
{
	while (*answer) {
		size_t key_len, value_len;
		const char *value, *next = split_line(answer, &key_len, &value, &value_len);

		if (key_len == strlen(key) && memcmp(answer, key, key_len) == 0) {
			copy_part(out, room, value, value_len);
			return 0;
		}
		answer = next;
	}
	return -ENOENT;
}

int lfp_admin_each(const char **at, char *key, size_t key_room, char *value, size_t value_room)
{
	size_t key_len, value_len;
	const char *line = *at, *from;

	if (!*line)
		return 0;
	*at = split_line(line, &key_len, &from, &value_len);
	copy_part(key, key_room, line, key_len);
	copy_part(value, value_room, from, value_len);
	return 1;
}
