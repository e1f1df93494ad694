/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - making near ends: the descriptors that programs hold */
#include "ijblfp/near.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/datagram.h"
#include "lfp/places.h"

/*
 * Theory of operation
 *
 * docs/architecture.md, "The near end", says what a near end has to look like in each state; this
 * file has the handles for it. The listener's directory keeps others out, and what the kernel says
 * about the maker of each connection that is accepted (SO_PEERCRED) is checked all the same:
 * processes of the same user can enter.
 */

#define BACKLOG 64

static int make_probe(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int near_maker_init(struct near_maker *maker, const char *nn, const char *path, uint32_t window)
{
	int fd, rc = lfp_unix_addr(&maker->addr, path);

	maker->listener = maker->probe = maker->dir = maker->datagram_probe = maker->spare = -1;
	if (rc)
		return rc;
	snprintf(maker->nn, sizeof(maker->nn), "%s", nn);
	maker->window = window;
	if (getrandom(&maker->run, sizeof(maker->run), 0) != sizeof(maker->run))
		return -EIO;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if ((unlink(path) && errno != ENOENT) ||
	    bind(fd, (const struct sockaddr *)&maker->addr, sizeof(maker->addr)) ||
	    listen(fd, BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	maker->listener = fd;
	maker->probe = make_probe();
	maker->takes_no_rights =
		!setsockopt(fd, SOL_SOCKET, NEAR_PASSRIGHTS, &(int){0}, sizeof(int));
	return 0;
}

void near_maker_finish(struct near_maker *maker)
{
	if (maker->listener < 0)
		return;
	close(maker->listener);
	unlink(maker->addr.sun_path);
	if (maker->probe >= 0)
		close(maker->probe);
	maker->listener = maker->probe = -1;
}

socklen_t near_name(const struct near_maker *maker, uint64_t id, struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, LFP_NAME_PREFIX, LFP_NAME_PREFIX_LEN);
	snprintf(addr->sun_path + LFP_NAME_PREFIX_LEN, sizeof(addr->sun_path) - LFP_NAME_PREFIX_LEN,
		 "%s/%016llx/%016llx", maker->nn, (unsigned long long)maker->run,
		 (unsigned long long)id);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + LFP_NAME_LEN);
}

/* 16 hex digits as near_name() writes them. */
static bool parse_hex(const char *text, uint64_t *value)
{
	*value = 0;
	for (int i = 0; i < 16; i++) {
		char c = text[i];
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

int near_identify(const struct near_maker *maker, int fd, uint64_t *id, uint64_t *ino)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	const char *nn = addr.sun_path + LFP_NAME_PREFIX_LEN;
	bool is_path;
	struct stat st;
	uint64_t run;

	if (getsockname(fd, (struct sockaddr *)&addr, &len) || addr.sun_family != AF_UNIX)
		return -EBADF;
	is_path = lfp_near_path(&addr, len);
	if (is_path)
		nn--;
	if ((!is_path && (len != offsetof(struct sockaddr_un, sun_path) + LFP_NAME_LEN ||
			  memcmp(addr.sun_path, LFP_NAME_PREFIX, LFP_NAME_PREFIX_LEN))) ||
	    memcmp(nn, maker->nn, 2) || nn[2] != '/' || nn[19] != '/' || !parse_hex(nn + 3, &run) ||
	    !parse_hex(nn + 20, id))
		return -EBADF;
	if (fstat(fd, &st))
		return -EBADF;
	*ino = st.st_ino;
	return run == maker->run ? 0 : -ESTALE;
}

/* Bind the near end and size its buffer. */
static int name_near(const struct near_maker *maker, int fd, uint64_t id, uint64_t *ino)
{
	struct sockaddr_un addr;
	socklen_t len = near_name(maker, id, &addr);
	int size = (int)(maker->window_out > maker->window ? maker->window_out : maker->window);
	struct stat st;

	if (bind(fd, (const struct sockaddr *)&addr, len) || fstat(fd, &st) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)))
		return -errno;
	*ino = st.st_ino;
	return 0;
}

int near_create(const struct near_maker *maker, uint64_t id, uint64_t *ino)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return -errno;
	rc = name_near(maker, fd, id, ino);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

