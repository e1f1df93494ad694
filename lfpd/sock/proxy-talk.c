/* SPDX-License-Identifier: Apache-2.0 */
/* proxy-talk.c - messages to a proxy, and its answers, on a connection that does not block */
#include "lfpd/sock/proxy-talk.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

static int fail(struct proxy_talk *talk, int error, const char *why)
{
	talk->why = why;
	return error;
}

static void begin_step(struct proxy_talk *talk, enum proxy_step step)
{
	talk->step = step;
	talk->in_len = talk->out_sent = 0;
	talk->out_len = proxy_message(talk->upstream, step, &talk->target, talk->out);
}

void proxy_talk_begin(struct proxy_talk *talk)
{
	begin_step(talk, proxy_first(talk->upstream));
}

void proxy_talk_finish(struct proxy_talk *talk)
{
	explicit_bzero(talk->out, sizeof(talk->out));
}

int proxy_talk_events(const struct proxy_talk *talk)
{
	return talk->out_sent < talk->out_len ? UV_WRITABLE : UV_READABLE;
}

static bool is_later(int error)
{
	return error == EAGAIN || error == ENOBUFS || error == ENOMEM;
}

static int send_message(struct proxy_talk *talk, int fd)
{
	while (talk->out_sent < talk->out_len) {
		ssize_t n = send(fd, talk->out + talk->out_sent, talk->out_len - talk->out_sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return is_later(errno)
				       ? EALREADY
				       : fail(talk, ECONNABORTED, "it has ended the connection");
		talk->out_sent += (size_t)n;
	}
	return 0;
}

/* Reads the answer, and nothing after it. Returns EAGAIN if it needs more bytes. */
static int read_answer(struct proxy_talk *talk, int fd)
{
	struct proxy_answer answer;
	ssize_t n, taken;

	do
		n = recv(fd, talk->in + talk->in_len, talk->in_max - talk->in_len,
			 MSG_DONTWAIT | MSG_PEEK);
	while (n < 0 && errno == EINTR);
	if (n < 0 && is_later(errno))
		return EALREADY;
	if (n <= 0)
		return fail(talk, ECONNABORTED, "it has ended the connection");
	answer = proxy_read(talk->upstream, talk->step, talk->in, talk->in_len + (size_t)n);
	if (answer.error) {
		talk->code = answer.code;
		return fail(talk, answer.error, answer.why);
	}
	/* These are the bytes that were there a moment ago. */
	taken = recv(fd, talk->in + talk->in_len, answer.used - talk->in_len, MSG_DONTWAIT);
	if (taken != (ssize_t)(answer.used - talk->in_len))
		return fail(talk, ECONNABORTED, "it has ended the connection");
	talk->in_len = answer.used;
	if (answer.next == talk->step)
		return EAGAIN;
	talk->last = answer;
	if (answer.next == PROXY_DONE)
		talk->step = PROXY_DONE;
	else
		begin_step(talk, answer.next);
	return 0;
}

int proxy_talk_go_on(struct proxy_talk *talk, int fd)
{
	int rc = 0;

	while (!rc && talk->step != PROXY_DONE) {
		rc = send_message(talk, fd);
		while (!rc || rc == EAGAIN) {
			enum proxy_step step = talk->step;

			rc = read_answer(talk, fd);
			if (!rc && talk->step != step)
				break;
		}
	}
	return rc;
}
