/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c - options, and a type of socket, that LFP refuses; all of them can be asked for */
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <linux/udp.h>

#include "tests/conformance/conform.h"

#ifndef IP_RECVFRAGSIZE
#define IP_RECVFRAGSIZE 25
#endif
#ifndef IPV6_RECVFRAGSIZE
#define IPV6_RECVFRAGSIZE 77
#endif

struct option {
	const char *text;
	int level, name, value;
};

#define OPTION(level, name, value)                                                                 \
	{                                                                                          \
#name, level, name, value                                                          \
	}

/* The program's memory, descriptors and pages */
static const struct option of_all[] = {
	OPTION(SOL_SOCKET, SO_ZEROCOPY, 1),
	OPTION(SOL_SOCKET, SO_ATTACH_BPF, -1),
	OPTION(SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, -1),
	OPTION(SOL_SOCKET, SO_TIMESTAMPING, SOF_TIMESTAMPING_RX_SOFTWARE),
};

static const struct option of_tcp[] = {
	OPTION(IPPROTO_TCP, TCP_REPAIR, 1),
};

/* Ancillary data that recvmsg() can report */
static const struct option of_udp[] = {
	OPTION(IPPROTO_IP, IP_RECVOPTS, 1),     OPTION(IPPROTO_IP, IP_RETOPTS, 1),
	OPTION(IPPROTO_IP, IP_PASSSEC, 1),      OPTION(IPPROTO_IP, IP_CHECKSUM, 1),
	OPTION(IPPROTO_IP, IP_RECVFRAGSIZE, 1), OPTION(IPPROTO_UDP, UDP_ENCAP, UDP_ENCAP_ESPINUDP),
};

static const struct option of_udp6[] = {
	OPTION(IPPROTO_IPV6, IPV6_2292PKTINFO, 1),  OPTION(IPPROTO_IPV6, IPV6_2292HOPOPTS, 1),
	OPTION(IPPROTO_IPV6, IPV6_2292DSTOPTS, 1),  OPTION(IPPROTO_IPV6, IPV6_2292RTHDR, 1),
	OPTION(IPPROTO_IPV6, IPV6_2292HOPLIMIT, 1), OPTION(IPPROTO_IPV6, IPV6_RECVHOPOPTS, 1),
	OPTION(IPPROTO_IPV6, IPV6_RECVRTHDR, 1),    OPTION(IPPROTO_IPV6, IPV6_RECVDSTOPTS, 1),
	OPTION(IPPROTO_IPV6, IPV6_RECVFRAGSIZE, 1),
};

/* Options that need CAP_NET_ADMIN or CAP_NET_RAW */
static const struct option rights[] = {
	OPTION(SOL_SOCKET, SO_MARK, 1),
	OPTION(SOL_SOCKET, SO_SNDBUFFORCE, 1),
	OPTION(SOL_SOCKET, SO_RCVBUFFORCE, 1),
	OPTION(IPPROTO_IP, IP_TRANSPARENT, 1),
};

/* Reads the default value first. */
static void set_each(const char *what, int fd, const struct option *options, size_t nr)
{
	char text[64];

	for (size_t i = 0; i < nr; i++) {
		const struct option *o = &options[i];
		int value = get_option(fd, o->level, o->name), error = value < 0 ? errno : 0;

		snprintf(text, sizeof(text), "ask %s", o->text);
		say(text, "%d %s", value, error_name(error));
		snprintf(text, sizeof(text), "%s %s", what, o->text);
		say(text, "%s",
		    error_name(set_option(fd, o->level, o->name, o->value) < 0 ? errno : 0));
	}
}

#define EACH(what, fd, options) set_each(what, fd, options, sizeof(options) / sizeof((options)[0]))

static void filters(int fd)
{
	struct sock_filter code = BPF_STMT(BPF_RET | BPF_K, 0xffff);
	struct sock_fprog program = {1, &code};
	socklen_t len = 0;

	TRY("ask SO_GET_FILTER", getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, NULL, &len));
	TRY("refused SO_ATTACH_FILTER",
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));
	TRY("refused SO_ATTACH_REUSEPORT_CBPF",
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program)));
	TRY("SO_LOCK_FILTER", set_option(fd, SOL_SOCKET, SO_LOCK_FILTER, 1));
	TRY("SO_LOCK_FILTER: it", get_option(fd, SOL_SOCKET, SO_LOCK_FILTER));
	TRY("SO_LOCK_FILTER is for ever", set_option(fd, SOL_SOCKET, SO_LOCK_FILTER, 0));
}

/* A wrong value is reported before an unsupported option. */
static void txtime(int fd)
{
	struct {
		int clock;
		unsigned int flags;
	} value = {CLOCK_MONOTONIC, 4};

	TRY("ask SO_TXTIME", get_option(fd, SOL_SOCKET, SO_TXTIME));
	TRY("wrong flags of SO_TXTIME",
	    setsockopt(fd, SOL_SOCKET, SO_TXTIME, &value, sizeof(value)));
	value.flags = 0;
	TRY("SO_TXTIME cut off", setsockopt(fd, SOL_SOCKET, SO_TXTIME, &value, 4));
	TRY("refused SO_TXTIME", setsockopt(fd, SOL_SOCKET, SO_TXTIME, &value, sizeof(value)));
	value.clock = CLOCK_TAI;
	TRY("no right to a clock of SO_TXTIME",
	    setsockopt(fd, SOL_SOCKET, SO_TXTIME, &value, sizeof(value)));
}

static void of_stream(int fd)
{
	char name[16] = "";
	socklen_t len = sizeof(name);

	EACH("refused", fd, of_tcp);
	TRY("ask TCP_ULP", getsockopt(fd, IPPROTO_TCP, TCP_ULP, name, &len));
	say("ask TCP_ULP: bytes", "%u", len);
	TRY("refused TCP_ULP", setsockopt(fd, IPPROTO_TCP, TCP_ULP, "nothing", 7));
	len = 1;
	TRY("refused TCP_ZEROCOPY_RECEIVE",
	    getsockopt(fd, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, name, &len));
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
			int fd = new_socket(af, type);

			about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
			EACH("refused", fd, of_all);
			if (type == SOCK_STREAM)
				of_stream(fd);
			else
				EACH("refused", fd, of_udp);
			if (type == SOCK_DGRAM && af == AF_INET6)
				EACH("refused", fd, of_udp6);
			EACH("no right to", fd, rights);
			TRY("no right at all to SO_DEBUG", set_option(fd, SOL_SOCKET, SO_DEBUG, 1));
			filters(fd);
			txtime(fd);
			close(fd);
		}
		about("raw%d", digit(af));
		close(TRY_FD("a socket", socket(af, SOCK_RAW, IPPROTO_RAW)));
	}
	return 0;
}
