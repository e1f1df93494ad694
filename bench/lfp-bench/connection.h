/* SPDX-License-Identifier: Apache-2.0 */
/* connection.h - TCP sockets of lfp-bench, or others instead: a relay's UNIX socket, AF_VSOCK */
#ifndef BENCH_LFP_BENCH_CONNECTION_H
#define BENCH_LFP_BENCH_CONNECTION_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>

/* Prints the failed operation and errno's text on standard error, and exits with 1. */
void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...);

/* A numeric address, valid until the next call. An invalid one ends the program. */
struct addrinfo *find_addr(const char *host, const char *port);

/* The socket of a relay at @path instead of a TCP port; valid until the next call. */
struct addrinfo *unix_addr(const char *path);

/* Port @port of the system with the CID @cid; valid until the next call. */
struct addrinfo *vsock_addr(unsigned int cid, unsigned int port);

/* A socket that is not connected yet, and one that is. A failure ends the program. */
int make_socket(const struct addrinfo *ai);
int make_connection(const struct addrinfo *ai, bool nodelay);

void set_int(int sock, int level, int name, int value);

/* SO_RCVTIMEO or SO_SNDTIMEO of 5 seconds. */
void set_timeout(int sock, int name);

/* "unknown" where the socket has none. */
void name_congestion_control(int sock, char name[static 16]);

/* False if the peer is gone, with errno. */
bool write_all(int sock, const void *data, size_t len);
bool read_all(int sock, void *data, size_t len);

#endif
