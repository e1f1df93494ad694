/* SPDX-License-Identifier: Apache-2.0 */
/* urgent.h - urgent data on its way from a program to the path */
#ifndef IJBLFP_SOCK_URGENT_H
#define IJBLFP_SOCK_URGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/list.h"

struct instance;
struct vsock;

/* An urgent byte. Its place is before byte @at of the data from the far end (counted from 0). */
struct urgent {
	struct lfp_list place;
	uint64_t at;
	uint8_t byte;
};

/* Puts an urgent byte behind the data that the program has written. Returns 0 or a positive errno.
 * After 0 the caller calls stream_look_again(). */
int urgent_add(struct vsock *vs, uint8_t byte);

/**
 * urgent_send() - the first urgent byte that waits, if it is its turn
 * @vs:		one that has urgent data; its window has room for a byte
 * @want:	bytes that may be read from the far end: set to those before the urgent byte, 0 if
 *		that was sent
 *
 * Return: false if the path takes no more.
 */
bool urgent_send(struct instance *inst, struct vsock *vs, size_t *want);

/* Returns the number of waiting bytes; 0 for a datagram socket. */
unsigned int urgent_count(const struct vsock *vs);

/* Drops all waiting bytes. */
void urgent_drop(struct vsock *vs);

#endif
