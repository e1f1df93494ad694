/* SPDX-License-Identifier: Apache-2.0 */
/* interface.h - Linux's definitions of HiperSockets: ifcfg-NAME, ifconfig, route */
#ifndef DEVEMU_HIPERSOCKETS_INTERFACE_H
#define DEVEMU_HIPERSOCKETS_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "devemu/hipersockets/words.h"

/*
 * What is read, in any number of files:
 *
 * - A file whose name begins with "ifcfg-" is SuSE's configuration of the interface that the rest
 *   of the name is: KEY=value lines, with quotes or without.
 * - Any other file has command lines and displays. Command lines, with or without sudo and a path:
 *     ifconfig NAME [ADDRESS] [netmask MASK] [broadcast ADDRESS] [mtu BYTES] [metric N]
 *              [txqueuelen N] [up] [[-]arp] [[-]multicast]
 *     route add -host ADDRESS | -net ADDRESS netmask MASK [metric N] [gw ADDRESS] [dev] NAME
 *   A display is the output of "ifconfig NAME"; its addresses, MTU and queue length count as if
 *   they were set. Its counters are read for their form only.
 *
 * '#' begins a comment.
 */
enum { INTERFACE_NAME = 16, INTERFACES = 16, INTERFACE_ROUTES = 64 };

/* A number with its place; line 0: not set. */
struct interface_value {
	struct word_place at;
	uint32_t value;
};

struct linux_interface {
	char name[INTERFACE_NAME];
	struct word_place at;
	struct interface_value address, mask, broadcast, network, mtu, queue;
};

struct linux_route {
	struct word_place at;
	uint32_t destination, mask, gateway; /* gateway 0: none */
	uint32_t metric;
	char interface[INTERFACE_NAME];
};

struct linux_side {
	struct linux_interface interface[INTERFACES];
	struct linux_route route[INTERFACE_ROUTES];
	unsigned int interfaces, routes;
};

/* Adds a file to @side, which begins as zeros. A value that is set twice must be the same. @name is
 * the file's path and is kept in places. Return: 0; -EINVAL or -EIO with @err, whose text is
 * "NAME:LINE:COLUMN: reason". */
int linux_side_read(struct linux_side *side, const char *name, FILE *file,
		    struct lfp_reader_error *err);

#endif
