/* SPDX-License-Identifier: Apache-2.0 */
/* serve-data.c - sending and receiving, where the calls carry more than data */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lfp-run/handlers.h"
#include "lfp-run/message.h"
#include "lfp-run/near-call.h"
#include "lfp-run/target.h"
#include "lfp-run/unix-door.h"
#include "libvsesock/core/deadline.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/cookie.h"
#include "libvsesock/preload/datagrams.h"

/*
 * Theory of operation
 *
 * A stream's data goes past the supervisor: where a call has neither an address nor a flag that a
 * UNIX socket treats in another way the kernel does it. Datagrams come with addresses, which the
 * shim's functions translate. So this file calls those functions with copies. All calls become one
 * or several of sendmsg() or recvmsg().
 */

#define DATAGRAM_MOST 0xffffu /* bytes; the kernel's udp_sendmsg() */

static bool may_wait(int fd, int flags)
{
	return !(flags & MSG_DONTWAIT) && serve_may_wait(fd);
}

static bool is_stream(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return !raw_getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_STREAM;
}

/* Result of a call that could not get a worker thread and was made without waiting. */
static long no_wait(int error)
{
	return error == EAGAIN ? -ENOBUFS : -error;
}

/* Bytes or a negative errno. */
static long send_waiting(struct trap *trap, int fd, const struct msghdr *msg, int flags)
{
	struct wait wait;
	long rc;

	if (serve_wait_begin(&wait, trap) < 0) {
		rc = sendmsg(fd, msg, flags | MSG_DONTWAIT);
		return rc < 0 ? no_wait(errno) : rc;
	}
	do {
		rc = sendmsg(fd, msg, flags);
		if (rc < 0)
			rc = -errno;
	} while (wait_again(&wait, rc));
	return wait_end(&wait, rc, serve_is_limited(fd, SO_SNDTIMEO));
}

/* An unconnected stream fails before the kernel reads the data. Returns 0 if this one must read
 * it. */
static long send_nothing(int fd, int flags)
{
	ssize_t rc;

	if ((flags & MSG_FASTOPEN) || !is_stream(fd) || near_end_paired(fd))
		return 0;
	rc = send(fd, NULL, 0, (flags & ~MSG_OOB) | MSG_NOSIGNAL | MSG_DONTWAIT);
	return rc < 0 ? -errno : 0;
}

static long send_filled(struct trap *trap, int fd, struct message *m, int flags)
{
	long rc;

	if (may_wait(fd, flags))
		return send_waiting(trap, fd, &m->ours, flags | MSG_NOSIGNAL);
	rc = sendmsg(fd, &m->ours, flags | MSG_NOSIGNAL);
	return rc < 0 ? -errno : rc;
}

static long send_message(struct trap *trap, int fd, struct message *m, int flags)
{
	long rc = send_nothing(fd, flags);

	if (!rc) {
		/* A datagram that is too long is refused before its data is looked at. */
		if (m->len > DATAGRAM_MOST && !is_stream(fd))
			m->count = 0;
		rc = message_fill(trap, m);
		if (rc < 0)
			return rc;
		rc = send_filled(trap, fd, m, flags);
	}
	if (rc == -EPIPE && !(flags & MSG_NOSIGNAL))
		target_raise(trap, SIGPIPE);
	return rc;
}

static long send_to(struct trap *trap, int fd)
{
	long rc;
	struct message *m = message_make(trap, &rc);

	if (!m)
		return rc;
	m->theirs.msg_name = (void *)(uintptr_t)trap->arg[4];
	m->theirs.msg_namelen = (socklen_t)trap->arg[5];
	rc = send_message(trap, fd, m, (int)trap->arg[3]);
	message_free(m);
	return rc;
}

/* One message of sendmsg() or sendmmsg(). */
static long send_one(struct trap *trap, int fd, uint64_t at, int flags)
{
	long rc;
	struct message *m = message_take(trap, at, &rc);

	if (!m)
		return rc;
	rc = send_message(trap, fd, m, flags);
	message_free(m);
	return rc;
}

static long receive_waiting(struct trap *trap, int fd, struct msghdr *msg, int flags)
{
	const struct msghdr before = *msg;
	struct wait wait;
	long rc;

	if (serve_wait_begin(&wait, trap) < 0) {
		rc = recvmsg(fd, msg, flags | MSG_DONTWAIT);
		return rc < 0 ? no_wait(errno) : rc;
	}
	do {
		*msg = before;
		rc = recvmsg(fd, msg, flags);
		if (rc < 0)
			rc = -errno;
	} while (wait_again(&wait, rc));
	return wait_end(&wait, rc, serve_is_limited(fd, SO_RCVTIMEO));
}

