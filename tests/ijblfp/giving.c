/* SPDX-License-Identifier: Apache-2.0 */
/* giving.c - tasks of a program, sockets that one gives and another takes, with a scripted lfpd */
#include "giving.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

const struct lfp_ctl_client any = {AF_INET, "        ", "        "};

uint64_t begin(struct host *host, const char *name)
{
	struct lfp_ctl_reply reply;
	uint64_t key;

	host_as = 0;
	assert_int_equal(call_wait(host,
				   call_send(host, LFP_CTL_TASK, 0, LFP_CTL_TASK_BEGIN, 0, 0, name,
					     strlen(name), -1),
				   &reply, NULL),
			 0);
	memcpy(&key, reply.data, sizeof(key));
	return key;
}

int connected(struct host *host, uint64_t *id)
{
	struct lfp_addr peer = some_addr(80);
	int fd = new_socket(host, id);
	int conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);

	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = *id, .status = 0});
	host_until(host, poll_now(fd) & POLLOUT);
	return fd;
}

int call_client(struct host *host, int op, int a, int b, const struct lfp_ctl_client *client,
		int fd)
{
	return call_wait(host, call_send(host, op, 0, a, b, 0, client, sizeof(*client), fd), NULL,
			 NULL);
}

int give_for(struct host *host, int fd, const struct lfp_ctl_client *to, int seconds)
{
	return call_client(host, LFP_CTL_GIVE, NUMBER, seconds, to, fd);
}

int give(struct host *host, int fd, const struct lfp_ctl_client *to)
{
	return give_for(host, fd, to, 0);
}

struct lfp_ctl_client client_id(struct host *host)
{
	struct lfp_ctl_reply reply;
	struct lfp_ctl_client client;

	assert_int_equal(
		call_wait(host,
			  call_send(host, LFP_CTL_CLIENTID, 0, 0, 0, 0, &any, sizeof(any), -1),
			  &reply, NULL),
		0);
	assert_int_equal(reply.len, sizeof(client));
	memcpy(&client, reply.data, sizeof(client));
	return client;
}

int take_given(struct host *host, const struct lfp_ctl_client *giver, int number, int *fd)
{
	struct lfp_ctl_reply reply;
	int conn = call_send(host, LFP_CTL_TAKE, 0, number, 0, 0, giver, sizeof(*giver), -1);
	int got = -1, rc;

	/* Only a success carries a descriptor. */
	struct pollfd pfd = {.fd = conn, .events = POLLIN};
	host_until(host, poll(&pfd, 1, 0) == 1);
	assert_true(recv(conn, &reply, LFP_CTL_REPLY_HEAD, MSG_PEEK) >=
		    (ssize_t)LFP_CTL_REPLY_HEAD);
	rc = reply.error;
	assert_int_equal(call_wait(host, conn, &reply, rc ? NULL : &got), rc);
	*fd = got;
	return rc;
}

int is_taken(struct host *host, int fd)
{
	struct lfp_ctl_reply reply;

	assert_int_equal(call_wait(host, call_send(host, LFP_CTL_TAKEN, 0, 0, 0, 0, "", 0, fd),
				   &reply, NULL),
			 0);
	return reply.value;
}

bool hangs(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = 0};

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLHUP);
}

void expect_text(int fd, const char *text)
{
	char buf[64] = "";

	assert_int_equal(recv(fd, buf, strlen(text), MSG_DONTWAIT), strlen(text));
	assert_string_equal(buf, text);
}
