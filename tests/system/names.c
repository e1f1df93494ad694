/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - interfaces, names and services as a program sees them
 *
 *	names interfaces|host|lookups
 *
 * It is printed, so that it can be compared.
 */
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netpacket/packet.h>
#include <stdbool.h>
#include <sys/ioctl.h>

#include "tests/system/tool.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void print_addr(const char *what, const struct sockaddr *addr)
{
	char text[NI_MAXHOST];
	socklen_t len = addr && addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							    : sizeof(struct sockaddr_in);

	if (!addr)
		printf(" %s none", what);
	else if (addr->sa_family == AF_PACKET)
		printf(" %s link", what);
	else if (!getnameinfo(addr, len, text, sizeof(text), NULL, 0, NI_NUMERICHOST))
		printf(" %s %s", what, text);
	else
		printf(" %s ?", what);
}

static void list_addresses(void)
{
	struct ifaddrs *list;

	if (getifaddrs(&list))
		die("getifaddrs");
	for (struct ifaddrs *at = list; at; at = at->ifa_next) {
		if (!at->ifa_addr)
			continue;
		printf("%s flags %x", at->ifa_name, at->ifa_flags);
		print_addr("address", at->ifa_addr);
		if (at->ifa_addr->sa_family == AF_PACKET) {
			const struct sockaddr_ll *ll = (const void *)at->ifa_addr;

			printf(" index %d kind %d length %d:", ll->sll_ifindex, ll->sll_hatype,
			       ll->sll_halen);
			for (int i = 0; i < ll->sll_halen && i < 8; i++)
				printf(" %02x", ll->sll_addr[i]);
		} else {
			print_addr("mask", at->ifa_netmask);
			print_addr("other", at->ifa_broadaddr);
		}
		putchar('\n');
	}
	freeifaddrs(list);
}

static void ask_ioctls(int fd, const char *name)
{
	static const struct {
		unsigned long request;
		const char *name;
	} requests[] = {
		{SIOCGIFADDR, "address"},
		{SIOCGIFNETMASK, "mask"},
		{SIOCGIFBRDADDR, "broadcast"},
		{SIOCGIFDSTADDR, "destination"},
	};
	struct ifreq req = {.ifr_mtu = 0};

	printf("%s", name);
	for (size_t i = 0; i < COUNT(requests); i++) {
		snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
		memset(&req.ifr_addr, 0, sizeof(req.ifr_addr));
		if (ioctl(fd, requests[i].request, &req))
			printf(" %s %s", requests[i].name, error_name(errno));
		else
			print_addr(requests[i].name, &req.ifr_addr);
	}
	if (!ioctl(fd, SIOCGIFFLAGS, &req))
		printf(" flags %x", req.ifr_flags & 0xffff);
	if (!ioctl(fd, SIOCGIFMTU, &req))
		printf(" MTU %d", req.ifr_mtu);
	if (!ioctl(fd, SIOCGIFINDEX, &req))
		printf(" index %d", req.ifr_ifindex);
	if (!ioctl(fd, SIOCGIFHWADDR, &req))
		printf(" kind %d", req.ifr_hwaddr.sa_family);
	putchar('\n');
}

static void list_by_ioctl(void)
{
	struct ifreq reqs[64];
	struct ifconf conf = {.ifc_len = sizeof(reqs), .ifc_req = reqs};
	struct if_nameindex *names = if_nameindex();
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || !names || ioctl(fd, SIOCGIFCONF, &conf))
		die("SIOCGIFCONF");
	for (size_t i = 0; i < (size_t)conf.ifc_len / sizeof(reqs[0]); i++) {
		printf("%s", reqs[i].ifr_name);
		print_addr("is", &reqs[i].ifr_addr);
		putchar('\n');
	}
	for (struct if_nameindex *at = names; at->if_name; at++) {
		char name[IF_NAMESIZE] = "";

		if_indextoname(at->if_index, name);
		printf("%u %s %u %s\n", at->if_index, at->if_name, if_nametoindex(at->if_name),
		       name);
		ask_ioctls(fd, at->if_name);
	}
	ask_ioctls(fd, "none0");
	if_freenameindex(names);
	close(fd);
}