/* Receives into our buffers, with room for an address and control data if requested, and copies the
 * result to the program. Returns bytes or a negative errno. */
static long receive_message(struct trap *trap, int fd, struct message *m, int flags, uint64_t at)
{
	size_t control = m->theirs.msg_controllen;
	int ours = flags | MSG_CMSG_CLOEXEC;
	size_t got;
	long rc;

	if (m->theirs.msg_name) {
		m->ours.msg_name = &m->addr;
		m->ours.msg_namelen = sizeof(m->addr);
	}
	if (m->theirs.msg_control && control) {
		m->ours.msg_control = m->control.buf;
		m->ours.msg_controllen = control < MESSAGE_CONTROL ? control : MESSAGE_CONTROL;
	}
	if (may_wait(fd, flags)) {
		rc = receive_waiting(trap, fd, &m->ours, ours);
	} else {
		rc = recvmsg(fd, &m->ours, ours);
		rc = rc < 0 ? -errno : rc;
	}
	if (rc < 0)
		return rc;
	/* Descriptors from the instance are not for programs. */
	m->ours.msg_controllen = message_strip(m->control.buf, m->ours.msg_controllen, true);
	/* With MSG_TRUNC a stream discards the data; a datagram's true length is returned. */
	got = (flags & MSG_TRUNC) && is_stream(fd) ? 0 : (size_t)rc;
	return message_give(trap, m, got, at) < 0 ? -EFAULT : rc;
}

static long receive_from(struct trap *trap, int fd)
{
	long rc;
	struct message *m = message_make(trap, &rc);
	int room, bad = 0;

	if (!m)
		return rc;
	m->theirs.msg_name = (void *)(uintptr_t)trap->arg[4];
	rc = receive_message(trap, fd, m, (int)trap->arg[3], 0);
	/* As in the kernel, the received data is lost if the address cannot be written. */
	if (rc >= 0 && trap->arg[4])
		bad = target_addr_room(trap, trap->arg[5], &room);
	if (rc >= 0 && trap->arg[4] && !bad)
		bad = target_write_addr(trap, trap->arg[4], trap->arg[5], room, &m->addr,
					m->ours.msg_namelen);
	message_free(m);
	return bad ? bad : rc;
}

/* One message of recvmsg() or recvmmsg(). */
static long receive_one(struct trap *trap, int fd, uint64_t at, int flags)
{
	struct message *m;
	long rc;

	m = message_take(trap, at, &rc);
	if (!m)
		return rc;
	if ((int)m->theirs.msg_namelen < 0)
		rc = -EINVAL;
	else
		rc = receive_message(trap, fd, m, flags, at);
	message_free(m);
	return rc;
}

static uint64_t place_of(const struct trap *trap, uint32_t nr)
{
	return trap->arg[1] + nr * sizeof(struct mmsghdr);
}

static uint32_t count_of(const struct trap *trap)
{
	uint32_t count = (uint32_t)trap->arg[2];

	return count < IOV_MAX ? count : IOV_MAX;
}

/* Writes the length of message @nr to the program's memory. */
static long give_len(const struct trap *trap, uint32_t nr, long rc)
{
	uint32_t len = (uint32_t)rc;

	return target_write(trap, place_of(trap, nr) + offsetof(struct mmsghdr, msg_len), &len,
			    sizeof(len));
}

static long send_many(struct trap *trap, int fd)
{
	uint32_t count = count_of(trap), done;
	long rc = 0;

	for (done = 0; done < count; done++) {
		rc = send_one(trap, fd, place_of(trap, done), (int)trap->arg[3]);
		if (rc >= 0)
			rc = give_len(trap, done, rc);
		if (rc < 0)
			break;
	}
	return done ? (long)done : rc;
}

/* Reads the timeout of the call, if any, and computes its end. Returns 0 or a negative errno. */
static long take_timeout(const struct trap *trap, struct timespec *timeout, struct timespec *end)
{
	if (!trap->arg[4])
		return 0;
	if (target_read(trap, timeout, trap->arg[4], sizeof(*timeout)) < 0)
		return -EFAULT;
	return deadline_set(end, timeout);
}

