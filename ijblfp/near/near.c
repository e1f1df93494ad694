/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - making near ends: the descriptors that programs hold */
#include "ijblfp/near/near.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lfp/places.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * docs/near-ends.md, "States", describes a near end in each state; this file has the operations for
 * that. The listener's directory keeps other users out. Processes of the same user can enter it, so
 * the instance also checks the maker of each accepted connection (SO_PEERCRED).
 */

#define BACKLOG 64

int near_option_of(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

static bool is_own(const struct near_maker *maker, int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) && cred.pid == maker->pid;
}

/* Returns the next connection that this process made, and closes others. */
static int accept_own(const struct near_maker *maker)
{
	for (;;) {
		int fd = accept4(maker->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return -errno;
		if (is_own(maker, fd))
			return fd;
		passed_end(fd);
	}
}

/* Returns true if a connection that the listener accepts refuses descriptors from the start (Linux
 * 6.16, net/unix/af_unix.c, unix_stream_connect()). */
static bool hands_on_refusal(const struct near_maker *maker)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), far = -1;
	bool refuses;

	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&maker->addr, sizeof(maker->addr)))
		far = accept_own(maker);
	refuses = far >= 0 && near_option_of(far, NEAR_PASSRIGHTS) == 0;
	if (far >= 0)
		close(far);
	if (fd >= 0)
		close(fd);
	return refuses;
}

/* Until Linux 5.3 each network namespace counted for itself (net/core/sock_diag.c,
 * sock_gen_cookie()). */
bool near_cookies_are_unique(const char *release)
{
	unsigned int major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 4));
}

int near_maker_init(struct near_maker *maker, const char *nn, const char *dir, uint32_t window,
		    struct near_network *network)
{
	char path[sizeof(maker->addr.sun_path)];
	struct utsname system;
	int fd, rc;

	*maker = (struct near_maker){
		.listener = -1,
		.window = window,
		.network = network,
		.pid = getpid(),
	};
	maker->names.dir = -1;
	maker->unique_cookies = !uname(&system) && near_cookies_are_unique(system.release);
	if (snprintf(path, sizeof(path), "%s/pair", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	rc = lfp_unix_addr(&maker->addr, path);
	if (!rc)
		rc = near_names_init(&maker->names, nn, dir);
	if (rc)
		return rc;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || (unlink(path) && errno != ENOENT) ||
	    bind(fd, (const struct sockaddr *)&maker->addr, sizeof(maker->addr)) ||
	    listen(fd, BACKLOG)) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		near_names_finish(&maker->names);
		return rc;
	}
	maker->listener = fd;
	maker->takes_no_rights =
		!setsockopt(fd, SOL_SOCKET, NEAR_PASSRIGHTS, &(int){0}, sizeof(int));
	maker->hands_on_refusal = maker->takes_no_rights && hands_on_refusal(maker);
	return 0;
}

void near_maker_finish(struct near_maker *maker)
{
	if (maker->listener < 0)
		return;
	passed_end(maker->listener);
	unlink(maker->addr.sun_path);
	maker->listener = -1;
	near_names_finish(&maker->names);
	near_living_finish(&maker->living);
}

static int get_cookie(int fd, uint64_t *cookie)
{
	socklen_t len = sizeof(*cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &len) ? -errno : 0;
}

int near_cookie(const struct near_maker *maker, int fd, uint64_t *cookie)
{
	return maker->unique_cookies && !get_cookie(fd, cookie) ? 0 : -EBADF;
}

static bool has_peer(int fd)
{
	struct sockaddr_un peer;
	socklen_t len = sizeof(peer);

	return !getpeername(fd, (struct sockaddr *)&peer, &len);
}

int near_identify(const struct near_maker *maker, int fd, struct near_id *id)
{
	int rc = near_names_read(&maker->names, fd, &id->name);

	id->living = 0;
	if (rc != -EBADF)
		return get_cookie(fd, &id->cookie) ? -EBADF : rc;
	/* A fresh socket has the mark as well, but no peer. */
	if (!maker->unique_cookies || !has_peer(fd) || near_fresh_family(maker, fd) < 0 ||
	    get_cookie(fd, &id->cookie))
		return -EBADF;
	id->name = id->cookie;
	return 0;
}

