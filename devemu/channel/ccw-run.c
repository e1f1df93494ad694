/* SPDX-License-Identifier: Apache-2.0 */
/* ccw-run.c - the interpreter of channel programs made of CCWs
 *
 * Theory of operation
 *
 * ccw_run_go() fetches a CCW, gives its command to the device, and looks at the unit status that
 * comes back. While the command runs the device pulls or pushes bytes; data chaining happens there,
 * unseen by the device: when the count of a CCW is used up and its CD flag is on, the next CCW is
 * fetched, and only its address, count and flags count.
 *
 * An error that the channel finds (program, protection check) ends the program. If the error comes
 * up while data moves, call.failed tells the device, which gets no more data. Its unit status is
 * part of the result, as with a real device.
 */
#include <string.h>

#include "devemu/channel/ccw-run.h"

static size_t pull(struct device_call *call, void *buf, size_t len);
static size_t push(struct device_call *call, const void *buf, size_t len);

void ccw_run_begin(struct ccw_run *run, const struct orb *orb)
{
	run->state = CCW_RUN_READY;
	run->unit_status = 0;
	run->sch_status = 0;
	run->residual = 0;
	run->commands = 0;
	run->orb = *orb;
	run->next = orb->program;
	run->address = orb->program + CCW_LEN;
	run->executed = 0;
	run->chaining = false;
	run->call.pull = pull;
	run->call.push = push;
	if (!run->limit)
		run->limit = CCW_RUN_LIMIT;
	if (run->device->ops->begin)
		run->device->ops->begin(run->device);
}

void ccw_run_resume(struct ccw_run *run)
{
	run->state = CCW_RUN_READY;
	run->executed = 0;
	/* It may have become a TIC meanwhile. */
	run->chaining = true;
	if (run->device->ops->begin)
		run->device->ops->begin(run->device);
}

static bool reject(struct ccw_run *run, uint8_t sch_status)
{
	run->sch_status |= sch_status;
	return false;
}

static bool fetch(struct ccw_run *run, struct ccw *ccw)
{
	uint64_t highest = run->orb.format1 ? STORAGE_31 : STORAGE_24;
	uint8_t *at;
	int rc;

	run->address = run->next + CCW_LEN;
	if (run->next & (CCW_LEN - 1) || run->executed++ >= run->limit)
		return reject(run, SCH_PROGRAM_CHECK);
	rc = storage_access(run->storage, run->next, CCW_LEN, highest, run->orb.key, false, &at);
	if (rc)
		return reject(run, rc == -EACCES ? SCH_PROTECTION_CHECK : SCH_PROGRAM_CHECK);
	ccw_decode(at, run->orb.format1, ccw);
	return true;
}

/* Transfer in channel goes once, and never first. */
static bool transfer(struct ccw_run *run, const struct ccw *ccw)
{
	if (run->orb.format1 &&
	    (ccw->cmd != 0x08 || ccw->flags || ccw->count || ccw->addr & 0x80000000u))
		return reject(run, SCH_PROGRAM_CHECK);
	if (ccw->addr & (CCW_LEN - 1))
		return reject(run, SCH_PROGRAM_CHECK);
	run->next = ccw->addr;
	return true;
}

/* Checks the rules for a CCW that do not depend on its place in the program. */
static bool well_formed(struct ccw_run *run, const struct ccw *ccw, bool data_chained)
{
	const struct orb *orb = &run->orb;

	/* Without format 1 a count of zero is never good; with it, where no data chaining is. */
	if (!ccw->count && (!orb->format1 || ccw->flags & CCW_CD || data_chained))
		return reject(run, SCH_PROGRAM_CHECK);
	if (orb->format1 && ccw->addr & 0x80000000u)
		return reject(run, SCH_PROGRAM_CHECK);
	if (ccw->flags & CCW_MIDAW && (!orb->midaw || ccw->flags & (CCW_IDA | CCW_SKIP)))
		return reject(run, SCH_PROGRAM_CHECK);
	if (ccw->flags & CCW_SUSPEND && (!orb->suspend || data_chained || ccw->flags & CCW_CD))
		return reject(run, SCH_PROGRAM_CHECK);
	if (ccw->flags & CCW_IDA) {
		uint32_t align = orb->idaw64 ? 8 : 4;

		if (ccw->addr & (align - 1))
			return reject(run, SCH_PROGRAM_CHECK);
	}
	return true;
}

