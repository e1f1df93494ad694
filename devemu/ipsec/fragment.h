/* SPDX-License-Identifier: Apache-2.0 */
/* fragment.h - cutting IP packets, and putting fragments together again
 *
 * ESP and AH protect whole packets in transport mode, and rules look at ports, so fragments from
 * the near side are put together first. A packet whose fragments overlap is dropped completely
 * (RFC 5722), and so are the rest of its fragments.
 */
#ifndef DEVEMU_IPSEC_FRAGMENT_H
#define DEVEMU_IPSEC_FRAGMENT_H

#include "devemu/ipsec/ip.h"

enum {
	FRAGMENT_PACKETS = 64,        /* packets that wait for their rest at the same time */
	FRAGMENT_PIECES = 128,        /* of one packet */
	FRAGMENT_TIMEOUT_SECONDS = 30 /* RFC 791 has 15 s, Linux 30 */
};

/**
 * fragment_cut() - cut a packet into fragments of at most @mtu bytes
 * @ip:		of @packet
 * @id:		of an IPv6 packet's fragments; IPv4 packets have theirs
 * @out:	gets one fragment at a time; @mtu bytes
 * @take:	is called for each; a negative value ends the cutting and is returned
 *
 * Return: the number of fragments; -DROP_TOO_BIG if @mtu is too small or an IPv4 packet must not be
 * cut; -DROP_HEADER for a packet of IPv6 that is a fragment.
 */
int fragment_cut(const struct ip_packet *ip, const uint8_t *packet, size_t mtu, uint32_t id,
		 uint8_t *out, int (*take)(void *context, const uint8_t *piece, size_t len),
		 void *context);

struct reassembly;

/* NULL with errno ENOMEM. One thread at a time may use it. */
struct reassembly *reassembly_create(void);
void reassembly_destroy(struct reassembly *reassembly);

/**
 * reassembly_take() - take a copy of a fragment
 * @now_ns:	a monotonic clock
 * @out:	gets the whole packet when this was the last missing fragment; valid until the next
 * call
 *
 * Return: the bytes of the whole packet; 0 if others are missing; -DROP_OVERLAP, -DROP_HEADER,
 * -DROP_FRAGMENT_LIMIT.
 */
int reassembly_take(struct reassembly *reassembly, const struct ip_packet *ip,
		    const uint8_t *packet, uint64_t now_ns, const uint8_t **out);

/* Drops incomplete packets whose time is over. Returns their number. */
unsigned int reassembly_expire(struct reassembly *reassembly, uint64_t now_ns);

#endif