int near_name(struct near_maker *maker, int fd, uint64_t kind, struct near_id *id)
{
	int rc;

	id->name = near_names_draw(&maker->names, kind);
	id->living = 0;
	if (!id->name)
		return -EIO;
	rc = get_cookie(fd, &id->cookie);
	return rc ? rc : near_names_bind(&maker->names, fd, id->name);
}

int near_size(const struct near_maker *maker, int near)
{
	int size = (int)(maker->window_out > maker->window ? maker->window_out : maker->window);

	return setsockopt(near, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ? -errno : 0;
}

int near_create(struct near_maker *maker, struct near_id *id)
{
	int fds[2], rc = near_network_take(maker->network, NEAR_SOCKET_STREAM, fds);

	if (rc)
		return rc;
	rc = near_name(maker, fds[0], 0, id);
	if (rc) {
		close(fds[0]);
		return rc;
	}
	return fds[0];
}

/* Makes @fd, whose cookie is known, a near end without a path. Without a set it gets a path. */
static int enter_nameless(struct near_maker *maker, int fd, uid_t uid, struct near_id *id)
{
	id->name = id->cookie;
	id->living = near_living_add(&maker->living, fd, uid, id->cookie);
	return id->living ? 0 : near_name(maker, fd, 0, id);
}

static bool is_new_stream(int fd)
{
	return near_option_of(fd, SO_DOMAIN) == AF_UNIX &&
	       near_option_of(fd, SO_TYPE) == SOCK_STREAM && !has_peer(fd);
}

int near_adopt(struct near_maker *maker, int fd, struct near_id *id)
{
	return is_new_stream(fd) ? near_name(maker, fd, 0, id) : -EINVAL;
}

/* Returns true for a UNIX stream socket without a name. */
static bool is_nameless_stream(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) && addr.sun_family == AF_UNIX &&
	       len == offsetof(struct sockaddr_un, sun_path) &&
	       near_option_of(fd, SO_TYPE) == SOCK_STREAM;
}

int near_adopt_nameless(struct near_maker *maker, int fd, uid_t uid, struct near_id *id)
{
	if (!maker->unique_cookies)
		return near_adopt(maker, fd, id);
	/* near_identify() has found no peer. Pairing would fail with one. */
	if (!is_nameless_stream(fd))
		return -EINVAL;
	if (!id->cookie && get_cookie(fd, &id->cookie))
		return -EBADF;
	return enter_nameless(maker, fd, uid, id);
}

void near_give_path(struct near_maker *maker, int fd, struct near_id *id)
{
	struct near_id with_path = {.name = 0};

	if (!id->living || near_name(maker, fd, 0, &with_path))
		return;
	near_living_remove(&maker->living, fd, id->living);
	*id = with_path;
}

/* Returns true if both directions have ended. */
static bool has_hung_up(int far)
{
	struct pollfd pfd = {.fd = far};

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & (POLLHUP | POLLERR));
}

bool near_is_gone(struct near_maker *maker, const struct near_id *id, int far)
{
	if (!id->living)
		return near_names_is_gone(&maker->names, id->name);
	if (far >= 0 && !has_hung_up(far))
		return false;
	return near_living_is_gone(&maker->living, id->living, id->cookie);
}

void near_forget(struct near_maker *maker, struct near_id *id)
{
	if (id->living)
		near_living_leave(&maker->living, id->living);
	else if (id->name != id->cookie)
		near_names_forget(&maker->names, id->name);
	id->living = 0;
}

int near_fresh_family(const struct near_maker *maker, int fd)
{
	uint64_t mark = 0;
	socklen_t len = sizeof(mark);
	char nn[3];
	int family;

	if (getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, &len) || len != sizeof(mark))
		return -1;
	family = lfp_fresh_read(mark, nn);
	return !strcmp(nn, maker->names.nn) ? family : -1;
}

/*
 * SCM_RIGHTS from a program would be dropped by the instance's reads: for a TCP socket with
 * SO_LINGER that can block for as long as the program likes. Kernels from 6.16 on refuse them in
 * the program's send (SO_PASSRIGHTS).
 */
static void refuse_rights(int far)
{
	const int off = 0;

	(void)setsockopt(far, SOL_SOCKET, NEAR_PASSRIGHTS, &off, sizeof(off));
}

/* Makes the new stream @fd a near end without a path, if the kernel allows that. @family: AF_... */
static int prepare_nameless(struct near_maker *maker, int fd, uid_t uid, int family,
			    struct near_id *id)
{
	uint64_t mark = lfp_fresh_mark(maker->names.nn, family);

