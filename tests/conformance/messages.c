/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c - sendmsg and recvmsg, sendmmsg and recvmmsg: names, lengths, vectors, control data */
#include "tests/conformance/conform.h"

struct letter {
	struct msghdr msg;
	struct iovec iov[2];
	struct addr addr;
	char buf[2][16];
	union {
		struct cmsghdr align;
		char bytes[256];
	} control;
};

/* For receiving: two parts, of first and second bytes */
static struct msghdr *empty(struct letter *l, size_t first, size_t second)
{
	memset(l, 0, sizeof(*l));
	l->iov[0] = (struct iovec){l->buf[0], first};
	l->iov[1] = (struct iovec){l->buf[1], second};
	l->msg = (struct msghdr){
		.msg_name = &l->addr.storage,
		.msg_namelen = sizeof(l->addr.storage),
		.msg_iov = l->iov,
		.msg_iovlen = 2,
		.msg_control = l->control.bytes,
		.msg_controllen = sizeof(l->control),
		.msg_flags = 0x5555,
	};
	return &l->msg;
}

static void say_letter(const char *name, struct letter *l)
{
	char text[64];

	snprintf(text, sizeof(text), "%s: parts", name);
	say(text, "%.16s|%.16s", l->buf[0], l->buf[1]);
	snprintf(text, sizeof(text), "%s: name, flags, control", name);
	l->addr.len = l->msg.msg_namelen;
	say(text, "%s, %#x, %zu", l->addr.len ? text_of(&l->addr) : "none", l->msg.msg_flags,
	    l->msg.msg_controllen);
}

/* For sending: "to" may be NULL. */
static struct msghdr *full(struct letter *l, const char *first, const char *second,
			   const struct addr *to)
{
	memset(l, 0, sizeof(*l));
	snprintf(l->buf[0], sizeof(l->buf[0]), "%s", first);
	snprintf(l->buf[1], sizeof(l->buf[1]), "%s", second);
	l->iov[0] = (struct iovec){l->buf[0], strlen(first)};
	l->iov[1] = (struct iovec){l->buf[1], strlen(second)};
	l->msg = (struct msghdr){.msg_iov = l->iov, .msg_iovlen = 2};
	if (to) {
		l->addr = *to;
		l->msg.msg_name = &l->addr.storage;
		l->msg.msg_namelen = to->len;
	}
	return &l->msg;
}

static void streams(int af)
{
	struct letter l;
	struct addr other = loopback(af, 9);
	int fd[2];

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	TRY("sendmsg", sendmsg(fd[0], full(&l, "abc", "defgh", NULL), 0));
	wait_bytes(fd[1], 8);
	TRY("recvmsg", recvmsg(fd[1], empty(&l, 2, 3), 0));
	say_letter("recvmsg", &l);
	TRY("the rest", recvmsg(fd[1], empty(&l, 2, 3), MSG_DONTWAIT));
	say_letter("the rest", &l);
	TRY("nothing", recvmsg(fd[1], empty(&l, 2, 3), MSG_DONTWAIT));
	/* A connected stream does not look at names. */
	TRY("sendmsg to another peer", sendmsg(fd[0], full(&l, "x", "y", &other), 0));
	wait_bytes(fd[1], 2);
	TRY("recvfrom", recvfrom(fd[1], l.buf[0], 16, 0, &other.sa, &other.len));
	say("recvfrom: the length of the name", "%u", other.len);
	TRY("sendto another peer", sendto(fd[0], "z", 1, 0, ADDR(&l.addr)));
	say("it comes", "%s", received(fd[1], 0));
	full(&l, "a", "b", NULL)->msg_controllen = 3;
	l.msg.msg_control = l.control.bytes;
	TRY("control data that are too short", sendmsg(fd[0], &l.msg, 0));
	full(&l, "a", "b", NULL)->msg_control = l.control.bytes;
	l.msg.msg_controllen = CMSG_LEN(4);
	l.control.align = (struct cmsghdr){CMSG_LEN(4), SOL_SOCKET, 0x77};
	TRY("unknown control data", sendmsg(fd[0], &l.msg, 0));
	l.control.align = (struct cmsghdr){CMSG_LEN(4), SOL_SOCKET, SCM_RIGHTS};
	TRY("descriptors", sendmsg(fd[0], &l.msg, 0));
	TRY("too many parts",
	    sendmsg(fd[0], &(struct msghdr){.msg_iov = l.iov, .msg_iovlen = 5000}, 0));
	TRY("no parts", sendmsg(fd[0], &(struct msghdr){0}, 0));
	TRY("bad address", sendmsg(fd[0], bad_address(), 0));
	TRY("bad address, recvmsg", recvmsg(fd[0], bad_address(), MSG_DONTWAIT));
	shutdown(fd[0], SHUT_WR);
	WAIT(all_events(fd[1]) & POLLRDHUP);
	TRY("drained", recv(fd[1], NULL, 64, MSG_TRUNC | MSG_DONTWAIT) >= 0);
	TRY("the end", recvmsg(fd[1], empty(&l, 2, 3), MSG_DONTWAIT) <= 0);
	close_pair(fd);
}

