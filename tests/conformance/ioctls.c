/* SPDX-License-Identifier: Apache-2.0 */
/* ioctls.c - unread bytes, unsent bytes, the urgent mark, owners, and the interfaces by SIOCGIF */
#include <linux/sockios.h>
#include <net/if.h>

#include "tests/conformance/conform.h"

static int queue(int fd, unsigned long request)
{
	int n = -1;

	errno = 0;
	return ioctl(fd, request, &n) < 0 ? -1 : n;
}

static void streams(int af)
{
	struct addr addr;
	int fd[2], at = listener(af, 0, &addr), one = new_socket(af, SOCK_STREAM);
	char buf[64];

	about("tcp%d", digit(af));
	TRY("new: FIONREAD", queue(one, FIONREAD));
	TRY("new: SIOCOUTQ", queue(one, SIOCOUTQ));
	TRY("new: SIOCATMARK", queue(one, SIOCATMARK));
	TRY("listener: FIONREAD", queue(at, FIONREAD));
	TRY("listener: SIOCOUTQ", queue(at, SIOCOUTQ));
	close(one);
	close(at);
	stream_pair(af, fd);
	TRY("empty: FIONREAD", queue(fd[1], FIONREAD));
	TRY("empty: SIOCOUTQ", queue(fd[0], SIOCOUTQ));
	MUST(send(fd[0], "0123456789", 10, 0));
	WAIT(queue(fd[1], FIONREAD) == 10);
	TRY("FIONREAD", queue(fd[1], FIONREAD));
	TRY("SIOCINQ", queue(fd[1], SIOCINQ));
	WAIT(queue(fd[0], SIOCOUTQ) == 0);
	TRY("SIOCOUTQ when all has come", queue(fd[0], SIOCOUTQ));
	TRY("SIOCOUTQNSD", queue(fd[0], SIOCOUTQNSD));
	MUST(recv(fd[1], buf, 4, 0));
	TRY("FIONREAD then", queue(fd[1], FIONREAD));
	TRY("SIOCATMARK", queue(fd[1], SIOCATMARK));
	TRY("bad address", ioctl(fd[1], FIONREAD, bad_address()));
	TRY("unknown", ioctl(fd[1], 0x4242, buf));
	TRY("TCGETS", ioctl(fd[1], 0x5401, buf));
	shutdown(fd[0], SHUT_WR);
	WAIT(all_events(fd[1]) & POLLRDHUP);
	TRY("FIONREAD at the end", queue(fd[1], FIONREAD));
	close_pair(fd);
	/* Unread data fills the buffers on the way. */
	stream_pair(af, fd);
	set_blocking(fd[0], false);
	{
		static char much[1 << 20];

		for (int full = 0; full < 10;) {
			if (send(fd[0], much, sizeof(much), 0) > 0)
				full = 0;
			else
				full++;
			pause_ms(10);
		}
	}
	TRY("SIOCOUTQ when full is not 0", queue(fd[0], SIOCOUTQ) > 0);
	close_pair(fd);
}

static void datagrams(int af)
{
	int fd[2];
	char buf[8];

	about("udp%d", digit(af));
	datagram_pair(af, fd);
	TRY("empty: FIONREAD", queue(fd[1], FIONREAD));
	TRY("empty: SIOCOUTQ", queue(fd[1], SIOCOUTQ));
	MUST(send(fd[0], "first", 5, 0));
	MUST(send(fd[0], "second one", 10, 0));
	readable(fd[1]);
	TRY("FIONREAD", queue(fd[1], FIONREAD));
	MUST(recv(fd[1], buf, 2, 0));
	WAIT(queue(fd[1], FIONREAD) == 10);
	TRY("FIONREAD of the next", queue(fd[1], FIONREAD));
	TRY("SIOCINQ", queue(fd[1], SIOCINQ));
	MUST(recv(fd[1], buf, 2, 0));
	TRY("FIONREAD of none", queue(fd[1], FIONREAD));
	WAIT(queue(fd[0], SIOCOUTQ) == 0);
	TRY("SIOCOUTQ", queue(fd[0], SIOCOUTQ));
	TRY("unknown", ioctl(fd[1], 0x4242, buf));
	close_pair(fd);
}

static const char *address_of(struct ifreq *request)
{
	struct addr addr = {.len = sizeof(addr.in)};

	memcpy(&addr.in, &request->ifr_addr, sizeof(addr.in));
	return text_of(&addr);
}

static void interfaces(int af, int type)
{
	static const struct {
		const char *text;
		unsigned long request;
	} requests[] = {
		{"SIOCGIFADDR", SIOCGIFADDR},
		{"SIOCGIFNETMASK", SIOCGIFNETMASK},
		{"SIOCGIFBRDADDR", SIOCGIFBRDADDR},
	};
	struct ifreq request = {0}, list[16];
	struct ifconf conf = {.ifc_len = sizeof(list), .ifc_req = list};
	int fd = new_socket(af, type), loopbacks = 0;

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	TRY("SIOCGIFCONF", ioctl(fd, SIOCGIFCONF, &conf));
	for (int i = 0; i < conf.ifc_len / (int)sizeof(list[0]); i++)
		loopbacks += !strcmp(list[i].ifr_name, "lo") &&
			     strstr(address_of(&list[i]), "127.0.0.1:") == address_of(&list[i]);
	say("SIOCGIFCONF: the loopback", "%d", loopbacks);
	strcpy(request.ifr_name, "lo");
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		char text[64];
		int rc = ioctl(fd, requests[i].request, &request);

		snprintf(text, sizeof(text), "%s of lo", requests[i].text);
		say(text, "%s", rc < 0 ? error_name(errno) : address_of(&request));
	}
	TRY("SIOCGIFFLAGS", ioctl(fd, SIOCGIFFLAGS, &request));
	say("SIOCGIFFLAGS: lo", "%#x",
	    request.ifr_flags & (IFF_UP | IFF_LOOPBACK | IFF_RUNNING | IFF_BROADCAST));
	TRY("SIOCGIFMTU", ioctl(fd, SIOCGIFMTU, &request));
	say("SIOCGIFMTU: lo", "%d", request.ifr_mtu);
	TRY("SIOCGIFINDEX", ioctl(fd, SIOCGIFINDEX, &request));
	say("SIOCGIFINDEX: lo", "%d", request.ifr_ifindex);
	strcpy(request.ifr_name, "nothing");
	TRY("SIOCGIFADDR of nothing", ioctl(fd, SIOCGIFADDR, &request));
	TRY("SIOCGIFINDEX of nothing", ioctl(fd, SIOCGIFINDEX, &request));
	request.ifr_ifindex = 1;
	TRY("SIOCGIFNAME", ioctl(fd, SIOCGIFNAME, &request));
	say("SIOCGIFNAME: 1", "%s", request.ifr_name);
	request.ifr_ifindex = 9999;
	TRY("SIOCGIFNAME of nothing", ioctl(fd, SIOCGIFNAME, &request));
	close(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		streams(af);
		datagrams(af);
		interfaces(af, SOCK_STREAM);
		interfaces(af, SOCK_DGRAM);
	}
	return 0;
}
