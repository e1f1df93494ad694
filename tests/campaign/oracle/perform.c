/* SPDX-License-Identifier: Apache-2.0 */
/* perform.c - the calls of a process, and their results as text */
#include "tests/campaign/oracle/perform.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <sys/uio.h>
#include <unistd.h>

struct common *common;
unsigned int me;
int fds[SLOTS + SETS];

static volatile sig_atomic_t pipes;
static char *out;
static size_t out_len;
enum { OUT_ROOM = ENTRY / 2, OTHER_USER = 65534 };

static void on_sigpipe(int signal)
{
	(void)signal;
	pipes++;
}

void perform_begin(void)
{
	for (int i = 0; i < SLOTS + SETS; i++)
		fds[i] = -1;
	signal(SIGPIPE, on_sigpipe);
}

void perform_end(void)
{
	for (int i = 0; i < SLOTS + SETS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	perform_begin();
}

void tell(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	out_len += (size_t)vsnprintf(out + out_len, OUT_ROOM - out_len, format, args);
	va_end(args);
	if (out_len >= OUT_ROOM)
		out_len = OUT_ROOM - 1;
}

bool tell_result(long rc)
{
	if (rc < 0)
		tell("%s", strerrorname_np(errno));
	else
		tell("%ld", rc);
	return rc >= 0;
}

static void set_patience(int fd, int ms)
{
	const struct timeval tv = {.tv_usec = ms * 1000};

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
}

/* Puts a new descriptor into a slot. @id: of the socket, 0: a new one. */
static void put(unsigned int slot, int fd, const char *kind, uint8_t id)
{
	if (fd < 0)
		return;
	if (fds[slot] >= 0 && fds[slot] != fd)
		close(fds[slot]);
	fds[slot] = fd;
	if (slot >= SLOTS)
		return;
	if (kind != common->kind[me][slot])
		snprintf(common->kind[me][slot], sizeof(common->kind[me][slot]), "%s", kind);
	common->port_of[me][slot] = 0;
	common->id[me][slot] = id ? id : ++common->nr_ids;
}

static void tell_fd(int fd)
{
	tell("%s", fd < 0 ? strerrorname_np(errno) : "fd");
}

static void do_socket(const struct op *op)
{
	int fd =
		socket(op->a & 2 ? AF_INET6 : AF_INET,
		       (op->a & 1 ? SOCK_DGRAM : SOCK_STREAM) | (op->a & 4 ? SOCK_NONBLOCK : 0), 0);
	char kind[8];

	tell_fd(fd);
	snprintf(kind, sizeof(kind), "%s%c", op->a & 1 ? "udp" : "tcp", op->a & 2 ? '6' : '4');
	if (fd >= 0) {
		set_patience(fd, RECEIVE_MS);
		/* No byte waits for an acknowledgement. */
		if (!(op->a & 1))
			(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	}
	put(op->slot, fd, kind, 0);
}

static void do_accept(const struct op *op)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	uint8_t from = common->id[me][op->slot];
	char kind[8];
	int fd;

	memset(&addr, 0, sizeof(addr));
	fd = accept4(fds[op->slot], (struct sockaddr *)&addr, &len, op->a & 1 ? SOCK_NONBLOCK : 0);
	tell_fd(fd);
	if (fd < 0)
		return;
	tell(" from %s", address_text(&addr, len));
	/* The slot may be the listener's own. */
	memcpy(kind, common->kind[me][op->slot], sizeof(kind));
	put(op->other, fd, kind, 0);
	common->shut[common->id[me][op->other]] = common->shut[from];
	common->marked[common->id[me][op->other]] = common->marked[from];
	set_patience(fd, RECEIVE_MS);
}

/* Bytes as runs of the same letter. */
static void tell_bytes(const char *buf, size_t len)
{
	for (size_t i = 0, run; i < len; i += run) {
		for (run = 1; i + run < len && buf[i + run] == buf[i];)
			run++;
		tell(" %zu%c", run, buf[i]);
	}
}

static void do_receive(const struct op *op)
{
	char buf[4096];
	struct iovec iov[2] = {{buf, op->len / 2}, {buf + op->len / 2, op->len - op->len / 2}};
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int fd = fds[op->slot], flags = recv_flags[op->a % 8];
	ssize_t n;

	memset(buf, '?', sizeof(buf));
	memset(&addr, 0, sizeof(addr));
	if (op->code == OP_RECV)
		n = recv(fd, buf, op->len, flags);
	else if (op->code == OP_RECVFROM)
		n = recvfrom(fd, buf, op->len, flags, (struct sockaddr *)&addr, &len);
	else
		n = op->a & 1 ? readv(fd, iov, 2) : read(fd, buf, op->len);
	if (!tell_result(n))
		return;
	tell_bytes(buf, (size_t)n < op->len ? (size_t)n : op->len);
	if (op->code == OP_RECVFROM)
		tell(", %s", address_text(&addr, len));
}

static void do_send(const struct op *op)
{
	static char letter;
	char buf[4096];
	struct iovec iov[2] = {{buf, op->len / 2}, {buf + op->len / 2, op->len - op->len / 2}};
	struct sockaddr_storage addr;
	int fd = fds[op->slot], had = pipes;
	socklen_t len = address_of(op, &addr);
	ssize_t n;

	/* The length says enough about which data these are. */
	letter = (char)('a' + (op->len + op->slot) % 26);
	memset(buf, letter, sizeof(buf));
	if (op->code == OP_SEND)
		n = send(fd, buf, op->len, send_flags[op->a % 4]);
	else if (op->code == OP_SENDTO)
		n = sendto(fd, buf, op->len, MSG_NOSIGNAL, (struct sockaddr *)&addr, len);
	else
		n = op->a & 1 ? writev(fd, iov, 2) : write(fd, buf, op->len);
	(void)tell_result(n);
	if (pipes != had)
		tell(" SIGPIPE");
	if (n >= 0 && op->code == OP_SENDTO && common->kind[me][op->slot][0] == 'u')
		address_learn(op->slot);
}

static void do_name(const struct op *op)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int fd = fds[op->slot];

	memset(&addr, 0, sizeof(addr));
	if (tell_result(op->code == OP_GETSOCKNAME
				? getsockname(fd, (struct sockaddr *)&addr, &len)
				: getpeername(fd, (struct sockaddr *)&addr, &len)))
		tell(" %s", address_text(&addr, len));
}