static bool fetch_next(struct ccw_run *run, bool data_chained)
{
	struct ccw ccw;
	bool transferred = false;

	for (;;) {
		if (!fetch(run, &ccw))
			return false;
		if (ccw_class(ccw.cmd) != CCW_CLASS_TIC ||
		    (run->orb.format1 && ccw.cmd != 0x08 && data_chained))
			break;
		if (transferred || !run->chaining)
			return reject(run, SCH_PROGRAM_CHECK);
		if (!transfer(run, &ccw))
			return false;
		transferred = true;
	}
	/* Data chaining does not look at the command. */
	if (!data_chained && ccw_class(ccw.cmd) == CCW_CLASS_INVALID)
		return reject(run, SCH_PROGRAM_CHECK);
	if (!well_formed(run, &ccw, data_chained))
		return false;
	if (!data_chained && ccw.flags & CCW_SUSPEND) {
		run->state = CCW_RUN_SUSPENDED;
		run->next = run->address - CCW_LEN;
		return false;
	}
	run->ccw = ccw;
	run->next = run->address;
	run->chaining = true;
	run->left = ccw.count;
	if (ccw.flags & CCW_PCI && run->pci)
		run->pci(run->pci_ctx, run);
	return true;
}

static void begin_area(struct ccw_run *run)
{
	area_begin(&run->area, run->storage, &run->orb, &run->ccw,
		   run->class == CCW_CLASS_BACKWARD);
}

/* Reports what has moved, in pieces of at most IU_DATA_MAX; all of it if @all. */
static void report(struct ccw_run *run, bool to_cu, bool all)
{
	while (run->iu_bytes >= IU_DATA_MAX || (all && run->iu_bytes)) {
		uint32_t n = run->iu_bytes < IU_DATA_MAX ? run->iu_bytes : IU_DATA_MAX;

		if (to_cu && !run->iu_sent)
			io_trace(run->trace, IU_COMMAND_DATA, true, n);
		else
			io_trace(run->trace, IU_DATA, to_cu, n);
		run->iu_sent = true;
		run->iu_bytes -= n;
	}
}

/* Returns whether there is an area for the next byte. */
static bool more_area(struct ccw_run *run)
{
	struct device_call *call = &run->call;

	if (call->failed)
		return false;
	if (run->left)
		return true;
	if (!(run->ccw.flags & CCW_CD)) {
		run->over |= !call->optional;
		return false;
	}
	if (!fetch_next(run, true)) {
		call->failed = true;
		return false;
	}
	begin_area(run);
	return true;
}

static bool span(struct ccw_run *run, size_t want, bool store, uint8_t **at, size_t *len)
{
	uint8_t status;

	status = area_span(&run->area, want < run->left ? want : run->left, store, at, len);
	if (status) {
		run->call.failed = true;
		return reject(run, status);
	}
	run->left -= (uint32_t)*len;
	run->iu_bytes += (uint32_t)*len;
	return true;
}

static size_t pull(struct device_call *call, void *buf, size_t len)
{
	struct ccw_run *run = (struct ccw_run *)((char *)call - offsetof(struct ccw_run, call));
	uint8_t *to = buf, *at;
	size_t done = 0, n;

	while (done < len && more_area(run)) {
		if (!span(run, len - done, false, &at, &n))
			break;
		/* Skipping is nothing for data that goes to a device. */
		if (at)
			memcpy(to + done, at, n);
		else
			memset(to + done, 0, n);
		done += n;
		if (run->iu_bytes >= IU_DATA_MAX)
			report(run, true, false);
	}
	return done;
}

static size_t push(struct device_call *call, const void *buf, size_t len)
{
	struct ccw_run *run = (struct ccw_run *)((char *)call - offsetof(struct ccw_run, call));
	const uint8_t *from = buf;
	uint8_t *at;
	size_t done = 0, n;

	while (done < len && more_area(run)) {
		if (run->ccw.flags & CCW_SKIP) {
			n = len - done < run->left ? len - done : run->left;
			run->left -= (uint32_t)n;
			run->iu_bytes += (uint32_t)n;
		} else {
			if (!span(run, len - done, true, &at, &n))
				break;
			if (at && run->area.backward)
				for (size_t i = 0; i < n; i++)
					at[n - 1 - i] = from[done + i];
			else if (at)
				memcpy(at, from + done, n);
		}
		done += n;
		if (run->iu_bytes >= IU_DATA_MAX)
			report(run, false, false);
	}
	return done;
}

