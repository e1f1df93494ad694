/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - closed forms fitted to measurements of parts that are not simulated here
 *
 * They reproduce measured values and the shape of their curves, and predict nothing else.
 */
#ifndef FIGURES_REPLAY_H
#define FIGURES_REPLAY_H

/*
 * ms of an MQ message and its reply. One job: latency, or the medium where that is slower. Ten
 * jobs: a closed queue (mean value analysis) of one bottleneck and a delay for the rest. @medium 0
 * is HiperSockets, 1 OSA; NAN for others.
 */
double replay_mq_rtt(double medium, double bytes);
double replay_mq_rtt10(double medium, double bytes);

/* MB/s, and percent of a CPU, of the measurement LFP-@row; NAN for rows without one. */
double replay_lfp_mb(double row);
double replay_lfp_cpu(double row);

/* Bytes a second; saturates with the number of connections. @system as in devemu/fabric/preset.h.
 */
double replay_telnet_rate(double system, double connections);

#endif
