/* SPDX-License-Identifier: Apache-2.0 */
/* tun.h - a TUN interface as one end of a HiperSockets network, in the thread's network namespace
 */
#ifndef DEVEMU_HIPERSOCKETS_TUN_H
#define DEVEMU_HIPERSOCKETS_TUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place that could not be reached, for a message. */
struct tun_error {
	char what[160]; /* a noun phrase, such as "TUN interface hsi0" */
};

/* Enters the network namespace @path, or makes one with @path NULL, for the calling thread alone.
 * Return: 0 or a negative errno with @error. */
int tun_enter(const char *path, struct tun_error *error);

struct tun_config {
	const char *name;
	uint32_t address, mask; /* machine's byte order */
	uint32_t mtu, queue;
	bool ipv6;
};

/* Makes the interface, gives it its address and brings it up, and the loopback interface too.
 * Return: its descriptor, which is non-blocking and close-on-exec, or a negative errno with @error.
 * The interface lives as long as the descriptor. */
int tun_open(const struct tun_config *config, struct tun_error *error);

struct tun_route {
	const char *interface;
	uint32_t destination, mask;
	uint32_t hop;    /* 0: none */
	uint32_t metric; /* 0: the kernel's default */
	uint32_t mtu;    /* 0: the interface's */
};

/* Adds a route. Return: 0 or a negative errno with @error. */
int tun_add_route(const struct tun_route *route, struct tun_error *error);

#endif
