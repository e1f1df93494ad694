/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - whole IP packets into and out of tunnel and transport mode (RFC 4301, 5)
 *
 * Tunnel mode has an outer header of its own. Its DSCP and DF come from the inner packet or from
 * the action (PassthroughDSCP, PassthroughDF); congestion marks follow RFC 6040. In transport mode
 * ESP or AH stands behind the headers that routers read. With UDP encapsulation (RFC 3948) a UDP
 * header is in front of ESP.
 */
#ifndef DEVEMU_IPSEC_WRAP_H
#define DEVEMU_IPSEC_WRAP_H

#include "devemu/ipsec/sa.h"

/* Returns the most bytes that sa_wrap() adds to a packet of any size. */
size_t sa_more(const struct sa_config *config);

/* Returns the size of an inner packet after sa_wrap(). */
size_t sa_wrapped(const struct sa_config *config, const struct ip_packet *ip);

/**
 * sa_wrap() - protect a whole packet
 * @thread:	below @sa->threads; a thread uses only its own number
 * @number:	from sa_number()
 * @out:	gets the outer packet, ready to be sent; may not overlap @packet
 *
 * Return: its bytes, or a negative reason.
 */
int sa_wrap(struct sa *sa, unsigned int thread, uint64_t number, const struct ip_packet *ip,
	    const uint8_t *packet, uint8_t *out, size_t room);

/*
 * sa_unwrap() in two steps, for receivers with several threads. sa_open() may be called for many
 * packets at once. sa_accept() must be called in the order in which they came, so that packets that
 * wait for their engine do not become old. sa_open() returns the bytes of the inner packet, with
 * @number set, or a reason. sa_accept() returns 0, or -DROP_REPLAYED, -DROP_OLD. Reasons are
 * counted at the SA.
 */
int sa_open(struct sa *sa, unsigned int thread, const struct ip_packet *ip, const uint8_t *packet,
	    size_t at, uint64_t now_ns, uint8_t *out, size_t room, uint64_t *number);
int sa_accept(struct sa *sa, uint64_t number, size_t len);

/**
 * sa_unwrap() - check and open a received packet
 * @ip:		outer headers of @packet, which is whole
 * @at:		place of the ESP header or AH: @ip->upper, or 8 more with UDP
 * @out:	gets the inner packet; @ip->len + 40 bytes suffice
 *
 * Return: the bytes of the inner packet; a negative reason, which is counted at the SA.
 */
int sa_unwrap(struct sa *sa, unsigned int thread, const struct ip_packet *ip, const uint8_t *packet,
	      size_t at, uint64_t now_ns, uint8_t *out, size_t room);

#endif
