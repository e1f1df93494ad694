/* SPDX-License-Identifier: Apache-2.0 */
/* ancillary.c - control data of datagrams: where they came in, TTL and TOS, both ways */
#include <sys/mman.h>

#include "tests/conformance/conform.h"

#define CONTROL_SIZE 512

struct box {
	struct msghdr msg;
	struct iovec iov;
	struct addr addr;
	char buf[32];
	union {
		struct cmsghdr align;
		char bytes[CONTROL_SIZE];
	} control;
};

static ssize_t take(int fd, struct box *box, size_t room)
{
	memset(box, 0, sizeof(*box));
	box->iov = (struct iovec){box->buf, sizeof(box->buf)};
	box->msg = (struct msghdr){
		.msg_name = &box->addr.storage,
		.msg_namelen = sizeof(box->addr.storage),
		.msg_iov = &box->iov,
		.msg_iovlen = 1,
		.msg_control = box->control.bytes,
		.msg_controllen = room,
	};
	if (!readable(fd))
		return -1;
	return recvmsg(fd, &box->msg, 0);
}

static void say_control(const char *name, struct box *box)
{
	char text[256] = "";
	size_t at = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(&box->msg); c; c = CMSG_NXTHDR(&box->msg, c)) {
		char host[INET6_ADDRSTRLEN] = "", own[INET6_ADDRSTRLEN] = "";
		struct in_pktinfo four;
		struct in6_pktinfo six;
		int number = 0;

		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memcpy(&four, CMSG_DATA(c), sizeof(four));
			inet_ntop(AF_INET, &four.ipi_addr, host, sizeof(host));
			inet_ntop(AF_INET, &four.ipi_spec_dst, own, sizeof(own));
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       " [to %s, %s, interface %d]", host, own,
					       four.ipi_ifindex != 0);
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			memcpy(&six, CMSG_DATA(c), sizeof(six));
			inet_ntop(AF_INET6, &six.ipi6_addr, host, sizeof(host));
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       " [to %s, interface %d]", host,
					       six.ipi6_ifindex != 0);
		} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMP) {
			at += (size_t)snprintf(text + at, sizeof(text) - at, " [time, %zu bytes]",
					       (size_t)c->cmsg_len - CMSG_LEN(0));
		} else {
			memcpy(&number, CMSG_DATA(c),
			       c->cmsg_len == CMSG_LEN(1) ? 1 : sizeof(number));
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       " [level %d type %d: %d]", c->cmsg_level,
					       c->cmsg_type, number);
		}
	}
	say(name, "flags %#x, room %d,%s", box->msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC),
	    box->msg.msg_controllen > 0, at ? text : " none");
}

struct wish {
	const char *text;
	int level, name;
};

static const struct wish wishes4[] = {
	{"IP_PKTINFO", IPPROTO_IP, IP_PKTINFO},
	{"IP_RECVTTL", IPPROTO_IP, IP_RECVTTL},
	{"IP_RECVTOS", IPPROTO_IP, IP_RECVTOS},
	{"SO_TIMESTAMP", SOL_SOCKET, SO_TIMESTAMP},
};

static const struct wish wishes6[] = {
	{"IPV6_RECVPKTINFO", IPPROTO_IPV6, IPV6_RECVPKTINFO},
	{"IPV6_RECVHOPLIMIT", IPPROTO_IPV6, IPV6_RECVHOPLIMIT},
	{"IPV6_RECVTCLASS", IPPROTO_IPV6, IPV6_RECVTCLASS},
	{"SO_TIMESTAMP", SOL_SOCKET, SO_TIMESTAMP},
};