static void ended(struct ccw_run *run)
{
	run->state = CCW_RUN_ENDED;
	run->residual = (uint16_t)run->left;
	if (run->commands)
		io_trace(run->trace, IU_STATUS, false, 0);
	if (run->device->ops->end)
		run->device->ops->end(run->device);
}

/* Returns true if the last area had the length that the device moved. Principles of Operation,
 * "Incorrect Length". */
static bool length_bad(const struct ccw_run *run)
{
	if (run->call.failed)
		return false;
	if (!run->call.moved) {
		/* Immediate, or refused at once: busy comes without channel end. */
		if (!run->orb.format1 || run->orb.length_suppression ||
		    run->unit_status & UNIT_CHECK || !(run->unit_status & UNIT_CHANNEL_END))
			return false;
		return run->left != 0;
	}
	return run->left || run->over || run->ccw.flags & CCW_CD;
}

static void begin_command(struct ccw_run *run)
{
	struct device_call *call = &run->call;

	run->class = ccw_class(run->ccw.cmd);
	begin_area(run);
	call->cmd = run->ccw.cmd;
	call->chained = run->commands != 0;
	call->again = false;
	call->transport = false;
	call->failed = false;
	call->moved = false;
	call->optional = false;
	call->cache_miss = false;
	run->over = false;
	run->iu_bytes = 0;
	run->iu_sent = false;
	run->commands++;
	/* A write command goes out with its first data, which is not known yet. */
	if (run->class != CCW_CLASS_WRITE && run->class != CCW_CLASS_CONTROL) {
		io_trace(run->trace, IU_COMMAND, true, 0);
		run->iu_sent = true;
	}
}

static void end_command(struct ccw_run *run)
{
	bool to_cu = run->class == CCW_CLASS_WRITE || run->class == CCW_CLASS_CONTROL;

	if (to_cu) {
		report(run, true, true);
		if (!run->iu_sent)
			io_trace(run->trace, IU_COMMAND, true, 0);
	}
	if (run->commands == 1)
		io_trace(run->trace, IU_COMMAND_RESPONSE, false, 0);
	if (!to_cu)
		report(run, false, true);
}

/* The command has ended: continues the chain, or ends the program. */
static bool chains(struct ccw_run *run)
{
	uint8_t flags = run->ccw.flags;

	if (length_bad(run) && (flags & CCW_CD || !(flags & CCW_SLI)))
		run->sch_status |= SCH_INCORRECT_LENGTH;
	if (run->sch_status & ~SCH_PCI)
		return false;
	if (flags & CCW_CD || !(flags & CCW_CC))
		return false;
	if ((run->unit_status & ~UNIT_MODIFIER) != UNIT_END)
		return false;
	if (run->unit_status & UNIT_MODIFIER) {
		if (run->next + CCW_LEN < run->next)
			return reject(run, SCH_PROGRAM_CHECK);
		run->next += CCW_LEN;
	}
	run->unit_status = 0;
	return true;
}

void ccw_run_go(struct ccw_run *run)
{
	struct device *device = run->device;
	struct device_call *call = &run->call;

	for (;;) {
		if (run->state == CCW_RUN_WAITING) {
			call->again = true;
		} else {
			run->left = 0;
			if (!fetch_next(run, false)) {
				if (run->state != CCW_RUN_SUSPENDED)
					ended(run);
				return;
			}
			begin_command(run);
		}
		call->last = !(run->ccw.flags & (CCW_CC | CCW_CD));
		run->state = CCW_RUN_READY;
		run->unit_status = device->ops->command(device, call);
		if (run->unit_status == DEVICE_LATER) {
			run->unit_status = 0;
			run->state = CCW_RUN_WAITING;
			return;
		}
		end_command(run);
		if (!chains(run)) {
			ended(run);
			return;
		}
	}
}
