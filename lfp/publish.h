/* SPDX-License-Identifier: Apache-2.0 */
/* publish.h - PUBLISH: ports of programs that appear elsewhere on the host */
#ifndef LFP_PUBLISH_H
#define LFP_PUBLISH_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LFP_PUBLISH_MAX 64

enum lfp_publish_protocol { LFP_PUBLISH_TCP = 1, LFP_PUBLISH_UDP = 2 };

/* Ports own..own+count-1 of programs are the ports host..host+count-1 of the host. */
struct lfp_publish {
	bool has_addr;
	struct in6_addr addr; /* of the host; IPv4 is mapped */
	uint16_t host, own, count;
	unsigned int protocols; /* enum lfp_publish_protocol */
};

struct lfp_publish_list {
	size_t nr;
	struct lfp_publish of[LFP_PUBLISH_MAX];
};

/**
 * lfp_publish_parse() - read "[ADDR:]PORT[-PORT]:PORT[-PORT][/tcp|/udp]", separated by blanks
 *
 * An address of IPv6 stands in brackets. Both ranges have the same length.
 *
 * Return: 0, or -EINVAL with a half-sentence in @reason (@size bytes).
 */
int lfp_publish_parse(struct lfp_publish_list *list, const char *text, char *reason, size_t size);

/* Returns the entry for a program's own port, NULL if there is none. */
const struct lfp_publish *lfp_publish_find(const struct lfp_publish_list *list, uint16_t own,
					   enum lfp_publish_protocol protocol);

#endif