static void print_host(void)
{
	char name[256];

	printf("gethostname %d", gethostname(name, sizeof(name)));
	printf(" %s\n", name);
	printf("gethostid %lx\n", (unsigned long)gethostid() & 0xffffffff);
}

static void print_result(int rc, struct addrinfo *list)
{
	if (rc) {
		printf(" error %d\n", rc);
		return;
	}
	for (struct addrinfo *at = list; at; at = at->ai_next) {
		print_addr("is", at->ai_addr);
		printf(" port %u type %d protocol %d flags %x",
		       ntohs(((struct sockaddr_in *)(void *)at->ai_addr)->sin_port),
		       at->ai_socktype, at->ai_protocol, at->ai_flags);
		if (at->ai_canonname)
			printf(" canon %s", at->ai_canonname);
	}
	putchar('\n');
	freeaddrinfo(list);
}

static void look_up(const char *node, const char *service, int flags, int family, int type,
		    int protocol)
{
	struct addrinfo hints = {.ai_flags = flags,
				 .ai_family = family,
				 .ai_socktype = type,
				 .ai_protocol = protocol};
	struct addrinfo *list = NULL;
	int rc;

	printf("%s %s flags %x family %d type %d protocol %d:", node ? node : "-",
	       service ? service : "-", flags, family, type, protocol);
	rc = getaddrinfo(node, service, &hints, &list);
	print_result(rc, list);
}

static void look_up_all(void)
{
	static const char *const nodes[] = {NULL,
					    "",
					    "only4.test",
					    "only6.test",
					    "both.test",
					    "alias.test",
					    "127.0.0.1",
					    "::1",
					    "10.1.2",
					    "fe80::1%lo",
					    "no.such.test.invalid",
					    "localhost"};
	static const int flags[] = {0,
				    AI_PASSIVE,
				    AI_CANONNAME,
				    AI_NUMERICHOST,
				    AI_NUMERICSERV,
				    AI_V4MAPPED,
				    AI_V4MAPPED | AI_ALL,
				    AI_ADDRCONFIG,
				    AI_CANONNAME | AI_NUMERICHOST,
				    0x40000000};
	static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6, AF_UNIX};

	for (size_t i = 0; i < COUNT(nodes); i++)
		for (size_t j = 0; j < COUNT(flags); j++)
			for (size_t k = 0; k < COUNT(families); k++)
				look_up(nodes[i], "80", flags[j], families[k], SOCK_STREAM, 0);
	look_up("both.test", "http", 0, AF_INET, 0, 0);
	look_up("both.test", "http", AI_NUMERICSERV, AF_INET, 0, 0);
	look_up("both.test", "domain", 0, AF_INET, SOCK_DGRAM, 0);
	look_up("both.test", "no-such-service", 0, AF_INET, SOCK_STREAM, 0);
	look_up("both.test", "65536", 0, AF_INET, SOCK_STREAM, 0);
	look_up("both.test", NULL, 0, AF_UNSPEC, 0, 0);
	look_up("both.test", "80", 0, AF_INET, SOCK_STREAM, IPPROTO_UDP);
	look_up("both.test", "80", 0, AF_INET, 77, 0);
	look_up("both.test", "80", 0, AF_INET, SOCK_RAW, IPPROTO_ICMP);
	look_up(NULL, NULL, 0, AF_UNSPEC, 0, 0);
	look_up("*", "80", AI_PASSIVE, AF_INET, SOCK_STREAM, 0);
	look_up(NULL, "80", AI_CANONNAME, AF_INET, SOCK_STREAM, 0);
}

