/* SPDX-License-Identifier: Apache-2.0 */
/* client.h - one measurement of lfp-bench */
#ifndef BENCH_LFP_BENCH_CLIENT_H
#define BENCH_LFP_BENCH_CLIENT_H

#include <netdb.h>

#include "bench/lfp-bench/order.h"

/* The names of works, by enum work. */
extern const char *const work_names[NR_WORKS];

/* Do @order at the server @ai and print a line of JSON. Time goes from before the order to after
 * the last byte that confirms the work. */
int run_client(const struct addrinfo *ai, const struct order *order);

#endif
