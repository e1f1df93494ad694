/* SPDX-License-Identifier: Apache-2.0 */
/* drop.h - the reasons to drop a packet, each counted by itself */
#ifndef DEVEMU_IPSEC_DROP_H
#define DEVEMU_IPSEC_DROP_H

#include <stdint.h>

/* Functions of this room that drop a packet return the reason as a negative number. */
enum ipsec_drop {
	DROP_SHORT = 1,     /* ends before its headers or its trailer */
	DROP_HEADER,        /* a field of the IP header or an extension header is wrong */
	DROP_UNKNOWN_SPI,   /* there is no SA with this SPI, address and protocol */
	DROP_SEQUENCE_ZERO, /* sequence number 0 is never sent */
	DROP_REPLAYED,      /* sequence number was received before */
	DROP_OLD,           /* sequence number is older than the window */
	DROP_INTEGRITY,     /* integrity check value is wrong */
	DROP_PADDING,       /* bytes or length of the padding are wrong */
	DROP_NEXT_HEADER,   /* the SA's mode does not carry such a payload */
	DROP_DUMMY,         /* traffic-flow confidentiality: next header 59 */
	DROP_ECN,           /* congestion marked on a packet that cannot carry the mark, RFC 6040 */
	DROP_POLICY,        /* no rule applies, or not the rule of its SA */
	DROP_DENIED,        /* a rule denies it */
	DROP_NO_SA,         /* its rule needs an SA, and none is active */
	DROP_EXPIRED,       /* lifetime of the SA is over, or its sequence numbers are used up */
	DROP_TOO_BIG,       /* larger than the path's MTU, and must not be cut */
	DROP_OVERLAP,       /* fragments of one packet overlap */
	DROP_FRAGMENT_LIMIT, /* too many fragments are waiting, or too long for an IP packet */
	DROP_FRAGMENT_TIME,  /* the rest of the fragments did not come in time */
	DROP_NO_ROOM,        /* a queue is full */
	DROP_UNSENT,         /* the kernel refused to send it */
	DROP_CIPHER,         /* OpenSSL refuses */
	DROP_REASONS,
};

/* "replayed", as in reports and JSON; "?" for another number. */
const char *drop_name(enum ipsec_drop reason);

#endif
