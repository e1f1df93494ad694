/* SPDX-License-Identifier: Apache-2.0 */
/* netdev.h - the kernel's side: a TUN interface, raw sockets for ESP and AH, UDP sockets
 *
 * Whole IP packets come and go. Raw sockets of IPv6 and UDP sockets give no IP header. It is made
 * anew from the addresses and the traffic class. So with AH, a packet with extension headers in
 * front of AH fails its check. The kernel puts fragments together before a socket gets them.
 */
#ifndef DEVEMU_IPSEC_NETDEV_H
#define DEVEMU_IPSEC_NETDEV_H

#include "devemu/ipsec/policy.h"

enum { NETDEV_SOCKETS_MAX = 16, NETDEV_BATCH = 64, NETDEV_ROOM = IP_PACKET_MAX + 65 };

struct netdev_socket {
	int fd;
	uint8_t version, protocol;
	uint16_t port; /* UDP */
};

struct netdev {
	int tun;
	int send4, send6; /* -1: no SA needs it */
	unsigned int sockets;
	struct netdev_socket socket[NETDEV_SOCKETS_MAX];
	uint8_t *buffer; /* of netdev_receive() */
};

/* Text of an error: "TUN interface tun0", for a message with the errno. */
struct netdev_error {
	char what[64];
};

struct netdev_config {
	const char *tun;
	unsigned int mtu;  /* of the TUN interface */
	unsigned int mark; /* SO_MARK of outer packets, for routing rules; 0: none */
};

/* Opens everything that the active actions of @policy need, without blocking, and brings the TUN
 * interface up. 0, or a negative errno with @error filled. */
int netdev_open(struct netdev *device, const struct netdev_config *config,
		const struct policy *policy, struct netdev_error *error);
void netdev_close(struct netdev *device);

/* Reads packets that wait on a socket; @take gets each. Returns the number of messages, 0: none is
 * waiting, or a negative errno. */
int netdev_receive(struct netdev *device, const struct netdev_socket *socket,
		   void (*take)(void *context, const struct netdev_socket *socket,
				const uint8_t *packet, size_t len),
		   void *context);

struct netdev_packet {
	const uint8_t *bytes;
	size_t len;
};

/* Sends outer packets of either version, several a system call. Waits for a full queue of the
 * kernel for at most 100 ms. @refused: is called with the reason for each that is not sent. */
void netdev_send(const struct netdev *device, const struct netdev_packet *packet, size_t nr,
		 void (*refused)(void *context, int reason), void *context);

#endif