	if (!maker->unique_cookies || !maker->keeps_marks || get_cookie(fd, &id->cookie) ||
	    setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, sizeof(mark)))
		return near_name(maker, fd, 0, id);
	return enter_nameless(maker, fd, uid, id);
}

/* Takes a pair and sizes its ends. */
static int take_pair(const struct near_maker *maker, int fds[2])
{
	int size = (int)maker->window;
	int rc = near_network_take(maker->network, NEAR_SOCKET_PAIR, fds);

	if (rc)
		return rc;
	/* O_NONBLOCK belongs to the far end only. The near end's flag is the program's. */
	if (!fcntl(fds[1], F_SETFL, O_RDWR | O_NONBLOCK) &&
	    !setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) &&
	    !near_size(maker, fds[0]))
		return 0;
	rc = -errno;
	close(fds[0]);
	close(fds[1]);
	return rc;
}

/* @rc: of the near end's preparation */
static int give_pair(const int fds[2], int rc, int *near, int *far)
{
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

int near_create_pair(struct near_maker *maker, struct near_id *id, int *near, int *far)
{
	int fds[2], rc = take_pair(maker, fds);

	return rc ? rc : give_pair(fds, near_name(maker, fds[0], 0, id), near, far);
}

int near_create_accepted(struct near_maker *maker, uid_t uid, int family, struct near_id *id,
			 int *near, int *far)
{
	int fds[2], rc = take_pair(maker, fds);

	return rc ? rc
		  : give_pair(fds, prepare_nameless(maker, fds[0], uid, family, id), near, far);
}

/* Unlike accept4() this makes no file for a connection that is not there. */
static bool has_connection(const struct near_maker *maker)
{
	struct pollfd pfd = {.fd = maker->listener, .events = POLLIN};

	return poll(&pfd, 1, 0) > 0;
}

int near_pair(const struct near_maker *maker, int near)
{
	int size = (int)maker->window;
	int far;

	/* The near end may be blocking, so the listener's backlog must not be full. The instance
	 * leaves nothing there, except a connection whose accept failed for lack of descriptors. */
	while (has_connection(maker)) {
		far = accept_own(maker);
		if (far >= 0)
			close(far);
		else if (far != -EAGAIN)
			return far;
	}
	if (connect(near, (const struct sockaddr *)&maker->addr, sizeof(maker->addr)))
		return -errno;
	far = accept_own(maker);
	if (far < 0)
		return far;
	if (!maker->hands_on_refusal)
		refuse_rights(far);
	if (setsockopt(far, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size))) {
		int rc = -errno;

		close(far);
		return rc;
	}
	return far;
}

int near_tell_unread(int near, bool on)
{
	const int value = on, priority = on ? LFP_NEAR_INQ_PRIORITY : 0;

	if (!setsockopt(near, SOL_SOCKET, LFP_NEAR_INQ, &value, sizeof(value)))
		return 0;
	if (errno != ENOPROTOOPT)
		return -errno;
	return setsockopt(near, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) ? -errno : 0;
}

int64_t near_gate_fill(int near)
{
	static const uint8_t zeros[32768];
	int64_t filled = 0;

	for (;;) {
		ssize_t n = send(near, zeros, sizeof(zeros), MSG_DONTWAIT | MSG_NOSIGNAL);

		/* EPIPE: the program has shut the near end down, and can write nothing. */
		if (n < 0)
			return errno == EAGAIN || errno == EPIPE ? filled : -errno;
		filled += n;
	}
}

int near_gate_drain(int far, uint64_t bytes)
{
	uint8_t buf[32768];

	while (bytes) {
		size_t want = bytes < sizeof(buf) ? (size_t)bytes : sizeof(buf);
		ssize_t n = passed_receive(far, buf, want);

		if (n < 0)
			return -errno;
		if (n == 0)
			return -EPIPE;
		bytes -= (uint64_t)n;
	}
	return 0;
}

int near_send_record(int far, const struct lfp_accept_record *record, int near)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)record, .iov_len = sizeof(*record)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg;
	ssize_t n;

	memset(&control, 0, sizeof(control));
	cmsg = CMSG_FIRSTHDR(&msg);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &near, sizeof(int));
	n = sendmsg(far, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	return n == sizeof(*record) ? 0 : -EIO;
}
