/* SPDX-License-Identifier: Apache-2.0 */
/* ccw-run.h - the interpreter of channel programs made of CCWs
 *
 * z/Architecture Principles of Operation, chapters "Basic I/O Functions" and "I/O Interruptions".
 */
#ifndef DEVEMU_CHANNEL_CCW_RUN_H
#define DEVEMU_CHANNEL_CCW_RUN_H

#include "devemu/bytes/storage.h"
#include "devemu/channel/area.h"
#include "devemu/channel/ccw.h"
#include "devemu/channel/device.h"
#include "devemu/channel/orb.h"
#include "devemu/channel/trace.h"

/* CCWs that one start or resume may execute. An endless program ends with a program check here; a
 * channel would go on until it is halted. */
#define CCW_RUN_LIMIT 1000000u

enum ccw_run_state {
	CCW_RUN_READY,     /* set up, or resumed; ccw_run_go() may be called */
	CCW_RUN_WAITING,   /* the device has said DEVICE_LATER; ccw_run_go() asks again */
	CCW_RUN_SUSPENDED, /* at a CCW with the suspend flag; ccw_run_resume() */
	CCW_RUN_ENDED,
};

struct ccw_run {
	/* Set by the caller before ccw_run_begin() */
	struct storage *storage;
	struct device *device;
	const struct io_trace *trace;
	void (*pci)(
		void *ctx,
		struct ccw_run *run); /* a CCW with the PCI flag has become current; may be NULL */
	void *pci_ctx;
	uint32_t limit; /* 0: CCW_RUN_LIMIT */

	/* Results */
	enum ccw_run_state state;
	uint8_t unit_status;
	uint8_t sch_status;
	uint16_t residual;
	uint32_t address;  /* of the last CCW used plus 8, as the SCSW has it */
	uint32_t commands; /* received by the device */

	/* Inside */
	struct orb orb;
	struct device_call call;
	struct ccw ccw;
	struct area area;
	enum ccw_class class;
	uint32_t next;     /* address of the next CCW */
	uint32_t left;     /* bytes of the present CCW that have not moved */
	uint32_t executed; /* counts to the limit */
	uint32_t iu_bytes; /* moved, but not yet reported as an IU */
	bool iu_sent;      /* the command IU of this command has been reported */
	bool over;         /* the device would have moved more */
	bool chaining;     /* the present command has been chained to */
};

/* A new program; @orb is copied. */
void ccw_run_begin(struct ccw_run *run, const struct orb *orb);

/* Runs until the program ends, waits or suspends. */
void ccw_run_go(struct ccw_run *run);

/* After CCW_RUN_SUSPENDED: the CCW is read again by ccw_run_go(). */
void ccw_run_resume(struct ccw_run *run);

#endif