static void receiving(int af, bool connected)
{
	const struct wish *wishes = af == AF_INET ? wishes4 : wishes6;
	size_t nr = af == AF_INET ? sizeof(wishes4) / sizeof(*wishes)
				  : sizeof(wishes6) / sizeof(*wishes);
	struct addr addr[2], any = wildcard(af, 0);
	struct box box;
	int fd[2];
	char text[64];

	about("udp%d %s", digit(af), connected ? "connected" : "not connected");
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = new_socket(af, SOCK_DGRAM);
	MUST(bind(fd[1], ADDR(&any)));
	addr[1] = name_of(fd[1]);
	addr[1] = loopback(af, port_of(&addr[1]));
	if (connected) {
		MUST(connect(fd[0], ADDR(&addr[1])));
		MUST(connect(fd[1], ADDR(&addr[0])));
	}
	if (af == AF_INET) {
		MUST(set_option(fd[0], IPPROTO_IP, IP_TTL, 33));
		MUST(set_option(fd[0], IPPROTO_IP, IP_TOS, 0x28));
	} else {
		MUST(set_option(fd[0], IPPROTO_IPV6, IPV6_UNICAST_HOPS, 33));
		MUST(set_option(fd[0], IPPROTO_IPV6, IPV6_TCLASS, 0x28));
	}
	MUST(sendto(fd[0], "plain", 5, 0, connected ? NULL : &addr[1].sa,
		    connected ? 0 : addr[1].len));
	TRY("nothing is asked for", take(fd[1], &box, CONTROL_SIZE));
	say_control("nothing is asked for: it", &box);
	for (size_t i = 0; i < nr; i++) {
		TRY(wishes[i].text, set_option(fd[1], wishes[i].level, wishes[i].name, 1));
		MUST(sendto(fd[0], "one", 3, 0, connected ? NULL : &addr[1].sa,
			    connected ? 0 : addr[1].len));
		snprintf(text, sizeof(text), "%s: bytes", wishes[i].text);
		say(text, "%zd", take(fd[1], &box, CONTROL_SIZE));
		snprintf(text, sizeof(text), "%s: it", wishes[i].text);
		say_control(text, &box);
		snprintf(text, sizeof(text), "%s: sender", wishes[i].text);
		box.addr.len = box.msg.msg_namelen;
		say(text, "%d", same_addr(&box.addr, &addr[0]));
		MUST(set_option(fd[1], wishes[i].level, wishes[i].name, 0));
	}
	for (size_t i = 0; i < nr; i++)
		MUST(set_option(fd[1], wishes[i].level, wishes[i].name, 1));
	MUST(sendto(fd[0], "all", 3, 0, connected ? NULL : &addr[1].sa,
		    connected ? 0 : addr[1].len));
	TRY("all", take(fd[1], &box, CONTROL_SIZE));
	say_control("all: they", &box);
	MUST(sendto(fd[0], "short", 5, 0, connected ? NULL : &addr[1].sa,
		    connected ? 0 : addr[1].len));
	TRY("no room", take(fd[1], &box, 0));
	say_control("no room: none", &box);
	MUST(sendto(fd[0], "read", 4, 0, connected ? NULL : &addr[1].sa,
		    connected ? 0 : addr[1].len));
	readable(fd[1]);
	TRY("read does not care", read(fd[1], box.buf, sizeof(box.buf)));
	say("read does not care: it", "%.4s", box.buf);
	close_pair(fd);
}

/* One control message to send */
static void send_with(const char *text, int fd, const struct addr *to, int level, int type,
		      const void *data, size_t len)
{
	union {
		struct cmsghdr align;
		char bytes[CONTROL_SIZE];
	} control = {0};
	char buf[] = "with";
	struct iovec iov = {buf, 4};
	struct addr copy = *to;
	struct msghdr msg = {
		.msg_name = to->len ? &copy.storage : NULL,
		.msg_namelen = to->len,
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(len),
	};

	control.align = (struct cmsghdr){CMSG_LEN(len), level, type};
	memcpy(CMSG_DATA(&control.align), data, len);
	errno = 0;
	say_result(text, "sendmsg", sendmsg(fd, &msg, 0));
}

