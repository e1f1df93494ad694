/* SPDX-License-Identifier: Apache-2.0 */
/* joining.h - a connection between two sockets of one instance, whose path is open */
#ifndef TESTS_LFPD_JOINING_H
#define TESTS_LFPD_JOINING_H

#include "tests/lfpd/one-path.h"

enum { LISTENER = 1, CLIENT = 2 };

/* LISTENER listens, and CLIENT is connected to it at @ip. Returns the listener's address. */
struct lfp_addr joining_connect(unsigned int family, const char *ip);

/* Accepts one connection. Returns the socket's id. */
uint64_t joining_accept(void);

/* Does both, and checks that the ends are joined. Returns the id of the accepted socket.
 * joining_start() opens the path before. */
uint64_t joining_make(void);
uint64_t joining_start(void);

/* Fields of struct tcp_info, in bytes from its beginning. */
enum { BYTES_ACKED = 120, BYTES_RECEIVED = 128, BYTES_SENT = 200 };

/* Asks for one of these fields of a socket. */
uint64_t joining_info(uint64_t id, size_t at);

/* Expects these bytes of a socket, in one frame or more. WINDOW frames of others pass. */
void joining_expect(uint64_t id, uint64_t position, const char *bytes, size_t len);

/* Expects a frame. WINDOW frames pass. */
struct lfp_frame joining_expect_frame(enum lfp_code code);

/* Reports what z/VSE has consumed. */
void joining_report(uint64_t id, uint64_t consumed);

/* As many bytes as a window has. */
extern const char joining_block[VSE_WINDOW];

/* Fills the window of the accepted socket by joining_block; lfpd holds 100 bytes more. */
void joining_fill(uint64_t server);

/* Consumes the window, and expects the bytes that lfpd holds. */
void joining_drain(uint64_t server);

/* Closes all three sockets, and the path. */
void joining_close(uint64_t server, uint64_t client_got, uint64_t server_got);

#endif
