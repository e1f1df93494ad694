/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h - the counters of a running fabric, from which reports are made
 *
 * Every number is counted by an event, in the interval from the end of the warm-up to the end of
 * the run. Times are sums in picoseconds, sizes in bytes.
 */
#ifndef DEVEMU_FABRIC_COUNTERS_H
#define DEVEMU_FABRIC_COUNTERS_H

#include <stdint.h>

/* One protocol on one channel: SMF 73 ETC, ETS, ETD (zHPF) or EOC, EOS, EOD (FICON). RATE = starts
 * / interval, ACTIVE = active_sum / starts, DEFER = deferred / interval. */
struct operation_counters {
	uint64_t starts;
	uint64_t active_sum; /* at each start, the number of I/Os active, this one included */
	uint64_t deferred;   /* could not start at once: no open exchange free */
	uint64_t ends;
	uint64_t response; /* sum over ends, ps */
};

enum { OPERATION_FICON, OPERATION_ZHPF, OPERATION_FCP, OPERATIONS };

struct channel_counters {
	struct operation_counters operation[OPERATIONS];
	uint64_t processor_busy; /* ps of the channel processor */
	uint64_t bus_busy;       /* ps of the channel's bus */
	uint64_t bytes_read, bytes_written;
	uint64_t ius_out, ius_in; /* information units to and from the control unit */
};

/* One direction of one link. */
struct link_counters {
	uint64_t frames, frame_bytes; /* all frames, with headers */
	uint64_t data_frames;
	uint64_t busy;         /* ps that the line was held */
	uint64_t credit_wait;  /* ps that frames waited for credit alone */
	uint64_t credit_waits; /* frames that did */
};

/* RESP = IOSQ + PEND + DISC + CONN. */
struct device_counters {
	uint64_t starts, ends;
	uint64_t iosq, pend, disc, conn; /* ps, over ends */
	uint64_t cmr;                    /* part of pend: initial command response */
	uint64_t hits, misses;           /* reads only */
	uint64_t bytes_read, bytes_written;
	uint64_t no_path;       /* ended because no path was left */
	uint64_t path_switches; /* driven again on another path */
	uint64_t lost;          /* of these, those of which a frame was dropped as corrupted */
	uint64_t alias_time;    /* ns that I/Os besides the first were active, one after another */
};

/* Synchronous I/O of one device; counted by zhyperlink/. Each request ends in one of reads, writes,
 * link_busy, cache_miss and the two kinds of rejects. */
struct sync_counters {
	uint64_t reads, writes; /* successful */
	uint64_t bytes_read, bytes_written;
	uint64_t read_time, write_time; /* ps */
	uint64_t failed_time;           /* ps until it was known that it would not go */
	uint64_t link_busy, cache_miss, read_rejects, write_rejects;
};

#endif