static void sending(int af, bool connected)
{
	struct addr addr[2], none = {.len = 0}, *to, any = wildcard(af, 0);
	struct box box;
	int fd[2], number, level = af == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;

	about("udp%d sending, %s", digit(af), connected ? "connected" : "not connected");
	fd[0] = new_socket(af, SOCK_DGRAM);
	MUST(bind(fd[0], ADDR(&any)));
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	if (connected)
		MUST(connect(fd[0], ADDR(&addr[1])));
	to = connected ? &none : &addr[1];
	MUST(set_option(fd[1], level, af == AF_INET ? IP_RECVTTL : IPV6_RECVHOPLIMIT, 1));
	MUST(set_option(fd[1], level, af == AF_INET ? IP_RECVTOS : IPV6_RECVTCLASS, 1));
	number = 7;
	send_with("TTL", fd[0], to, level, af == AF_INET ? IP_TTL : IPV6_HOPLIMIT, &number, 4);
	TRY("TTL: recvmsg", take(fd[1], &box, CONTROL_SIZE));
	say_control("TTL: it", &box);
	number = 0x10;
	send_with("TOS", fd[0], to, level, af == AF_INET ? IP_TOS : IPV6_TCLASS, &number, 4);
	TRY("TOS: recvmsg", take(fd[1], &box, CONTROL_SIZE));
	say_control("TOS: it", &box);
	number = 1000;
	send_with("a TTL that cannot be", fd[0], to, level, af == AF_INET ? IP_TTL : IPV6_HOPLIMIT,
		  &number, 4);
	send_with("an unknown one", fd[0], to, level, 250, &number, 4);
	send_with("of another level", fd[0], to, IPPROTO_TCP, 1, &number, 4);
	TRY("of another level: recvmsg", take(fd[1], &box, CONTROL_SIZE));
	send_with("too short", fd[0], to, level, af == AF_INET ? IP_PKTINFO : IPV6_PKTINFO, &number,
		  2);
	if (af == AF_INET) {
		struct in_pktinfo info = {0};

		inet_pton(AF_INET, "127.0.0.5", &info.ipi_spec_dst);
		send_with("a source", fd[0], to, level, IP_PKTINFO, &info, sizeof(info));
	} else {
		struct in6_pktinfo info = {0};

		inet_pton(AF_INET6, "::1", &info.ipi6_addr);
		send_with("a source", fd[0], to, level, IPV6_PKTINFO, &info, sizeof(info));
	}
	TRY("a source: recvmsg", take(fd[1], &box, CONTROL_SIZE));
	box.addr.len = box.msg.msg_namelen;
	say("a source: the sender", "%s", text_of(&box.addr));
	close_pair(fd);
}

/* The option is set while something is queued. */
static void late(int af)
{
	struct addr addr[2];
	struct box box;
	int fd[2];

	about("udp%d late", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	MUST(sendto(fd[0], "before", 6, 0, ADDR(&addr[1])));
	TRY("before", take(fd[1], &box, CONTROL_SIZE));
	if (af == AF_INET)
		MUST(set_option(fd[1], IPPROTO_IP, IP_PKTINFO, 1));
	else
		MUST(set_option(fd[1], IPPROTO_IPV6, IPV6_RECVPKTINFO, 1));
	MUST(sendto(fd[0], "after", 5, 0, ADDR(&addr[1])));
	TRY("after", take(fd[1], &box, CONTROL_SIZE));
	say_control("after: it", &box);
	close_pair(fd);
}

/* Control data that cannot be written is left out. The datagram still arrives. */
static void unwritable(int af)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), one = CMSG_SPACE(sizeof(int));
	char *place =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd[2], level = af == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	struct addr addr[2];
	struct box box;
	char text[64];

	about("udp%d unwritable", digit(af));
	if (place == MAP_FAILED || mprotect(place + page, page, PROT_NONE))
		die("mmap");
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	MUST(set_option(fd[1], level, af == AF_INET ? IP_RECVTTL : IPV6_RECVHOPLIMIT, 1));
	MUST(set_option(fd[1], level, af == AF_INET ? IP_RECVTOS : IPV6_RECVTCLASS, 1));
	/* First no control message fits before the unwritable page, then one does. */
	for (size_t before = 0; before <= one; before += one) {
		snprintf(text, sizeof(text), "%s message fits", before ? "one" : "no");
		MUST(sendto(fd[0], "here", 4, 0, ADDR(&addr[1])));
		memset(&box, 0, sizeof(box));
		box.iov = (struct iovec){box.buf, sizeof(box.buf)};
		box.msg = (struct msghdr){
			.msg_iov = &box.iov,
			.msg_iovlen = 1,
			.msg_control = place + page - before,
			.msg_controllen = 4 * one,
		};
		readable(fd[1]);
		TRY(text, recvmsg(fd[1], &box.msg, MSG_DONTWAIT));
		snprintf(text, sizeof(text), "%s message fits: it", before ? "one" : "no");
		say(text, "data '%.4s', control %zu", box.buf, box.msg.msg_controllen);
		/* The kernel reads only the part of the buffer that it may write. */
		if (box.msg.msg_controllen <= before)
			say_control(before ? "that message" : "no message", &box);
	}
	munmap(place, 2 * page);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		receiving(af, false);
		receiving(af, true);
		sending(af, false);
		sending(af, true);
		late(af);
		unwritable(af);
	}
	return 0;
}
