/* SPDX-License-Identifier: Apache-2.0 */
/* name-servers.c - the name servers of this host (resolv.conf(5)) */
#include "lfpd/policy/name-servers.h"

#include <arpa/nameser.h>
#include <resolv.h>
#include <string.h>

#include "lfpd/policy/rules.h"

#define LOOK_MS 1000u

static void add(struct name_servers *servers, const struct sockaddr *addr)
{
	if (servers->nr < NAME_SERVERS_MAX &&
	    rules_addr(addr, true, &servers->of[servers->nr].addr, &servers->of[servers->nr].port))
		servers->nr++;
}

/* libc reads the file, so that its rules hold: without a server it is the loopback's. */
static bool read_servers(struct name_servers *servers)
{
	struct __res_state state;

	memset(&state, 0, sizeof(state));
	if (res_ninit(&state) < 0)
		return false;
	servers->nr = 0;
	for (int i = 0; i < state.nscount && i < MAXNS; i++) {
		if (state.nsaddr_list[i].sin_family == AF_INET)
			add(servers, (const struct sockaddr *)&state.nsaddr_list[i]);
		else if (state._u._ext.nsaddrs[i])
			add(servers, (const struct sockaddr *)state._u._ext.nsaddrs[i]);
	}
	res_nclose(&state);
	return true;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void look(struct name_servers *servers, uint64_t now)
{
	struct stat file;

	if (servers->looked && now - servers->looked < LOOK_MS)
		return;
	if (stat(_PATH_RESCONF, &file))
		memset(&file, 0, sizeof(file));
	servers->looked = now;
	if (servers->known && is_same(&file, &servers->file))
		return;
	/* Without memory or a descriptor the servers stay those that they were until the next look.
	 */
	if (!read_servers(servers))
		return;
	servers->file = file;
	servers->known = true;
}

static bool is_listed(const struct name_servers *servers, const struct in6_addr *addr,
		      uint16_t port)
{
	for (unsigned int i = 0; i < servers->nr; i++)
		if (port == servers->of[i].port && IN6_ARE_ADDR_EQUAL(addr, &servers->of[i].addr))
			return true;
	return false;
}

bool name_servers_has(struct name_servers *servers, uint64_t now, const struct in6_addr *addr,
		      uint16_t port)
{
	look(servers, now);
	return !IN6_IS_ADDR_LINKLOCAL(addr) && is_listed(servers, addr, port);
}

bool name_servers_have_port(struct name_servers *servers, uint64_t now, uint16_t port)
{
	look(servers, now);
	for (unsigned int i = 0; i < servers->nr; i++)
		if (port == servers->of[i].port)
			return true;
	return false;
}

bool name_servers_covers(struct name_servers *servers, uint64_t now, const struct in6_addr *addr,
			 uint16_t port)
{
	const struct in6_addr v4any = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

	look(servers, now);
	if (is_listed(servers, addr, port))
		return true;
	for (unsigned int i = 0; i < servers->nr; i++) {
		bool v4 = IN6_IS_ADDR_V4MAPPED(&servers->of[i].addr);

		if (port == servers->of[i].port &&
		    (IN6_IS_ADDR_UNSPECIFIED(addr) || (v4 && IN6_ARE_ADDR_EQUAL(addr, &v4any))))
			return true;
	}
	return false;
}