static int option_of(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

int near_adopt(struct near_maker *maker, int fd, uint64_t id, uint64_t *ino)
{
	struct sockaddr_un peer;
	socklen_t len = sizeof(peer);
	int rc;

	if (option_of(fd, SO_DOMAIN) != AF_UNIX || option_of(fd, SO_TYPE) != SOCK_STREAM ||
	    !getpeername(fd, (struct sockaddr *)&peer, &len))
		return -EINVAL;
	rc = name_near(maker, fd, id, ino);
	if (!rc && near_is_gone(maker, id))
		rc = -EMFILE;
	return rc;
}

/*
 * What a program sends with SCM_RIGHTS would be dropped by our reading of it: a TCP socket with
 * SO_LINGER can make that last as long as it likes. Kernels from 6.16 on refuse it at the program's
 * send.
 */
static void refuse_rights(int far)
{
	const int off = 0;

	(void)setsockopt(far, SOL_SOCKET, NEAR_PASSRIGHTS, &off, sizeof(off));
}

int near_create_pair(const struct near_maker *maker, uint64_t id, uint64_t *ino, int *near,
		     int *far)
{
	int size = (int)maker->window;
	int fds[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	rc = name_near(maker, fds[0], id, ino);
	/* O_NONBLOCK belongs to the far end only: the near end's is the program's. */
	if (!rc && (fcntl(fds[1], F_SETFL, O_RDWR | O_NONBLOCK) ||
		    setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size))))
		rc = -errno;
	if (rc) {
		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	refuse_rights(fds[1]);
	*near = fds[0];
	*far = fds[1];
	return 0;
}

static bool is_own(int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) && cred.pid == getpid();
}

/* The next connection that this process made; others are closed. */
static int accept_own(const struct near_maker *maker)
{
	for (;;) {
		int fd = accept4(maker->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return -errno;
		if (is_own(fd))
			return fd;
		close(fd);
	}
}

int near_pair(const struct near_maker *maker, int near)
{
	int size = (int)maker->window;
	int far;

	/* The near end may be a blocking one: the listener's backlog must not be full. Nothing of
	 * ours is ever left there, but for a connection whose accept failed for want of
	 * descriptors. */
	while ((far = accept_own(maker)) >= 0)
		close(far);
	if (far != -EAGAIN)
		return far;
	if (connect(near, (const struct sockaddr *)&maker->addr, sizeof(maker->addr)))
		return -errno;
	far = accept_own(maker);
	if (far < 0)
		return far;
	refuse_rights(far);
	if (setsockopt(far, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size))) {
		int rc = -errno;

		close(far);
		return rc;
	}
	return far;
}

int64_t near_gate_fill(int near)
{
	static const uint8_t zeros[32768];
	int64_t filled = 0;

	for (;;) {
		ssize_t n = send(near, zeros, sizeof(zeros), MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN ? filled : -errno;
		filled += n;
	}
}

int near_gate_drain(int far, uint64_t bytes)
{
	uint8_t buf[32768];

	while (bytes) {
		size_t want = bytes < sizeof(buf) ? (size_t)bytes : sizeof(buf);
		ssize_t n = recv(far, buf, want, MSG_DONTWAIT);

		if (n < 0)
			return -errno;
		if (n == 0)
			return -EPIPE;
		bytes -= (uint64_t)n;
	}
	return 0;
}

int near_send_record(int far, const struct lfp_addr *peer, const struct lfp_addr *local, int near)
{
	struct lfp_accept_record record;
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = &record, .iov_len = sizeof(record)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg;
	ssize_t n;

	memset(&record, 0, sizeof(record));
	memset(&control, 0, sizeof(control));
	record.magic = LFP_CTL_MAGIC;
	record.peer = *peer;
	record.local = *local;
	cmsg = CMSG_FIRSTHDR(&msg);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &near, sizeof(int));
	n = sendmsg(far, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	return n == sizeof(record) ? 0 : -EIO;
}

bool near_is_gone(struct near_maker *maker, uint64_t id)
{
	struct sockaddr_un addr;
	socklen_t len = near_name(maker, id, &addr);

	/* One socket is kept for the question, so that it works without a free descriptor. Only a
	 * socket that found the name free is used up. */
	if (maker->probe < 0)
		maker->probe = make_probe();
	if (maker->probe < 0 || bind(maker->probe, (const struct sockaddr *)&addr, len))
		return false;
	close(maker->probe);
	maker->probe = make_probe();
	return true;
}
