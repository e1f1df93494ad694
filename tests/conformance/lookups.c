/* SPDX-License-Identifier: Apache-2.0 */
/* lookups.c - getaddrinfo with its flags, getnameinfo, hosts, services, and the interfaces'
 * addresses */
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include "tests/conformance/conform.h"

static void look(const char *name, const char *host, const char *service, int flags, int family,
		 int type)
{
	struct addrinfo hints = {.ai_flags = flags, .ai_family = family, .ai_socktype = type};
	struct addrinfo *list = NULL;
	char text[400] = "";
	size_t at = 0;
	int rc = getaddrinfo(host, service, &hints, &list);

	if (rc) {
		say(name, "error %d", rc);
		return;
	}
	for (struct addrinfo *a = list; a; a = a->ai_next) {
		char address[64] = "", port[16] = "";

		getnameinfo(a->ai_addr, a->ai_addrlen, address, sizeof(address), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
		at += (size_t)snprintf(text + at, at < sizeof(text) ? sizeof(text) - at : 0,
				       " [%d/%d/%d %s %s%s%s]", a->ai_family, a->ai_socktype,
				       a->ai_protocol, address, port,
				       a->ai_canonname ? " named " : "",
				       a->ai_canonname ? a->ai_canonname : "");
		if (at >= sizeof(text))
			break;
	}
	say(name, "%s", text);
	freeaddrinfo(list);
}

static void addresses(void)
{
	about("getaddrinfo");
	look("numeric", "127.0.0.1", "80", AI_NUMERICHOST | AI_NUMERICSERV, AF_UNSPEC, SOCK_STREAM);
	look("numeric IPv6", "::1", "80", AI_NUMERICHOST, AF_UNSPEC, SOCK_DGRAM);
	look("all kinds", "192.0.2.7", "7", 0, AF_UNSPEC, 0);
	look("raw kind", "192.0.2.7", NULL, 0, AF_UNSPEC, SOCK_RAW);
	look("a name, numbers only", "localhost", NULL, AI_NUMERICHOST, AF_UNSPEC, SOCK_STREAM);
	look("localhost, IPv4", "localhost", "http", 0, AF_INET, SOCK_STREAM);
	look("localhost, IPv6", "localhost", "http", 0, AF_INET6, SOCK_STREAM);
	look("localhost, by name", "localhost", NULL, AI_CANONNAME, AF_INET, SOCK_STREAM);
	look("nothing, passive", NULL, "8080", AI_PASSIVE, AF_INET, SOCK_STREAM);
	look("nothing, passive, IPv6", NULL, "8080", AI_PASSIVE, AF_INET6, SOCK_STREAM);
	look("nothing, active", NULL, "8080", 0, AF_INET, SOCK_STREAM);
	look("nothing, active, IPv6", NULL, "8080", 0, AF_INET6, SOCK_STREAM);
	look("nothing at all", NULL, NULL, 0, AF_UNSPEC, SOCK_STREAM);
	look("a service for UDP", "127.0.0.1", "domain", 0, AF_INET, SOCK_DGRAM);
	look("a service that is none", "127.0.0.1", "no-such-service", 0, AF_INET, SOCK_STREAM);
	look("a service of another protocol", "127.0.0.1", "tftp", 0, AF_INET, SOCK_STREAM);
	look("a service by name, numbers only", "127.0.0.1", "http", AI_NUMERICSERV, AF_INET,
	     SOCK_STREAM);
	look("IPv4 wanted, IPv6 given", "::1", NULL, 0, AF_INET, SOCK_STREAM);
	look("IPv6 wanted, IPv4 given", "127.0.0.1", NULL, 0, AF_INET6, SOCK_STREAM);
	look("IPv6 wanted, mapped", "127.0.0.1", NULL, AI_V4MAPPED, AF_INET6, SOCK_STREAM);
	look("unknown family", "127.0.0.1", NULL, 0, 77, SOCK_STREAM);
	look("unknown type", "127.0.0.1", NULL, 0, AF_INET, 77);
	look("unknown flags", "127.0.0.1", NULL, 0x10000, AF_INET, SOCK_STREAM);
	look("CANONNAME without name", NULL, "80", AI_CANONNAME, AF_INET, SOCK_STREAM);
	look("old form", "127.1", NULL, AI_NUMERICHOST, AF_INET, SOCK_STREAM);
	look("bad form", "127.0.0.1.", NULL, AI_NUMERICHOST, AF_INET, SOCK_STREAM);
	look("with a scope", "fe80::1%lo", NULL, AI_NUMERICHOST, AF_INET6, SOCK_STREAM);
	look("what the host has", "127.0.0.1", NULL, AI_ADDRCONFIG, AF_UNSPEC, SOCK_STREAM);
	look("port too large", "127.0.0.1", "65536", AI_NUMERICSERV, AF_INET, SOCK_STREAM);
	look("an empty name", "", NULL, 0, AF_INET, SOCK_STREAM);
}

static void names(void)
{
	struct addr addr = loopback(AF_INET, 80);
	char host[64] = "", service[32] = "";
	struct hostent *entry;
	struct servent *serv;
	struct in_addr in;

	about("getnameinfo");
	TRY("numbers", getnameinfo(ADDR(&addr), host, sizeof(host), service, sizeof(service),
				   NI_NUMERICHOST | NI_NUMERICSERV));
	say("numbers: they", "%s %s", host, service);
	TRY("a service",
	    getnameinfo(ADDR(&addr), host, sizeof(host), service, sizeof(service), NI_NUMERICHOST));
	say("a service: it", "%s", service);
	TRY("localhost", getnameinfo(ADDR(&addr), host, sizeof(host), NULL, 0, 0));
	say("localhost: it", "%s", host);
	TRY("no room",
	    (long)getnameinfo(ADDR(&addr), host, 2, NULL, 0, NI_NUMERICHOST) == EAI_OVERFLOW);
	TRY("too short", (long)getnameinfo(&addr.sa, 4, host, sizeof(host), NULL, 0,
					   NI_NUMERICHOST) == EAI_FAMILY);
	TRY("nothing wanted", (long)getnameinfo(ADDR(&addr), NULL, 0, NULL, 0, 0) == EAI_NONAME);
	addr = loopback(AF_INET6, 22);
	TRY("IPv6",
	    getnameinfo(ADDR(&addr), host, sizeof(host), service, sizeof(service), NI_NUMERICHOST));
	say("IPv6: it", "%s %s", host, service);

	about("hosts");
	entry = gethostbyname("localhost");
	say("gethostbyname", "%s %d", entry ? entry->h_name : "none", entry ? entry->h_length : 0);
	entry = gethostbyname("192.0.2.33");
	say("gethostbyname of a number", "%s",
	    entry ? inet_ntoa(*(struct in_addr *)(void *)entry->h_addr_list[0]) : "none");
	entry = gethostbyname2("::1", AF_INET6);
	say("gethostbyname2", "%d",
	    entry ? entry->h_addrtype == AF_INET6 && entry->h_length == 16 : -1);
	inet_pton(AF_INET, "127.0.0.1", &in);
	entry = gethostbyaddr(&in, sizeof(in), AF_INET);
	say("gethostbyaddr", "%s", entry ? entry->h_name : "none");
	serv = getservbyname("ftp", "tcp");
	say("getservbyname", "%d", serv ? ntohs((uint16_t)serv->s_port) : -1);
	serv = getservbyport(htons(53), "udp");
	say("getservbyport", "%s", serv ? serv->s_name : "none");
	TRY("gethostname", gethostname(host, sizeof(host)));
	say("gethostname: there is one", "%d", host[0] != '\0');
}

static void interfaces(void)
{
	struct ifaddrs *list = NULL;
	struct if_nameindex *index;
	char name[IF_NAMESIZE] = "";
	int loopbacks[2] = {0}, own = 0, up = 0, found = 0;

	about("interfaces");
	TRY("getifaddrs", getifaddrs(&list));
	for (struct ifaddrs *i = list; i; i = i->ifa_next) {
		struct addr addr = {.len = sizeof(addr.in)};

		if (!i->ifa_addr ||
		    (i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6))
			continue;
		addr.len = i->ifa_addr->sa_family == AF_INET ? sizeof(addr.in) : sizeof(addr.in6);
		memcpy(&addr.storage, i->ifa_addr, addr.len);
		loopbacks[0] += !strcmp(i->ifa_name, "lo") &&
				!strncmp(text_of(&addr), "127.0.0.1:", 10) &&
				(i->ifa_flags & IFF_LOOPBACK);
		loopbacks[1] += !strcmp(i->ifa_name, "lo") && !strncmp(text_of(&addr), "::1:", 4);
		own += !strncmp(text_of(&addr), "10.9.0.1:", 9) && !(i->ifa_flags & IFF_LOOPBACK);
		up += (i->ifa_flags & IFF_UP) != 0;
	}
	say("the loopback's IPv4 address", "%d", loopbacks[0]);
	say("the loopback's IPv6 address", "%d", loopbacks[1]);
	say("the host's own address", "%d", own);
	say("they are up", "%d", up > 0);
	if (list)
		freeifaddrs(list);
	index = if_nameindex();
	for (struct if_nameindex *i = index; i && i->if_index; i++)
		found += !strcmp(i->if_name, "lo");
	say("if_nameindex has lo", "%d", found);
	if (index)
		if_freenameindex(index);
	TRY("if_nametoindex", if_nametoindex("lo"));
	TRY("if_nametoindex of nothing", (long)if_nametoindex("nothing") - !!errno);
	say("if_indextoname", "%s", if_indextoname(1, name) ? name : error_name(errno));
	say("if_indextoname of nothing", "%s",
	    if_indextoname(9999, name) ? name : error_name(errno));
}

int main(void)
{
	begin();
	addresses();
	names();
	interfaces();
	return 0;
}