static void do_option(const struct op *op)
{
	const struct option *option = &options[op->a % nr_options];
	bool low = option->level == SOL_SOCKET && option->number == SO_RCVLOWAT;
	int value[2] = {option->number == TCP_NODELAY ? 1 : low ? op->b * LOW_WATER : op->b, 0};
	socklen_t len = option->large ? sizeof(value) : sizeof(*value);
	int fd = fds[op->slot];

	if (op->len)
		len = 1;
	if (op->code == OP_SETSOCKOPT) {
		if (tell_result(setsockopt(fd, option->level, option->number, value, len)) && low &&
		    common->listens[common->id[me][op->slot]])
			common->marked[common->id[me][op->slot]] = true;
		return;
	}
	value[0] = 0;
	if (!tell_result(getsockopt(fd, option->level, option->number, value, &len)))
		return;
	if (option->number == SO_ERROR && option->level == SOL_SOCKET && value[0] > 0)
		tell(" %s, %u bytes", strerrorname_np(value[0]), len);
	else
		tell(" %d %d, %u bytes", value[0], value[1], len);
}

static void do_connect(const struct op *op)
{
	struct sockaddr_storage addr;
	socklen_t len = address_of(op, &addr);
	uint8_t id = common->id[me][op->slot];

	if (tell_result(connect(fds[op->slot], (struct sockaddr *)&addr, len))) {
		common->dissolved[id] |= op->other == TO_UNSPEC;
		common->shaken[id] |= op->other == TO_UNSPEC;
		if (common->kind[me][op->slot][0] == 'u')
			address_learn(op->slot);
	} else {
		common->shaken[id] |= errno != EINPROGRESS;
	}
}

static void do_bind(const struct op *op)
{
	struct sockaddr_storage addr;
	socklen_t len = address_of(op, &addr);

	if (tell_result(bind(fds[op->slot], (struct sockaddr *)&addr, len)))
		address_learn(op->slot);
}

static void do_listen(const struct op *op)
{
	if (!tell_result(listen(fds[op->slot], op->a)))
		return;
	address_learn(op->slot);
	common->listens[common->id[me][op->slot]] = true;
}

