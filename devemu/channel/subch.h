/* SPDX-License-Identifier: Apache-2.0 */
/* subch.h - a subchannel: the instructions that a program uses to work with a device
 *
 * z/Architecture Principles of Operation, "I/O Instructions". The functions return the
 * instruction's condition code, or -EINVAL where the instruction would end with an operand
 * exception.
 *
 *	subch_start	SSCH	0 started, 1 status pending, 2 busy, 3 not operational
 *	subch_test	TSCH	0 status was pending, 1 it was not, 3
 *	subch_halt	HSCH	0, 1 status pending, 2 halt or clear already there, 3
 *	subch_clear	CSCH	0, 3
 *	subch_resume	RSCH	0, 1 status pending, 2 nothing to resume, 3
 *	subch_cancel	XSCH	0, 1 status pending, 2 too late, 3
 *	subch_store	STSCH	0, 3
 *	subch_modify	MSCH	0, 1 status pending, 2 busy, 3
 *
 * The program runs within subch_start() and subch_resume(), up to where it ends, suspends, or the
 * device has to wait for something. With @hold set, its end status becomes pending only by
 * subch_release(), where a model adds its time.
 *
 * Chaining checks cannot happen, as no transfer is ever late. Initial-status interruptions (I in
 * the ORB) and address-limit checking (A) are not implemented: their bits appear in the SCSW
 * without other effect.
 */
#ifndef DEVEMU_CHANNEL_SUBCH_H
#define DEVEMU_CHANNEL_SUBCH_H

#include "devemu/channel/ccw-run.h"
#include "devemu/channel/device.h"
#include "devemu/channel/irb.h"
#include "devemu/channel/orb.h"
#include "devemu/channel/tcw-run.h"

/*
 * @scsw.fctl is the current function. For start, @scsw.actl is one of these:
 *
 *   - ACTL_SUBCHANNEL | ACTL_DEVICE: the device has to wait (subch_continue()), or the end is held
 *     (subch_release()).
 *   - ACTL_SUSPENDED: until RSCH, XSCH, halt or clear.
 *   - none: it has ended; status is pending until TSCH takes it.
 */
struct subch {
	struct pmcw pmcw;
	struct scsw scsw;
	struct device *device;
	bool hold;
	bool held;                   /* an end waits for subch_release() */
	uint8_t attention;           /* unsolicited unit status that waits for its turn */
	bool pci;                    /* of the program that runs, not yet taken by TSCH */
	uint8_t sense[DEVICE_SENSE]; /* for the ECW */
	uint8_t sense_len;
	struct ccw_run ccw;
	struct tcw_run tcw;
	/* Status has become pending; called at most once until TSCH has taken it, and again for
	 * more of it. */
	void (*interrupt)(void *ctx, struct subch *subch);
	void *ctx;
};

/**
 * subch_create() - a subchannel, enabled, with one path installed and available
 * @device:	not owned; must outlive the subchannel
 *
 * Return: NULL with errno ENOMEM. pmcw may be changed by the caller before the first instruction.
 */
struct subch *subch_create(struct storage *storage, struct device *device);
void subch_destroy(struct subch *subch);

/* Sets the receiver of reports on IUs; NULL for none. */
void subch_set_trace(struct subch *subch, const struct io_trace *trace);

int subch_start(struct subch *subch, const uint8_t orb[ORB_LEN]);
int subch_test(struct subch *subch, uint8_t irb[IRB_LEN]);
int subch_halt(struct subch *subch);
int subch_clear(struct subch *subch);
int subch_resume(struct subch *subch);
int subch_cancel(struct subch *subch);
int subch_store(const struct subch *subch, uint8_t schib[SCHIB_LEN]);
int subch_modify(struct subch *subch, const uint8_t schib[SCHIB_LEN]);

/* Asks the device again that answered DEVICE_LATER. Does nothing if no command waits. */
void subch_continue(struct subch *subch);

/* Returns whether a command of the device waits (DEVICE_LATER). */
bool subch_waits(const struct subch *subch);

/* Makes the status pending that @hold kept back. */
void subch_release(struct subch *subch);

/* Unsolicited status of the device (attention, or device end after busy). */
void subch_attention(struct subch *subch, uint8_t unit_status);

#endif
