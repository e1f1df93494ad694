/* SPDX-License-Identifier: Apache-2.0 */
/* udp-errors.c - ICMP errors of a datagram socket: ECONNREFUSED, once, by each call; the error
 * queue */
#include <time.h>

#include <linux/errqueue.h>
#include <sys/epoll.h>

#include "tests/conformance/jobs.h"

enum teller {
	BY_RECV,
	BY_SEND,
	BY_READ,
	BY_WRITE,
	BY_RECVMSG,
	BY_SO_ERROR,
	BY_RECVMMSG,
	BY_SENDMSG
};

static const char *const tellers[] = {"recv",    "send",     "read",     "write",
				      "recvmsg", "SO_ERROR", "recvmmsg", "sendmsg"};

static const char *tell(enum teller how, int fd)
{
	char buf[8];
	struct iovec iov = {buf, sizeof(buf)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct mmsghdr many = {.msg_hdr = msg};
	ssize_t n = -1;

	errno = 0;
	switch (how) {
	case BY_RECV:
		n = recv(fd, buf, 8, 0);
		break;
	case BY_SEND:
		n = send(fd, "x", 1, 0);
		break;
	case BY_READ:
		n = read(fd, buf, 8);
		break;
	case BY_WRITE:
		n = write(fd, "x", 1);
		break;
	case BY_RECVMSG:
		n = recvmsg(fd, &msg, 0);
		break;
	case BY_SO_ERROR:
		return socket_error(fd);
	case BY_RECVMMSG:
		n = recvmmsg(fd, &many, 1, 0, NULL);
		break;
	case BY_SENDMSG:
		n = sendmsg(fd, &msg, 0);
		break;
	}
	return n < 0 ? error_name(errno) : "no error";
}

static void refused(int af)
{
	for (enum teller how = BY_RECV; how <= BY_SENDMSG; how++) {
		struct addr none = nobody(af);
		int fd = new_socket(af, SOCK_DGRAM | SOCK_NONBLOCK);

		about("udp%d refused, told by %s", digit(af), tellers[how]);
		MUST(connect(fd, ADDR(&none)));
		TRY("send", send(fd, "x", 1, 0));
		say("events", "%s", events_with(fd, POLLERR));
		say("it", "%s", tell(how, fd));
		/* Another transmission would bring the next one. */
		say("once", "%s",
		    tell(how == BY_SEND || how == BY_WRITE || how == BY_SENDMSG ? BY_RECV : how,
			 fd));
		close(fd);
	}
}

static void blocked(int af)
{
	struct addr none = nobody(af), addr;
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	struct job job;
	int fd = new_socket(af, SOCK_DGRAM), set = epoll_create1(0), other;

	about("udp%d refused", digit(af));
	MUST(connect(fd, ADDR(&none)));
	job_block(&job, JOB_RECV, fd, NULL);
	MUST(send(fd, "x", 1, 0));
	job_say("waiting in recv", &job);
	job_block(&job, JOB_POLL, fd, NULL);
	MUST(send(fd, "x", 1, 0));
	job_say("waiting in poll", &job);
	say("SO_ERROR", "%s", socket_error(fd));
	MUST(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	MUST(send(fd, "x", 1, 0));
	TRY("epoll", epoll_wait(set, &event, 1, WAIT_MS));
	say("epoll: events", "%s", events_text(event.events));
	say("SO_ERROR then", "%s", socket_error(fd));
	/* Now a socket is bound to the port. */
	other = new_socket(af, SOCK_DGRAM);
	MUST(bind(other, ADDR(&none)));
	addr = name_of(fd);
	say("a bound peer", "%s", exchange(fd, other));
	MUST(connect(other, ADDR(&addr)));
	say("and answers", "%s", exchange(other, fd));
	close(other);
	close(fd);
	close(set);
}

/* Unconnected sockets get no ICMP errors without IP_RECVERR (net/ipv4/udp.c, __udp4_lib_err()). */
static void unconnected(int af)
{
	struct addr none = nobody(af), addr;
	int fd = bound(af, SOCK_DGRAM | SOCK_NONBLOCK, &addr);

	about("udp%d not connected", digit(af));
	TRY("sendto", sendto(fd, "x", 1, 0, ADDR(&none)));
	pause_ms(NOTHING_MS);
	say("events", "%s", events_text(all_events(fd)));
	TRY("recv", recv(fd, &(char){0}, 1, 0));
	TRY("sendto again", sendto(fd, "x", 1, 0, ADDR(&none)));
	say("SO_ERROR", "%s", socket_error(fd));
	close(fd);
}

static void error_queue(int af)
{
	struct addr none = nobody(af), target = {.len = sizeof(target.storage)};
	union {
		struct cmsghdr align;
		char bytes[512];
	} control;
	char buf[16] = "";
	struct iovec iov = {buf, sizeof(buf)};
	struct msghdr msg = {
		.msg_name = &target.storage,
		.msg_namelen = sizeof(target.storage),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control),
	};
	int fd = new_socket(af, SOCK_DGRAM | SOCK_NONBLOCK);
	struct cmsghdr *cmsg;

	about("udp%d error queue", digit(af));
	TRY("IP_RECVERR", af == AF_INET ? set_option(fd, IPPROTO_IP, IP_RECVERR, 1)
					: set_option(fd, IPPROTO_IPV6, IPV6_RECVERR, 1));
	TRY("empty", recvmsg(fd, &msg, MSG_ERRQUEUE));
	MUST(sendto(fd, "payload", 7, 0, ADDR(&none)));
	WAIT_FOR(VAIN_MS, all_events(fd) & POLLERR);
	say("events", "%s", events_text(all_events(fd)));
	msg.msg_controllen = sizeof(control);
	TRY("recvmsg", recvmsg(fd, &msg, MSG_ERRQUEUE));
	say("the datagram", "%.7s", buf);
	say("flags", "%#x", (unsigned int)msg.msg_flags);
	target.len = msg.msg_namelen;
	say("where it went", "%d", same_addr(&target, &none));
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		struct sock_extended_err error;

		if (cmsg->cmsg_type != (af == AF_INET ? IP_RECVERR : IPV6_RECVERR))
			continue;
		memcpy(&error, CMSG_DATA(cmsg), sizeof(error));
		say("the error", "%s, origin %d, type %d, code %d", error_name((int)error.ee_errno),
		    error.ee_origin, error.ee_type, error.ee_code);
	}
	TRY("empty again", recvmsg(fd, &msg, MSG_ERRQUEUE));
	TRY("recv", recv(fd, buf, sizeof(buf), 0));
	TRY("recv then", recv(fd, buf, sizeof(buf), 0));
	close(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		refused(af);
		blocked(af);
		unconnected(af);
		error_queue(af);
	}
	return 0;
}
