/* SPDX-License-Identifier: Apache-2.0 */
/* fake-names.c - names and interfaces of the fake instance */
#include "tests/libvsesock/fake-parts.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netdb.h>
#include <string.h>

#include "tests/libvsesock/fake.h"

/* Of the call that is being answered. */
static const struct lfp_ctl_request *request;
static struct lfp_ctl_reply *reply;
static size_t request_len;

void fake_addr(struct lfp_addr *addr, const char *ip, int port)
{
	*addr = (struct lfp_addr){.family = LFP_AF_INET, .port = (uint16_t)port};
	if (inet_pton(AF_INET, ip, addr->ip) == 1)
		return;
	addr->family = LFP_AF_INET6;
	inet_pton(AF_INET6, ip, addr->ip);
}

static void put(const void *bytes, size_t len)
{
	memcpy(reply->data + reply->len, bytes, len);
	reply->len += (uint32_t)len;
}

static int put_text(const char *text)
{
	put(text, strlen(text) + 1);
	return 0;
}

/* "two" and FAKE_IDN have an IPv4 and an IPv6 address; all others are unknown. */
static int handle_addrinfo(void)
{
	struct lfp_ctl_ai entry = {.kind = SOCK_STREAM, .protocol = IPPROTO_TCP};
	const char *name = (const char *)request->data + 1;

	if (request_len < 3 || (strcmp(name, "two") != 0 && strcmp(name, FAKE_IDN) != 0)) {
		reply->value = EAI_NONAME;
		return 0;
	}
	put_text(strcmp(name, FAKE_IDN) == 0 ? FAKE_IDN : "two.example.com");
	fake_addr(&entry.addr, FAKE_PEER, 80);
	put(&entry, sizeof(entry));
	entry.addr.family = LFP_AF_INET6;
	inet_pton(AF_INET6, "2001:db8::7", entry.addr.ip);
	put(&entry, sizeof(entry));
	return 0;
}

static int handle_host(void)
{
	struct lfp_ctl_hostent host = {.nr_addrs = 2, .nr_aliases = 1};
	struct lfp_addr addr;

	if (request->op == LFP_CTL_GETHOSTBYNAME && strcmp((char *)request->data, "two") != 0) {
		reply->value = HOST_NOT_FOUND;
		return 0;
	}
	put(&host, sizeof(host));
	fake_addr(&addr, FAKE_PEER, 0);
	put(&addr, sizeof(addr));
	fake_addr(&addr, FAKE_LOCAL, 0);
	put(&addr, sizeof(addr));
	put_text("two.example.com");
	return put_text("alias");
}

static int handle_nameinfo(void)
{
	put_text("two.example.com");
	return put_text("http");
}

/* "lo" and "fake0", with an address of both families each. */
static int handle_interfaces(void)
{
	static const struct {
		uint32_t index, prefix;
		const char *addr, *other;
	} addrs[] = {
		{1, 8, "127.0.0.1", "127.0.0.1"},
		{7, 24, FAKE_LOCAL, "192.0.2.255"},
		{1, 128, "::1", NULL},
		{7, 64, "2001:db8::1", NULL},
	};
	struct lfp_ctl_interfaces head = {.nr_links = 2, .nr_addrs = 4};
	struct lfp_ctl_link link = {.index = 1,
				    .flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING,
				    .mtu = 65536,
				    .kind = ARPHRD_LOOPBACK,
				    .hwlen = 6,
				    .name = "lo"};

	put(&head, sizeof(head));
	put(&link, sizeof(link));
	link = (struct lfp_ctl_link){.index = 7,
				     .flags = IFF_UP | IFF_BROADCAST | IFF_RUNNING | IFF_MULTICAST,
				     .mtu = 1492,
				     .kind = ARPHRD_ETHER,
				     .hwlen = 6,
				     .hw = {2, 0, 0, 0, 0, 7},
				     .name = "fake0"};
	put(&link, sizeof(link));
	for (size_t i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		struct lfp_ctl_ifaddr addr = {.index = addrs[i].index, .prefix = addrs[i].prefix};

		fake_addr(&addr.addr, addrs[i].addr, 0);
		if (addrs[i].other)
			fake_addr(&addr.other, addrs[i].other, 0);
		put(&addr, sizeof(addr));
	}
	return 0;
}

int fake_names(const struct lfp_ctl_request *call, size_t len, struct lfp_ctl_reply *answer)
{
	request = call;
	request_len = len;
	reply = answer;
	switch (request->op) {
	case LFP_CTL_GETADDRINFO:
		return handle_addrinfo();
	case LFP_CTL_GETNAMEINFO:
		return handle_nameinfo();
	case LFP_CTL_GETHOSTBYNAME:
	case LFP_CTL_GETHOSTBYADDR:
		return handle_host();
	case LFP_CTL_GETIFADDRS:
		return handle_interfaces();
	case LFP_CTL_GETHOSTNAME:
		return put_text(FAKE_NAME);
	case LFP_CTL_GETHOSTID:
		reply->value = (int32_t)inet_addr(FAKE_LOCAL);
		return 0;
	default:
		return -1;
	}
}
