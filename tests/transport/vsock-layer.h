/* SPDX-License-Identifier: Apache-2.0 */
/* vsock-layer.h - AF_VSOCK for unit tests: socket calls that carry it on UNIX sockets in a folder
 */
#ifndef TESTS_TRANSPORT_VSOCK_LAYER_H
#define TESTS_TRANSPORT_VSOCK_LAYER_H

#include <stdint.h>

/*
 * No test opens a socket of AF_VSOCK: this file's socket(), bind(), connect(), getpeername() and
 * setsockopt() come before libc's. Port N is the UNIX socket FOLDER/N. Without a folder AF_VSOCK is
 * not there (EAFNOSUPPORT).
 */

/* NULL: none. Must live until the next call. */
void vsock_layer_use(const char *folder);

/* The CID of every peer from now on; 2 at first. */
void vsock_layer_peer(uint32_t cid);

/* Seconds that the kernel would wait for the peer's answer to the last connect(): 2 if nobody
 * asked for another time. */
long vsock_layer_patience(void);

/* The next connect() fails with this errno. */
void vsock_layer_fail(int error);

#endif