static void name_of(const char *ip, int port, int flags)
{
	struct sockaddr_storage addr = {0};
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;
	socklen_t len = sizeof(*in);
	char host[NI_MAXHOST] = "", service[NI_MAXSERV] = "";
	int rc;

	in->sin_family = AF_INET;
	in->sin_port = htons((in_port_t)port);
	if (inet_pton(AF_INET, ip, &in->sin_addr) != 1) {
		in6->sin6_family = AF_INET6;
		len = sizeof(*in6);
		inet_pton(AF_INET6, ip, &in6->sin6_addr);
		if (IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
			in6->sin6_scope_id = 1;
	}
	rc = getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), service,
			 sizeof(service), flags);
	printf("%s %d flags %x: %d", ip, port, flags, rc);
	printf(" %s %s\n", rc ? "" : host, rc ? "" : service);
	rc = getnameinfo((struct sockaddr *)&addr, len, host, 3, NULL, 0, flags);
	printf("no room: %d\n", rc);
}

static void names_of(void)
{
	static const char *const ips[] = {"10.9.9.4", "2001:db8::6", "10.9.9.8", "192.0.2.77",
					  "fe80::1"};
	static const int flags[] = {
		0,           NI_NUMERICHOST, NI_NUMERICSERV, NI_NUMERICHOST | NI_NUMERICSERV,
		NI_NAMEREQD, NI_DGRAM,       NI_NOFQDN,      0x4000};

	for (size_t i = 0; i < COUNT(ips); i++)
		for (size_t j = 0; j < COUNT(flags); j++)
			name_of(ips[i], j % 2 ? 80 : 53, flags[j]);
}

static void print_hostent(const struct hostent *host)
{
	char text[INET6_ADDRSTRLEN];

	if (!host) {
		printf(" error %d\n", h_errno);
		return;
	}
	printf(" %s type %d", host->h_name, host->h_addrtype);
	for (char **at = host->h_aliases; *at; at++)
		printf(" alias %s", *at);
	for (char **at = host->h_addr_list; *at; at++)
		printf(" is %s", inet_ntop(host->h_addrtype, *at, text, sizeof(text)));
	putchar('\n');
}

static void hosts(void)
{
	static const char *const names[] = {
		"only4.test", "only6.test",           "both.test", "alias.test", "10.1.2.3", "10.1",
		"::1",        "no.such.test.invalid", ""};
	struct in_addr addr;
	struct hostent host, *result;
	char buf[1024];
	int error;

	for (size_t i = 0; i < COUNT(names); i++) {
		printf("%s:", names[i]);
		print_hostent(gethostbyname(names[i]));
		printf("%s, IPv6:", names[i]);
		print_hostent(gethostbyname2(names[i], AF_INET6));
	}
	inet_pton(AF_INET, "10.9.9.4", &addr);
	print_hostent(gethostbyaddr(&addr, sizeof(addr), AF_INET));
	inet_pton(AF_INET, "192.0.2.77", &addr);
	print_hostent(gethostbyaddr(&addr, sizeof(addr), AF_INET));
	for (size_t room = 0; room < 80; room += 8) {
		int rc = gethostbyname_r("alias.test", &host, buf, room, &result, &error);

		if (rc != ERANGE)
			break;
		printf("%d %d\n", result == NULL, error);
	}
	printf("%d\n", gethostbyname_r("alias.test", &host, buf, sizeof(buf), &result, &error));
	print_hostent(result);
}

static void look_up_unknown(void)
{
	struct hostent host, *result;
	char buf[1024];
	int error;

	h_errno = 0;
	printf("unknown %d\n",
	       gethostbyname_r("no.such.test.invalid", &host, buf, sizeof(buf), &result, &error));
	printf("h_errno %s\n", h_errno == error ? "likewise" : "differs");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 64;
	if (!strcmp(argv[1], "unknown")) {
		look_up_unknown();
		return 0;
	}
	if (!strcmp(argv[1], "interfaces")) {
		list_addresses();
		list_by_ioctl();
	} else if (!strcmp(argv[1], "host")) {
		print_host();
	} else {
		look_up_all();
		names_of();
		hosts();
	}
	return 0;
}
