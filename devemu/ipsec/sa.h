/* SPDX-License-Identifier: Apache-2.0 */
/* sa.h - a security association: keys and numbers for one direction
 *
 * Theory of operation
 *
 * Several threads use an SA at the same time, each with a transform of its own. A sender's sequence
 * numbers come from one atomic counter, in the order in which packets are queued. The SA ends with
 * the last number, because the counter must not cycle (RFC 4303, 3.3.3). A receiver looks up a
 * number before it authenticates the packet. It does so again when it records the number, because
 * another thread may have had the same packet meanwhile.
 *
 * With GCM the initialization vector is the sequence number, exclusive-or a random number of this
 * object. So no nonce is used twice here. After a restart with the same manual key, one hardly ever
 * is.
 */
#ifndef DEVEMU_IPSEC_SA_H
#define DEVEMU_IPSEC_SA_H

#include <pthread.h>
#include <stdatomic.h>

#include "devemu/crypto/replay.h"
#include "devemu/ipsec/esp.h"
#include "devemu/ipsec/ip.h"

/* A receiver accepts packets for so much longer than the sender sends them. */
enum { SA_NAME_MAX = 33, SA_THREADS_MAX = 16, SA_GRACE_SECONDS = 10 };

enum sa_mode { SA_TUNNEL, SA_TRANSPORT };
enum sa_df { SA_DF_COPY, SA_DF_CLEAR, SA_DF_SET };

struct sa_config {
	char name[SA_NAME_MAX]; /* of its IpManVpnAction */
	unsigned int generation;
	bool inbound, ah;
	bool in_ah; /* ESP that is always inside AH, which authenticates it */
	enum sa_mode mode;
	uint32_t spi; /* 256 or more */
	struct algorithms algorithms;
	bool extended;       /* sequence numbers of 64 bits */
	unsigned int window; /* of a receiver; 0: no check for replay */
	struct ip_addr src, dst;
	uint16_t udp_port; /* UDP encapsulation from and to this port; 0: none */
	enum sa_df df;
	bool pass_dscp;
	uint64_t life_bytes;   /* 0: no end */
	uint64_t life_seconds; /* from the first packet; 0: no end */
};

struct sa_counters {
	atomic_uint_fast64_t packets, bytes; /* of inner packets */
	atomic_uint_fast64_t drop[DROP_REASONS];
};

struct sa {
	struct sa_config config;
	atomic_uint_fast64_t sequence; /* of the last packet that was numbered */
	uint64_t sequence_last;
	atomic_uint_fast64_t first_ns; /* time of the first packet, 0: none yet */
	atomic_uint_fast64_t taken;    /* bytes that were numbered, or received */
	atomic_uint mtu;               /* largest outer packet */
	uint8_t iv_base[8];
	pthread_mutex_t lock; /* of @replay */
	struct replay replay;
	unsigned int threads;
	struct transform *transform[SA_THREADS_MAX];
	struct sa_counters counters;
};

/* @threads: 1 to SA_THREADS_MAX. @mtu: of the path, in bytes. NULL with errno ENOMEM or EINVAL. */
struct sa *sa_create(const struct sa_config *config, unsigned int threads, unsigned int mtu);
void sa_destroy(struct sa *sa);

/* For tests and for a sender that continues: the next packet gets @sequence + 1. */
void sa_set_sequence(struct sa *sa, uint64_t sequence);

/* Returns true while the lifetime lasts. @now_ns: a monotonic clock. */
bool sa_alive(const struct sa *sa, uint64_t now_ns);

/* Returns the number for a packet of @len bytes to be sent, or 0: the SA is at its end. */
uint64_t sa_number(struct sa *sa, size_t len, uint64_t now_ns);

/* Completes the lower half of a received sequence number (RFC 4303, appendix A2.2). */
uint64_t sa_sequence(const struct sa *sa, uint32_t low);

/*
 * A receiver, before it authenticates a packet: 0 with @number complete, or -DROP_EXPIRED,
 * -DROP_SEQUENCE_ZERO, -DROP_REPLAYED, -DROP_OLD. Once it has authenticated it, with @len bytes of
 * payload: remember the number. 0, or -DROP_REPLAYED, -DROP_OLD if another thread was first.
 */
int sa_receive_begin(struct sa *sa, uint32_t low, uint64_t now_ns, struct esp_number *number);
int sa_receive_end(struct sa *sa, uint64_t sequence, size_t len);

/* The highest number that was received. */
uint64_t sa_highest(struct sa *sa);

/* Counts a drop; @reason is negative. */
void sa_count_drop(struct sa *sa, int reason);

#endif
