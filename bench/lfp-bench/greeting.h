/* SPDX-License-Identifier: Apache-2.0 */
/* greeting.h - the first bytes of a protocol with server names, before the order */
#ifndef BENCH_LFP_BENCH_GREETING_H
#define BENCH_LFP_BENCH_GREETING_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/lfp-bench/order.h"

#define GREETING_MAX 1024u

/* Sets the greeting of this client: "tls:NAME", a ClientHello, or "http:NAME", a request. Returns
 * false for other text. */
bool greeting_set(const char *text);

/* Writes the greeting, if any, and the order, and so many bytes more, in one piece. Returns false
 * if the peer is gone, with errno. */
bool greet(int sock, const struct order *order, const void *more, size_t len);

/* Reads an order. A greeting before it is skipped. Returns false if the peer is gone. */
bool read_order(int sock, struct order *order);

#endif
