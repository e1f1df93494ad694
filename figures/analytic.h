/* SPDX-License-Identifier: Apache-2.0 */
/* analytic.h - closed forms, apart from everything that is simulated
 *
 * Two kinds. Some compute values that the simulation should come near to: they use the presets'
 * numbers and no events. The others replay measurements of parts that are not simulated here
 * (HiperSockets and OSA under MQ, LFP, z/VM's Telnet), with parameters fitted
 * to them, all in fabric/preset.c. Each printed line names the kind of its value. docs/devices.md
 * has the formulas.
 */
#ifndef FIGURES_ANALYTIC_H
#define FIGURES_ANALYTIC_H

enum analytic_kind { ANALYTIC_CLOSED, ANALYTIC_REPLAY, ANALYTIC_RUN };

#include <stdbool.h>

enum { ANALYTIC_ARGUMENTS = 4 };

/*
 * By name, for tables (expression.h):
 *
 *   zhpf_rate()                      I/Os a second of a channel processor
 *   ficon_rate(BYTES)
 *   zhpf_mb(BYTES) ficon_mb(BYTES)   MB/s of reads, at most what the bus moves
 *   zhpf_response(STREAMS)           us of 4 KB reads, closed
 *   ficon_response(RATE)             us of 4 KB reads, open
 *   mix_rate(SHARE)                  I/Os a second, SHARE of the time for zHPF
 *   frame_mean(BYTES)                bytes of a frame from the control unit, zHPF
 *   credit_mb(GBPS, KM, CREDITS)     MB/s one way over a link
 *   credits(GBPS, KM)                the rule of thumb
 *   fces_cost(BYTES, EXTRA)          percent that EXTRA bytes a frame take of the line
 *
 * and, replays (*@kind is ANALYTIC_REPLAY):
 *
 *   mq_rtt(MEDIUM, BYTES)            ms, one job; MEDIUM 0 HiperSockets, 1 OSA
 *   mq_rtt10(MEDIUM, BYTES)          ms, ten jobs
 *   lfp_mb(ROW) lfp_cpu(ROW)         replays of LFP-ROW
 *   telnet_rate(SYSTEM, CONNECTIONS) bytes a second; SYSTEM 0: 5.3 IPv4, 1: 5.4 IPv4, 2: 5.4 IPv6
 *
 * and, runs in simulated time (ziip.h):
 *
 *   ziip_iip(DEMAND, ZIIPS) ziip_iipcp(DEMAND, ZIIPS) ziip_cp(DEMAND, ZIIPS)   percent of a
 * processor ziip_busy(DEMAND, OTHER, ZIIPS)  the same, of all work on CPs ziip_seconds(DEMAND,
 * ZIIPS)      of CPU time in 60 s ziip_units(DEMAND, ZIIPS)        service units ziip_spill(DEMAND)
 * ziip_wanted(DEMAND)                  projected
 *
 * Return: 0, or -ENOENT if no closed form has this name and this number of arguments.
 */
int analytic_call(const char *name, const double *argument, unsigned int count, double *value,
		  enum analytic_kind *kind);

#endif
