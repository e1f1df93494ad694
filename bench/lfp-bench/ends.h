/* SPDX-License-Identifier: Apache-2.0 */
/* ends.h - both ends of lfp-bench: a measurement, and its far end */
#ifndef BENCH_LFP_BENCH_ENDS_H
#define BENCH_LFP_BENCH_ENDS_H

#include <netdb.h>

#include "bench/lfp-bench/order.h"

/* The names of works, by enum work. */
extern const char *const work_names[NR_WORKS];

/* Do @order at the server @ai and print a line of JSON. Time goes from before the order to after
 * the last byte that confirms the work. */
int run_client(const struct addrinfo *ai, const struct order *order);

/* Listen, say "port N" on standard output (0 for a UNIX socket), and serve until the program is
 * ended. */
int run_server(const struct addrinfo *ai);

#endif
