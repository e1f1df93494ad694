/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - closed forms of what is simulated, for one FEx32S channel and a DS8950
 *
 * Rates in I/Os a second, sizes in bytes, times in microseconds, MB are of 10^6 bytes.
 */
#ifndef FIGURES_MODEL_H
#define FIGURES_MODEL_H

/* The channel processor: a zHPF I/O takes it the same time whatever its size; a FICON I/O has five
 * information units without data and one for each 8 KB. */
double model_zhpf_rate(void);
double model_ficon_rate(double bytes);

/* As many bytes as those I/Os have, or as the bus moves. */
double model_zhpf_mb(double bytes);
double model_ficon_mb(double bytes);

/* 4 KB reads: a closed model with a number of streams; an open one with random arrivals and a
 * service of constant time (M/D/1). */
double model_zhpf_response(double streams);
double model_ficon_response(double rate);

/* The processor's time is shared, @share of it for zHPF. */
double model_mix_rate(double share);

/* Full frames and two small ones. */
double model_frame_mean(double bytes);

/* A line gives @gbps * 100 MB/s of data, or a frame of data for each credit in a round trip. */
double model_credit_mb(double gbps, double km, double credits);

/* Half a credit for each kilometre and Gbps. */
double model_credits(double gbps, double km);

/* Percent of the line's data that @extra bytes more in each frame take. */
double model_fces_cost(double bytes, double extra);

#endif
