/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - getsockname, getpeername, and addresses between programs and the control channel */
#include <string.h>
#include <sys/uio.h>

#include "lfp/addr.h"
#include "libvsesock/core/known.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/sandbox.h"
#include "libvsesock/preload/hooks.h"

int take_addr(struct lfp_addr *to, const struct sockaddr *addr, socklen_t addrlen)
{
	if (addrlen > sizeof(struct sockaddr_storage))
		return -EINVAL;
	if (!addr)
		return addrlen ? -EFAULT : -EINVAL;
	if (memory_check_read(addr, addrlen))
		return -EFAULT;
	return lfp_addr_from(to, addr, addrlen);
}

int check_msg(const struct msghdr *msg)
{
	int rc = memory_check_read(msg, sizeof(*msg));

	if (rc)
		return rc;
	if (msg->msg_iovlen > UIO_MAXIOV)
		return -EMSGSIZE;
	return memory_check_pages(msg->msg_iov, msg->msg_iovlen * sizeof(*msg->msg_iov));
}

int check_addr_room(const struct sockaddr *addr, const socklen_t *addrlen)
{
	if (!addrlen || memory_check_read(addrlen, sizeof(*addrlen)))
		return -EFAULT;
	if ((int)*addrlen < 0)
		return -EINVAL;
	return !addr && *addrlen ? -EFAULT : 0;
}

int give_addr(const struct lfp_addr *from, struct sockaddr *addr, socklen_t *addrlen)
{
	struct sockaddr_storage sa;
	socklen_t len = lfp_addr_to(from, &sa);
	socklen_t cut = len < *addrlen ? len : *addrlen;

	if (memory_check_write(addr, cut))
		return -EFAULT;
	if (cut)
		memcpy(addr, &sa, cut);
	*addrlen = len;
	return 0;
}

/* The addresses of a near end, as the instance says. */
struct answer {
	struct lfp_addr asked, other;
};

/* Asks the instance. @other: the answer may also have the other address: then both hold as long as
 * the connection does. */
static int ask_name(int fd, const char *nn, enum lfp_ctl_op op, struct answer *answer)
{
	struct ctl_call call = {
		.nn = nn,
		.op = (uint16_t)op,
		.a = LFP_CTL_BOTH,
		.fd = fd,
		.answer = answer,
		.room = sizeof(*answer),
	};
	int rc = ctl_call(&call);

	if (rc < 0)
		return rc;
	if (call.answer_len < sizeof(answer->asked))
		return -ENETDOWN;
	if (call.answer_len < sizeof(*answer))
		answer->other.family = LFP_AF_UNSPEC;
	return 0;
}

/* @cookie is that of @fd before the call. Meanwhile another thread can have put another socket at
 * the number. */
static void remember(int fd, uint64_t cookie, enum lfp_ctl_op op, const struct answer *answer)
{
	bool peer = op == LFP_CTL_GETPEERNAME;
	struct known_names names = {
		.local = peer ? answer->other : answer->asked,
		.peer = peer ? answer->asked : answer->other,
	};

	if (answer->other.family && known_cookie(fd) == cookie)
		known_put(cookie, &names);
}

static int give_checked(const struct lfp_addr *from, struct sockaddr *addr, socklen_t *addrlen)
{
	int rc = check_addr_room(addr, addrlen);

	return rc < 0 ? rc : give_addr(from, addr, addrlen);
}

static int give_name(int fd, const char *nn, enum lfp_ctl_op op, struct sockaddr *addr,
		     socklen_t *addrlen)
{
	uint64_t cookie = known_cookie(fd);
	struct answer answer;
	int rc = ask_name(fd, nn, op, &answer);

	if (rc < 0)
		return rc;
	remember(fd, cookie, op, &answer);
	/* Checked after the call, as in the kernel (net/socket.c, __sys_getpeername()): ENOTCONN
	 * comes before EFAULT. */
	return give_checked(&answer.asked, addr, addrlen);
}

/* Returns true unless the program has ended its direction or the connection is over: then the
 * instance knows more. Sends nothing. */
static bool is_open(int fd)
{
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;

	/* sendto() is cheaper, but has no room for the cookie of lfp-run's filter. */
	if (raw_cookie)
		return !sandbox_kills(SANDBOX_SENDMSG) && raw_sendto(fd, "", 0, flags) == 0;
	return !sandbox_kills(SANDBOX_SENDTO) && raw_call(SYS_sendto, fd, 0, 0, flags, 0, 0) == 0;
}

/* Finds the addresses of a connection that are known. Only a number that is noted as a stream's is
 * looked up: others cost nothing more. */
static bool find_names(int fd, struct known_names *names)
{
	return near_bit(near_stream_bits, fd) && known_get(known_cookie(fd), names);
}

int hook_getsockname(int fd, struct sockaddr *addr, socklen_t *addrlen)
{
	struct sockaddr_storage own;
	struct known_names names;
	socklen_t len = sizeof(own);
	bool is_known = find_names(fd, &names);
	char nn[3];
	int rc;

	if (!is_known && !near_end(fd, nn))
		return raw_getsockname(fd, addr, addrlen);
	rc = filter_verdict(raw_getsockname(-1, &own, &len));
	if (rc < 0)
		return rc;
	/* The local address outlives the connection. */
	if (is_known)
		return give_checked(&names.local, addr, addrlen);
	return give_name(fd, nn, LFP_CTL_GETSOCKNAME, addr, addrlen);
}

int hook_getpeername(int fd, struct sockaddr *addr, socklen_t *addrlen)
{
	struct sockaddr_storage own;
	struct known_names names;
	socklen_t len = sizeof(own);
	bool is_known = find_names(fd, &names) && is_open(fd);
	char nn[3];
	int rc;

	if (!is_known && !near_end(fd, nn))
		return raw_getpeername(fd, addr, addrlen);
	rc = filter_verdict(raw_getpeername(-1, &own, &len));
	if (rc < 0)
		return rc;
	if (is_known)
		return give_checked(&names.peer, addr, addrlen);
	return give_name(fd, nn, LFP_CTL_GETPEERNAME, addr, addrlen);
}

EXPORT int getsockname(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	return (int)give(hook_getsockname(fd, addr.__sockaddr__, addrlen));
}

EXPORT int getpeername(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	return (int)give(hook_getpeername(fd, addr.__sockaddr__, addrlen));
}
