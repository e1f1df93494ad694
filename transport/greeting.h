/* SPDX-License-Identifier: Apache-2.0 */
/* greeting.h - the message by which two sides come to share memory, and its descriptors */
#ifndef TRANSPORT_GREETING_H
#define TRANSPORT_GREETING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define GREETING_MS 10000 /* for all of it */

/* The memory, the eventfd that wakes lfpd, the eventfd that wakes the sender. */
#define GREETING_FDS 3

/* Send @len bytes with the descriptors, which stay the caller's. 0 or a negative errno. */
int greeting_send(int sock, const void *bytes, size_t len, const int fds[static GREETING_FDS]);

/* Receives one message. Returns its bytes, or a negative errno. Its descriptors are the caller's;
 * all are -1 if their number is wrong. */
ssize_t greeting_receive(int sock, void *bytes, size_t len, int fds[static GREETING_FDS]);

/* Closes the descriptors that are there. */
void greeting_drop(int fds[static GREETING_FDS]);

/* Returns true if all are there and the last two are eventfds: waking the peer must write to
 * nothing else. Makes them non-blocking, and empties the first. */
bool greeting_complete(const int fds[static GREETING_FDS]);

/* Keeps the eventfds of an offer if it is @good; closes all other descriptors. */
void greeting_keep_bells(int fds[static GREETING_FDS], bool good, int *bell, int *peer_bell);

/* Answer with @len bytes. 0 or a negative errno. */
int greeting_answer(int sock, const void *bytes, size_t len);

#endif