static void do_fcntl(const struct op *op)
{
	int flags = fcntl(fds[op->slot], F_GETFL);

	if (!tell_result(flags))
		return;
	(void)tell_result(
		fcntl(fds[op->slot], F_SETFL, op->a ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
}

static void do_dup(const struct op *op)
{
	int fd;
	in_port_t port = common->port_of[me][op->slot];

	if (op->a & 1 && fds[op->other] >= 0 && fds[op->slot] >= 0)
		fd = dup2(fds[op->slot], fds[op->other]);
	else
		fd = dup(fds[op->slot]);
	tell_fd(fd);
	put(op->other, fd, common->kind[me][op->slot], common->id[me][op->slot]);
	if (fd >= 0)
		common->port_of[me][op->other] = port;
}

/* Sends a descriptor to this process's other self, which takes it at once: do_take(). */
static void do_pass(const struct op *op)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.head), &fds[op->slot], sizeof(int));
	if (tell_result(sendmsg(common->pass[me], &msg, MSG_NOSIGNAL)))
		tell(" sent");
}

void perform_take(const struct op *op)
{
	char byte;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	int fd = -1;

	if (recvmsg(common->pass[me], &msg, MSG_DONTWAIT) > 0 &&
	    msg.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(int));
	put(op->other, fd, common->kind[1 - me][op->slot], common->id[1 - me][op->slot]);
	if (fd >= 0)
		common->port_of[me][op->other] = common->port_of[1 - me][op->slot];
}

/* A socket that is not connected is shut all the same (inet_shutdown()). */
static void do_shutdown(const struct op *op)
{
	uint8_t id = common->id[me][op->slot];
	/* EBADF: another process has replaced the near end. Natively the socket is shut. */
	bool done = tell_result(shutdown(fds[op->slot], op->a)) || errno == ENOTCONN ||
		    (errno == EBADF && fds[op->slot] >= 0);

	common->shaken[id] |= done;
	common->shut[id] |= done && op->a != SHUT_WR;
}

static void do_call(const struct op *op)
{
	int bytes = -1;

	switch (op->code) {
	case OP_SOCKET:
		do_socket(op);
		break;
	case OP_BIND:
		do_bind(op);
		break;
	case OP_LISTEN:
		do_listen(op);
		break;
	case OP_CONNECT:
		do_connect(op);
		break;
	case OP_ACCEPT:
		do_accept(op);
		break;
	case OP_SEND:
	case OP_SENDTO:
	case OP_WRITE:
		do_send(op);
		break;
	case OP_RECV:
	case OP_RECVFROM:
	case OP_READ:
		do_receive(op);
		break;
	case OP_SHUTDOWN:
		do_shutdown(op);
		break;
	case OP_CLOSE:
		(void)tell_result(close(fds[op->slot]));
		fds[op->slot] = -1;
		break;
	case OP_DUP:
		do_dup(op);
		break;
	case OP_PASS:
		do_pass(op);
		break;
	case OP_NONBLOCK:
		do_fcntl(op);
		break;
	case OP_GETSOCKNAME:
	case OP_GETPEERNAME:
		do_name(op);
		break;
	case OP_GETSOCKOPT:
	case OP_SETSOCKOPT:
		do_option(op);
		break;
	case OP_FIONREAD:
		if (tell_result(ioctl(fds[op->slot], FIONREAD, &bytes)))
			tell(" %d", bytes);
		break;
	case OP_ATMARK:
		if (tell_result(ioctl(fds[op->slot], SIOCATMARK, &bytes)))
			tell(" %d", bytes);
		break;
	case OP_USER:
		/* Without root both fail. */
		(void)tell_result(setresuid(OTHER_USER, OTHER_USER, OTHER_USER));
		break;
	case OP_POLL:
		polls_poll(op);
		break;
	case OP_SELECT:
		polls_select();
		break;
	case OP_EPOLL_CREATE:
		put(op->slot, epoll_create1(0), "", 0);
		break;
	case OP_EPOLL_CTL:
		polls_epoll_ctl(op);
		break;
	case OP_EPOLL_WAIT:
		polls_epoll_wait(op);
		break;
	}
}

void perform(const struct op *op)
{
	bool receives = op->behind && op->code != OP_POLL && fds[op->slot] >= 0;

	out = common->result[me];
	out_len = 0;
	*out = 0;
	if (receives)
		set_patience(fds[op->slot], BEHIND_MS);
	do_call(op);
	if (receives && fds[op->slot] >= 0)
		set_patience(fds[op->slot], RECEIVE_MS);
}
