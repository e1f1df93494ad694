/* SPDX-License-Identifier: Apache-2.0 */
/* watched.h - the entries of an epoll set, from /proc */
#ifndef VSESOCK_WATCHED_H
#define VSESOCK_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

/* An entry. The descriptor is the number with which it was added. The number may belong to another
 * file now, with another inode. */
struct watched {
	int fd;
	uint32_t events;
	uint64_t data;
	uint64_t ino;
};

/* Returns true if the descriptor is an epoll set; false without /proc. */
bool watched_is_set(int fd);

/* Calls @fn for each entry of an epoll set, until that returns false. Without /proc there are none.
 * errno is untouched. */
void watched_each(int set, bool (*fn)(void *arg, const struct watched *entry), void *arg);

/* Returns whether the number still is the file that was added. */
bool watched_is_there(const struct watched *entry);

/* Reads a number at the beginning of @text. Returns how many digits it has. */
int watched_number(const char *text, unsigned int base, uint64_t *value);

#endif
