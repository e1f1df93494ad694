/* SPDX-License-Identifier: Apache-2.0 */
/* control.h - calls of lfp-bench that move no data */
#ifndef BENCH_LFP_BENCH_CONTROL_H
#define BENCH_LFP_BENCH_CONTROL_H

#include <netdb.h>
#include <stdint.h>

#include "bench/lfp-bench/order.h"

/*
 * Make the calls of @order, WORK_NODELAY or one of those after it, for its time; returns their
 * number. Those on a connected socket use one connection to @ai. What fails ends the program.
 */
uint64_t control_run(const struct addrinfo *ai, const struct order *order);

#endif
