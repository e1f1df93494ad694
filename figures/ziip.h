/* SPDX-License-Identifier: Apache-2.0 */
/* ziip.h - the runs of the paper on zIIP-assisted IPSec, in simulated time
 *
 * A run has two CPs and up to two zIIPs for 60 s, and the real queues and rules of
 * devemu/engine/ (IIPHONORPRIORITY=YES). Work for the class comes in units of 0.1 ms of CPU time,
 * evenly, so that its demand is that of the paper. Only one number is fitted: the part of a zIIP
 * that is not captured (ZI-10). The results are read from the Workload Activity report.
 */
#ifndef FIGURES_ZIIP_H
#define FIGURES_ZIIP_H

/* Percent of one processor, for @demand percent of eligible work; NAN for wrong arguments. */
double ziip_iip(double demand, double ziips);
double ziip_iipcp(double demand, double ziips);
double ziip_cp(double demand, double ziips);
/* All work of the CPs, with @other percent that is neither eligible nor of the class. */
double ziip_busy(double demand, double other, double ziips);
/* Seconds of CPU time, and service units. */
double ziip_seconds(double demand, double ziips);
double ziip_units(double demand, double ziips);
/* The projection as IBM made it, with all of each zIIP: the spill of one, and zIIPs for all. */
double ziip_spill(double demand);
double ziip_wanted(double demand);

#endif
