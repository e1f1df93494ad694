/* SPDX-License-Identifier: Apache-2.0 */
/* tcw-run.h - the interpreter of channel programs in transport mode
 *
 * z/Architecture Principles of Operation, "I/O Execution Functions: Transport-Mode". One direction
 * for a TCW; the bidirectional facility is not installed (a TCW that asks for both is a program
 * check).
 */
#ifndef DEVEMU_CHANNEL_TCW_RUN_H
#define DEVEMU_CHANNEL_TCW_RUN_H

#include "devemu/bytes/storage.h"
#include "devemu/channel/device.h"
#include "devemu/channel/orb.h"
#include "devemu/channel/tcw.h"
#include "devemu/channel/tidal.h"
#include "devemu/channel/trace.h"

#define TCW_FCXS_TSB_VALID 0x01u /* FCX status: the TSB has been stored */

/* Subchannel-extended status: why nothing was started (Linux, scsw.h: SCSW_SESQ_...) */
#define TCW_SESQ_DEVICE 3u /* the device does not know transport mode */
#define TCW_SESQ_PATH   4u /* the path does not */

enum tcw_run_state {
	TCW_RUN_READY,
	TCW_RUN_WAITING, /* the device has said DEVICE_LATER */
	TCW_RUN_ENDED,
};

struct tcw_run {
	/* Set by the caller before tcw_run_begin() */
	struct storage *storage;
	struct device *device;
	const struct io_trace *trace;
	bool path;                     /* channel and path know transport mode */
	bool first_transfer_ready_off; /* writes need no transfer ready */

	/* Results */
	enum tcw_run_state state;
	uint8_t unit_status;
	uint8_t sch_status;
	uint8_t fcx_status;
	uint8_t extended_status;
	struct tsb tsb; /* as stored, if fcx_status says so */
	struct tcw tcw;

	/* Inside */
	struct orb orb;
	struct device_call call;
	struct tccb tccb;
	struct tidal data;
	uint8_t bytes[TCCB_LEN_MAX];
	size_t tccb_len;
	uint8_t at;      /* the present DCW */
	uint32_t left;   /* of its count */
	uint8_t control; /* of its control data, already pulled */
	uint32_t moved;  /* by all DCWs */
	bool over;
	bool miss;
};

void tcw_run_begin(struct tcw_run *run, const struct orb *orb);
void tcw_run_go(struct tcw_run *run);

/* Stores the TSB again after run->tsb was changed (times that a model has found). Returns 0 or the
 * error of storage_store(). */
int tcw_run_store_tsb(struct tcw_run *run);

#endif
