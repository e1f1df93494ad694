/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - datagrams: the data beside the payload, and the parts of large ones */
#ifndef LFP_DATAGRAM_H
#define LFP_DATAGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lfp/ctl.h"
#include "lfp/frame.h"
#include "lfp/window.h"

/* Most bytes that UDP carries: its length field has 16 bits and counts its header, and so does that
 * of IPv4 (RFC 768, RFC 791). */
#define LFP_DATAGRAM_MAX  65527u
#define LFP_DATAGRAM_MAX4 65507u

/*
 * Windows count this overhead for each datagram besides its payload. A sender may start a datagram
 * of any length while it has less than a window outstanding. So the largest datagram fits the
 * smallest window, and the outstanding amount stays below a window plus one datagram.
 */
#define LFP_DATAGRAM_COST 256u

/* Bits of `has` in DATAGRAM. */
enum lfp_has {
	LFP_HAS_PKTINFO = 0x01,    /* IP_PKTINFO: ifindex, local (IPv4 or mapped), spec */
	LFP_HAS_PKTINFO6 = 0x02,   /* IPV6_PKTINFO: ifindex, local (IPv6) */
	LFP_HAS_TTL = 0x04,        /* IP_TTL */
	LFP_HAS_HOPLIMIT = 0x08,   /* IPV6_HOPLIMIT, in ttl */
	LFP_HAS_TOS = 0x10,        /* IP_TOS */
	LFP_HAS_TCLASS = 0x20,     /* IPV6_TCLASS, in tos */
	LFP_HAS_DROPS = 0x40,      /* SO_RXQ_OVFL; from lfpd only */
	LFP_HAS_MORE = 0x80,       /* MSG_MORE; from z/VSE only */
	LFP_HAS_DONTROUTE = 0x100, /* MSG_DONTROUTE; from z/VSE only */
	LFP_HAS_SEGMENT = 0x200,   /* UDP_GRO, UDP_SEGMENT */
	LFP_HAS_ORIGDST = 0x400,   /* IP_RECVORIGDSTADDR: local with its port; from lfpd only */
	LFP_HAS_ORIGDST6 = 0x800,  /* IPV6_RECVORIGDSTADDR: the same */
	LFP_HAS_PATHMTU = 0x1000   /* IPV6_RECVPATHMTU: addr, spec; no datagram but a notice */
};

/* The data beside the payload; the fields are those of DATAGRAM. */
struct lfp_meta {
	struct lfp_addr addr;
	uint16_t has;
	uint8_t ttl;
	uint8_t tos;
	uint32_t ifindex;
	struct lfp_addr local;
	uint32_t spec;
	uint32_t drops;
	uint16_t segment;
	uint16_t reserved; /* 0, so that two can be compared as bytes */
};

void lfp_meta_from(struct lfp_meta *meta, const struct lfp_datagram *datagram);
void lfp_meta_to(const struct lfp_meta *meta, struct lfp_datagram *datagram);

/* As bytes, in the order and layout of DATAGRAM; reading returns 0 or -EPROTO. */
#define LFP_META_SIZE 74u
void lfp_meta_put(const struct lfp_meta *meta, uint8_t buf[static LFP_META_SIZE]);
int lfp_meta_get(const uint8_t buf[static LFP_META_SIZE], struct lfp_meta *meta);

/* The name of a source; @nonce makes it unlike all others. Returns the length of the address. */
socklen_t lfp_source_name(const struct lfp_meta *meta, uint64_t nonce, struct sockaddr_un *addr);

/* Decodes the name. Returns 0, or -EPROTO if it is no valid name. */
int lfp_source_parse(const struct sockaddr_un *addr, socklen_t len, struct lfp_meta *meta);

/* Returns true if this is the name of a near end. */
bool lfp_near_path(const struct sockaddr_un *addr, socklen_t len);

/* Return true if the near end is a datagram one, or an IPv6 one. */
bool lfp_near_is_datagram(const struct sockaddr_un *near);
bool lfp_near_is_v6(const struct sockaddr_un *near);

/* The name of the head of the near end at @near. Returns the length of the address. */
socklen_t lfp_head_name(const struct sockaddr_un *near, struct sockaddr_un *addr);

/* A datagram that is being reassembled. All zero: none. */
struct lfp_assembly {
	struct lfp_meta meta;
	uint64_t position;
	uint32_t total, got;
	uint8_t *buf;        /* NULL if the datagram came in one part */
	const uint8_t *data; /* the payload, once it is complete */
};

/**
 * lfp_assembly_take() - a part came
 * @assembly:	where it goes
 * @window:	the receiver's: the whole datagram is counted with its first part
 * @part:	the part
 * @why:	set for -EPROTO
 *
 * Return: 1 if the datagram is complete: it is in @assembly until lfp_assembly_reset(), and @part's
 * payload must be good that long. 0 if more parts follow; -EPROTO; -ENOMEM: later calls discard the
 * rest of the datagram and never return 1 for it.
 */
int lfp_assembly_take(struct lfp_assembly *assembly, struct lfp_recv_window *window,
		      const struct lfp_datagram *part, const char **why);
void lfp_assembly_reset(struct lfp_assembly *assembly);

#endif
