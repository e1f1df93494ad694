/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - the way of packets: TUN interface, engines, sockets, and back
 *
 * One thread reads the TUN interface and the sockets, decides about each packet (stack.h) and fills
 * batches (batch.h). It stops reading while no batch is unused. Queues of the kernel then fill, and
 * senders slow down. CPU time of this thread is TCP/IP's, and is not work for zIIPs.
 */
#ifndef DEVEMU_IPSEC_PATH_H
#define DEVEMU_IPSEC_PATH_H

#include "devemu/ipsec/netdev.h"
#include "devemu/ipsec/flow.h"
#include "devemu/ipsec/stack.h"
#include "devemu/engine/pool.h"

struct ipsec_path_config {
	const struct policy *policy;
	struct netdev *device; /* open; stays the caller's */
	struct pool *pool;
	unsigned int class; /* of the pool, for work in enclaves: all that is eligible */
	unsigned int other; /* for the rest, which is TCP/IP's own or its callers' */
	struct flow_config flow;
};

struct ipsec_path;

/* Starts. NULL with errno. All that @config points to stays in use until ipsec_path_destroy(). */
struct ipsec_path *ipsec_path_create(const struct ipsec_path_config *config);

/* Ends reading, waits for the packets on their way, and frees everything. */
void ipsec_path_destroy(struct ipsec_path *path);

/* CPU time of the thread that reads, in nanoseconds. */
uint64_t ipsec_path_cpu_ns(const struct ipsec_path *path);

struct ipsec_path_counters {
	uint64_t out_packets, in_packets; /* outer packets that were sent, inner ones delivered */
	uint64_t eligible_out, ineligible_out; /* packets from TUN that are to be protected */
};
void ipsec_path_read(const struct ipsec_path *path, struct ipsec_path_counters *counters);

const struct stack *ipsec_path_stack(const struct ipsec_path *path);

#endif
