/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - the far end of lfp-bench: one connection after the other */
#ifndef BENCH_LFP_BENCH_SERVER_H
#define BENCH_LFP_BENCH_SERVER_H

#include <netdb.h>

/* Listen, say "port N" on standard output, and serve until the program is ended. */
int run_server(const struct addrinfo *ai);

#endif
