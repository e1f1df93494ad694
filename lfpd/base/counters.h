/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h - what an instance has done since its start; read by statistics.c alone */
#ifndef LFPD_BASE_COUNTERS_H
#define LFPD_BASE_COUNTERS_H

#include <stdint.h>

/* They only grow, and outlive sessions. */
struct counters {
	uint64_t paths, paths_refused;
	uint64_t tasks, tasks_refused;
	uint64_t sockets, sockets_refused; /* by SOCKET */
	uint64_t refused_users[4]; /* because a user has reached its limit, by enum share_kind */
	uint64_t accepts;
	uint64_t connects, connects_failed;           /* streams */
	uint64_t joins;                               /* connections that were joined */
	uint64_t resets;                              /* connections that were lost */
	uint64_t disagreements;                       /* frames that reset one socket */
	uint64_t rules_refused;                       /* calls that POLICY_FILE refuses */
	uint64_t limits_refused;                      /* those of them that a limit refuses */
	uint64_t rates_held;                          /* times that a rate began to hold data */
	uint64_t pauses;                              /* times that accepting began to pause */
	uint64_t bytes_to_host, bytes_to_vse;         /* of streams, payload */
	uint64_t bytes_joined;                        /* of both, those that left out TCP */
	uint64_t datagrams_to_host, datagrams_to_vse; /* whole ones */
	uint64_t datagram_bytes_to_host, datagram_bytes_to_vse;

	/* of paths that have ended; statistics.c adds the one that is there */
	uint64_t packets_in, packets_out, path_bytes_in, path_bytes_out;
	uint64_t frames_in, frames_out, limit_waits;
	uint64_t data_in, data_out, credits_in, credits_out, windows_in, windows_out;
	uint64_t spliced_in, spliced_out;
	uint64_t calls_in, calls_out, transport_waits, wakeups_in, wakeups_out;
	uint64_t polls_hit, polls_missed;

	uint64_t log_records, log_left_out; /* of CONNECTION_LOG */
	uint64_t trace_records, trace_lost; /* includes traces that have ended */
};

struct path_stats;

/* A path has ended: its numbers are kept. */
void counters_keep(struct counters *kept, const struct path_stats *stats);

#endif