/* After some messages, an error is left for the next call (net/socket.c, do_recvmmsg()). */
static bool wait_next(struct trap *trap, int fd, int flags)
{
	struct wait wait;
	long rc;

	if (is_stream(fd) || (flags & MSG_ERRQUEUE))
		return true;
	if (!may_wait(fd, flags) || serve_wait_begin(&wait, trap) < 0)
		return datagram_wait_next(fd, flags | MSG_DONTWAIT) > 0;
	do {
		rc = datagram_wait_next(fd, flags);
	} while (wait_again(&wait, rc));
	return wait_end(&wait, rc, serve_is_limited(fd, SO_RCVTIMEO)) > 0;
}

/* As in the kernel, the time limit is checked after each message, not while waiting for one. */
static long receive_many(struct trap *trap, int fd)
{
	uint32_t count = count_of(trap), done = 0;
	int flags = (int)trap->arg[3];
	struct timespec left, end;
	long rc = take_timeout(trap, &left, &end);

	while (!rc && done < count) {
		if (done && !wait_next(trap, fd, flags))
			break;
		rc = receive_one(trap, fd, place_of(trap, done), flags & ~MSG_WAITFORONE);
		if (rc >= 0)
			rc = give_len(trap, done, rc);
		if (rc < 0)
			break;
		done++;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		if (trap->arg[4] && deadline_passed(&end, &left))
			break;
	}
	if (done && trap->arg[4] && target_write(trap, trap->arg[4], &left, sizeof(left)) < 0)
		return -EFAULT;
	return done ? (long)done : rc;
}

/* Returns true if these messages have no address and, for sending, no control data. */
static bool are_bare(const struct trap *trap, uint32_t count, size_t size, bool sent)
{
	struct msghdr head;

	for (uint32_t i = 0; i < count; i++) {
		if (target_read(trap, &head, trap->arg[1] + i * size, sizeof(head)) < 0 ||
		    (head.msg_name && head.msg_namelen) || (sent && head.msg_controllen))
			return false;
	}
	return true;
}

/* Data of a stream, with nothing that would have to be translated. MSG_MORE is the kernel's there.
 */
static bool is_plain(const struct trap *trap, int fd)
{
	const int send = SPECIAL_SEND_FLAGS & ~(MSG_MORE | MSG_DONTROUTE);
	const int receive = SPECIAL_RECEIVE_FLAGS;

	if (!is_stream(fd) || !near_end_paired(fd))
		return false;
	switch (trap->nr) {
	case SYS_sendto:
		return !((int)trap->arg[3] & send) && !trap->arg[4];
	case SYS_sendmsg:
		return !((int)trap->arg[2] & send) && are_bare(trap, 1, 0, true);
	case SYS_sendmmsg:
		return !((int)trap->arg[3] & send) &&
		       are_bare(trap, count_of(trap), sizeof(struct mmsghdr), true);
	case SYS_recvmsg:
		return !((int)trap->arg[2] & receive) && are_bare(trap, 1, 0, false);
	case SYS_recvmmsg:
		return !((int)trap->arg[3] & receive) &&
		       are_bare(trap, count_of(trap), sizeof(struct mmsghdr), false);
	default:
		return false;
	}
}

long serve_send(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;

	if (fd == TRAP_CONTINUE && unix_door_is_shut())
		return unix_door_send(trap);
	if (fd < 0)
		return fd;
	if (is_plain(trap, (int)fd))
		rc = TRAP_CONTINUE;
	else if (trap->nr == SYS_sendto)
		rc = send_to(trap, (int)fd);
	else if (trap->nr == SYS_sendmsg)
		rc = send_one(trap, (int)fd, trap->arg[1], (int)trap->arg[2]);
	else
		rc = send_many(trap, (int)fd);
	close((int)fd);
	return rc;
}

long serve_receive(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;

	if (fd < 0)
		return fd;
	if (is_plain(trap, (int)fd))
		rc = TRAP_CONTINUE;
	else if (trap->nr == SYS_recvfrom)
		rc = receive_from(trap, (int)fd);
	else if (trap->nr == SYS_recvmsg)
		rc = receive_one(trap, (int)fd, trap->arg[1], (int)trap->arg[2]);
	else
		rc = receive_many(trap, (int)fd);
	close((int)fd);
	return rc;
}