static void datagrams(int af)
{
	struct letter l;
	struct addr addr[2], from;
	int fd[2];

	about("udp%d", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	TRY("without a name", sendmsg(fd[0], full(&l, "a", "b", NULL), 0));
	TRY("sendmsg", sendmsg(fd[0], full(&l, "abc", "defgh", &addr[1]), 0));
	readable(fd[1]);
	TRY("recvmsg", recvmsg(fd[1], empty(&l, 4, 10), 0));
	say_letter("recvmsg", &l);
	say("from the sender", "%d", same_addr(&l.addr, &addr[0]));
	TRY("sendmsg again", sendmsg(fd[0], full(&l, "abc", "defgh", &addr[1]), 0));
	readable(fd[1]);
	TRY("of which there is room for less", recvmsg(fd[1], empty(&l, 2, 3), 0));
	say_letter("of which there is room for less", &l);
	MUST(sendmsg(fd[0], full(&l, "abc", "defgh", &addr[1]), 0));
	readable(fd[1]);
	TRY("MSG_TRUNC", recvmsg(fd[1], empty(&l, 2, 3), MSG_TRUNC));
	TRY("MSG_TRUNC: flags", l.msg.msg_flags & MSG_TRUNC);
	TRY("nothing of no length", sendmsg(fd[0], full(&l, "", "", &addr[1]), 0));
	readable(fd[1]);
	TRY("an empty one", recvmsg(fd[1], empty(&l, 2, 3), 0));
	say_letter("an empty one", &l);

	MUST(sendto(fd[0], "xyz", 3, 0, ADDR(&addr[1])));
	readable(fd[1]);
	from = (struct addr){.len = 4};
	TRY("recvfrom, a short name", recvfrom(fd[1], l.buf[0], 16, 0, &from.sa, &from.len));
	say("recvfrom, a short name: it", "%u bytes, family %d", from.len, from.sa.sa_family == af);
	MUST(sendto(fd[0], "xyz", 3, 0, ADDR(&addr[1])));
	readable(fd[1]);
	from = (struct addr){.len = sizeof(from.storage)};
	TRY("recvfrom, peek", recvfrom(fd[1], l.buf[0], 16, MSG_PEEK, &from.sa, &from.len));
	say("recvfrom, peek: from the sender", "%d", same_addr(&from, &addr[0]));
	TRY("recvfrom without a name", recvfrom(fd[1], l.buf[0], 16, 0, NULL, NULL));
	TRY("to an address that is too short", sendto(fd[0], "a", 1, 0, &addr[1].sa, 3));
	addr[1].sa.sa_family = AF_UNIX;
	TRY("to another family", sendto(fd[0], "a", 1, 0, ADDR(&addr[1])));
	addr[1].sa.sa_family = AF_UNSPEC;
	TRY("to no family", sendto(fd[0], "a", 1, 0, ADDR(&addr[1])));
	addr[1] = loopback(af, 0);
	TRY("to port 0", sendto(fd[0], "a", 1, 0, ADDR(&addr[1])));
	full(&l, "a", "b", &addr[0])->msg_control = l.control.bytes;
	l.msg.msg_controllen = CMSG_LEN(4);
	l.control.align = (struct cmsghdr){CMSG_LEN(4), SOL_SOCKET, SCM_RIGHTS};
	TRY("descriptors", sendmsg(fd[1], &l.msg, 0));
	close_pair(fd);
}

static void many_streams(int af)
{
	struct letter l[3];
	struct mmsghdr all[3];
	struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
	int fd[2];

	about("tcp%d many", digit(af));
	stream_pair(af, fd);
	for (int i = 0; i < 3; i++)
		all[i] = (struct mmsghdr){.msg_hdr = *full(&l[i], "ab", "c", NULL)};
	TRY("sendmmsg", sendmmsg(fd[0], all, 3, 0));
	say("sendmmsg: lengths", "%u %u %u", all[0].msg_len, all[1].msg_len, all[2].msg_len);
	wait_bytes(fd[1], 9);
	for (int i = 0; i < 3; i++)
		all[i] = (struct mmsghdr){.msg_hdr = *empty(&l[i], 2, 2)};
	TRY("recvmmsg", recvmmsg(fd[1], all, 3, MSG_DONTWAIT, NULL));
	say("recvmmsg: lengths", "%u %u %u", all[0].msg_len, all[1].msg_len, all[2].msg_len);
	TRY("recvmmsg, nothing there", recvmmsg(fd[1], all, 3, MSG_DONTWAIT, &moment));
	TRY("sendmmsg of none", sendmmsg(fd[0], all, 0, 0));
	close_pair(fd);
}

static void many_datagrams(int af)
{
	struct letter l[4];
	struct mmsghdr all[4];
	struct addr addr[2];
	struct timespec late = {.tv_sec = WAIT_MS / 1000};
	char text[48];
	int fd[2];

	about("udp%d many", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		all[i] = (struct mmsghdr){.msg_hdr = *full(&l[i], text, i ? "+" : "", &addr[1])};
	}
	all[3] = (struct mmsghdr){.msg_hdr = *full(&l[3], "unnamed", "", NULL)};
	TRY("sendmmsg, the last has no name", sendmmsg(fd[0], all, 4, 0));
	say("sendmmsg: lengths", "%u %u %u", all[0].msg_len, all[1].msg_len, all[2].msg_len);
	TRY("sendmmsg of that alone", sendmmsg(fd[0], all + 3, 1, 0));
	for (int i = 0; i < 4; i++)
		all[i] = (struct mmsghdr){.msg_hdr = *empty(&l[i], i == 1 ? 3 : 9, i == 1 ? 0 : 7)};
	TRY("recvmmsg of three", recvmmsg(fd[1], all, 3, 0, &late));
	say("lengths", "%u %u %u", all[0].msg_len, all[1].msg_len, all[2].msg_len);
	for (int i = 0; i < 3; i++) {
		l[i].msg = all[i].msg_hdr;
		snprintf(text, sizeof(text), "message %d", i);
		say_letter(text, &l[i]);
		snprintf(text, sizeof(text), "message %d from the sender", i);
		say(text, "%d", same_addr(&l[i].addr, &addr[0]));
	}
	MUST(sendto(fd[0], "one", 3, 0, ADDR(&addr[1])));
	for (int i = 0; i < 4; i++)
		all[i] = (struct mmsghdr){.msg_hdr = *empty(&l[i], 16, 16)};
	TRY("recvmmsg, MSG_WAITFORONE", recvmmsg(fd[1], all, 4, MSG_WAITFORONE, NULL));
	TRY("recvmmsg, nothing there", recvmmsg(fd[1], all, 4, MSG_DONTWAIT, NULL));
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		streams(af);
		datagrams(af);
		many_streams(af);
		many_datagrams(af);
	}
	return 0;
}
