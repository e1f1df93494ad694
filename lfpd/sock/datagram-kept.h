/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-kept.h - what a socket of datagrams holds back: datagrams, errors; and saving it */
#ifndef LFPD_SOCK_DATAGRAM_KEPT_H
#define LFPD_SOCK_DATAGRAM_KEPT_H

#include <stdio.h>

#include "lfp/datagram.h"
#include "lfp/list.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/saved/saved.h"
#include "lfpd/sock/host-socket.h"
#include "transport/path.h"

/* A datagram for the host, which has no room for it now. */
struct waiting_datagram {
	struct lfp_list place; /* in its socket's queue */
	struct lfp_meta meta;
	size_t len;
	uint8_t data[];
};

#define ENTRIES_MAX 16u
#define PAYLOAD_MAX 576u

/* With IP_RECVERR: entries of the host's error queue. Allocated with the first entry. */
struct error_queue {
	struct {
		struct lfp_errqueue entry; /* its payload is not good */
		uint32_t len;
		uint8_t payload[PAYLOAD_MAX];
	} slots[ENTRIES_MAX];
	unsigned int first, nr;
};

#define DATAGRAM_HEADS 28u /* bytes that a rate counts for each datagram: IPv4 and UDP */

/* The part of a socket that only SOCKET_DATAGRAM has. */
struct datagrams {
	bool connected;
	bool at_server; /* to a name server of the host, while there are rules */
	bool strayed;   /* its meter is that of a destination other than its peer: metered.h */

	/* z/VSE to host */
	struct lfp_assembly in;
	struct lfp_list queue; /* struct waiting_datagram: the host has no room for them now */
	int send_error;        /* of the last datagram that could not be sent, for SENT */

	/* host to z/VSE: one that the path has not taken whole */
	struct parts out;
	uint8_t *out_buf; /* NULL: no partly sent datagram */

	struct error_queue *errors; /* NULL: there were none */

	struct datagram_names *names; /* NULL: no name server was asked */

	/* Of proxies: datagram-via.h. */
	struct datagram_via *via;         /* NULL: nothing went to one */
	struct lfp_addr behind;           /* the peer behind an upstream; AF_UNSPEC: none */
	struct upstream *behind_upstream; /* its upstream, or NULL; no reference */
	bool held;                        /* the queue waits for an association */
	bool direct_next;                 /* the host's socket is read before the proxies */
	char upstream[UPSTREAM_NAME_MAX]; /* of the last datagram or connect(); "": none */
};

/* Keep an entry of the error queue. One that does not fit is lost, as it would be in the kernel. */
void datagram_keep_error(struct datagrams *dg, const struct lfp_errqueue *entry);

/* Put it, complete, at the end of the queue to the host. 0 or -ENOMEM. */
int datagram_keep(struct datagrams *dg, const struct lfp_assembly *in);

/* Write all that the socket holds back; counts the records. 0 or a negative errno. */
int datagram_save(const struct socket *sock, FILE *out, uint64_t *records);

/* Take back what a record says: 0 or -ENOMEM. */
int datagram_restore(struct socket *sock, const struct saved_record *record);

#endif
