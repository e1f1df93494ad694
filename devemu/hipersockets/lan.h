/* SPDX-License-Identifier: Apache-2.0 */
/* lan.h - HiperSockets as an IP network device: two TUN interfaces joined by QDIO queues */
#ifndef DEVEMU_HIPERSOCKETS_LAN_H
#define DEVEMU_HIPERSOCKETS_LAN_H

#include <stdbool.h>

#include "devemu/hipersockets/netstat.h"
#include "devemu/hipersockets/pair.h"
#include "devemu/hipersockets/tun.h"

/*
 * Theory of operation
 *
 * Each end is a thread in its network namespace, with a TUN interface and a port of devemu/qdio.
 * A packet that the namespace's TCP/IP stack sends to the interface is a frame of the port, and the
 * other end's thread gives it to its own stack. There is no completion queue, as in Linux's and
 * z/OS's network devices of 2008: without a buffer at the target a frame is lost, the sender's
 * device counts it, and TCP sends it once more.
 *
 * The kernel counts a packet of a TUN interface in the same call in which the thread reads or
 * writes it, so both counts are the same when nothing is on its way.
 *
 * An end can be held: its thread takes no frames, so its buffers fill.
 */

enum lan_end { LAN_ZOS, LAN_LINUX, LAN_ENDS };

struct lan;

struct lan_config {
	const struct hsi_pair *pair; /* lives as long as the network */
	/* Network namespaces; NULL: new ones. */
	const char *namespace[LAN_ENDS];
};

/* Makes both ends. Return: 0 or a negative errno with @error. */
int lan_create(struct lan **lan, const struct lan_config *config, struct tun_error *error);

/* Ends both; their interfaces and new namespaces go with them. */
void lan_destroy(struct lan *lan);

/* A descriptor that is readable when an end has failed, and the reason then: a negative errno. */
int lan_watch(const struct lan *lan);
int lan_failure(const struct lan *lan);

/* The thread of an end, whose /proc/PID/task/TID has its network namespace. */
int lan_thread(const struct lan *lan, enum lan_end end);

/* Counters as they are now. */
void lan_counters(const struct lan *lan, enum lan_end end, struct netstat_counters *counters);

/* Fills MTU and length of the queue as they are on Linux's interface, where they are not set. */
void lan_linux_values(const struct lan *lan, struct linux_interface *interface);

/* Hold an end's receiver, or release it. */
void lan_hold(struct lan *lan, enum lan_end end, bool hold);

/* Frames in the buffers of an end that is held. */
uint64_t lan_waiting(const struct lan *lan, enum lan_end end);

#endif
