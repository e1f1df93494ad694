/* SPDX-License-Identifier: Apache-2.0 */
/* fctc.h - a FICON channel-to-channel device whose other side is in another process
 *
 * Two processes have one device each, and a UNIX socket between them. The one that accepted the
 * connection keeps the adapter, the other sends it its commands. Everything is on the wall clock
 * and nothing blocks: a command that has to wait answers DEVICE_LATER, and the program is taken up
 * again by subch_continue() after fctc_ready().
 *
 * A process that ends, or sends invalid packets, counts as gone: the command that waits ends in
 * unit check with intervention required and reset event (X'41'), later ones with X'40', until
 * another process connects.
 */
#ifndef DEVEMU_DEVICE_FCTC_H
#define DEVEMU_DEVICE_FCTC_H

#include "devemu/device/fctc-state.h"

/* A socket that listens at @path (removed first if it is a socket), or is connected to it. There is
 * nothing at @path until it listens. The descriptor, or a negative errno: -EADDRINUSE if
 * something else is there. Both take at most 107 bytes of a path; to listen takes a dot and the
 * process id of them. */
int fctc_listen(const char *path);
int fctc_connect(const char *path);
/* Accepts a connection of fctc_listen(). Returns -EAGAIN if none waits. */
int fctc_accept(int fd);

/**
 * fctc_secure() - connections from now on are encrypted, if the other side is capable too
 * @end:	of the right kind: the keeper of the adapter answers, the connecting side asks. It
 * stays the caller's and outlives @fctc. Its source of shared keys may not block
 * @required:	a connection in the clear is ended; otherwise the sides may agree on one
 */
void fctc_secure(struct fctc *fctc, struct fces_end *end, bool required);

/* Returns whether there is a connection with encrypted frames. */
bool fctc_encrypted(const struct fctc *fctc);

/* Creates a device without another side. Return: NULL with errno ENOMEM. */
struct fctc *fctc_create(uint16_t number);
void fctc_destroy(struct fctc *fctc);

/**
 * fctc_attach() - a connection to the other side
 * @fd:		from fctc_accept() (then @keeper) or fctc_connect(); owned by @fctc from now on
 */
void fctc_attach(struct fctc *fctc, int fd, bool keeper);

/* Returns the events to poll for on fctc->fd: POLLIN, and POLLOUT if a packet waits for room. */
short fctc_events(const struct fctc *fctc);

/* fctc->fd has something. The program may be able to go on: subch_continue(). 0, or -EPIPE if the
 * other side has gone. */
int fctc_ready(struct fctc *fctc);

#endif
