/* SPDX-License-Identifier: Apache-2.0 */
/* tcw-run.c - the interpreter of channel programs in transport mode
 *
 * Theory of operation
 *
 * The channel reads the TCW and the TCCB: errors in the TCW, in addresses or in lists are program
 * or protection checks. The control unit gets the TCCB as one IU and checks it: errors there are
 * device-detected program checks, program checks with their reason in the TSB. Then the device gets
 * each DCW as a command. It pulls the control data first and then output data, or pushes input
 * data.
 *
 * A DCW has no flag that would allow another length: when a device moves more or less than the
 * count, the program ends with incorrect length and the residual count in the TSB.
 */
#include <string.h>

#include "devemu/channel/ccw.h"
#include "devemu/channel/tcw-run.h"

static size_t pull(struct device_call *call, void *buf, size_t len);
static size_t push(struct device_call *call, const void *buf, size_t len);

void tcw_run_begin(struct tcw_run *run, const struct orb *orb)
{
	run->state = TCW_RUN_READY;
	run->unit_status = 0;
	run->sch_status = 0;
	run->fcx_status = 0;
	run->extended_status = 0;
	run->orb = *orb;
	run->tsb = (struct tsb){0};
	run->tcw = (struct tcw){0};
	run->at = 0;
	run->moved = 0;
	run->miss = false;
	run->call.pull = pull;
	run->call.push = push;
}

static bool span(struct tcw_run *run, size_t want, uint8_t **at, size_t *len)
{
	uint8_t status;

	if (run->call.failed)
		return false;
	if (!run->left) {
		run->over |= !run->call.optional;
		return false;
	}
	status = tidal_span(&run->data, want < run->left ? want : run->left, at, len);
	if (status) {
		run->call.failed = true;
		run->sch_status |= status;
		return false;
	}
	run->left -= (uint32_t)*len;
	run->moved += (uint32_t)*len;
	return true;
}

static size_t pull(struct device_call *call, void *buf, size_t len)
{
	struct tcw_run *run = (struct tcw_run *)((char *)call - offsetof(struct tcw_run, call));
	const struct dcw *dcw = &run->tccb.dcw[run->at];
	uint8_t *to = buf, *at;
	size_t done = dcw->control_count - run->control, n;

	done = len < done ? len : done;
	if (done) {
		memcpy(to, dcw->control + run->control, done);
		run->control = (uint8_t)(run->control + done);
	}
	/* Data of a TCW that reads go the other way. */
	while (done < len && !run->data.store && span(run, len - done, &at, &n)) {
		memcpy(to + done, at, n);
		done += n;
	}
	if (done < len && run->data.store)
		run->over |= !call->optional;
	return done;
}

static size_t push(struct device_call *call, const void *buf, size_t len)
{
	struct tcw_run *run = (struct tcw_run *)((char *)call - offsetof(struct tcw_run, call));
	const uint8_t *from = buf;
	uint8_t *at;
	size_t done = 0, n;

	while (done < len && run->data.store && span(run, len - done, &at, &n)) {
		if (at)
			memcpy(at, from + done, n);
		done += n;
	}
	if (done < len && !run->data.store)
		run->over = true;
	return done;
}

static void end(struct tcw_run *run, uint8_t sch_status)
{
	run->sch_status |= sch_status;
	run->state = TCW_RUN_ENDED;
}

static uint8_t status_of(int rc)
{
	return rc == -EACCES ? SCH_PROTECTION_CHECK : SCH_PROGRAM_CHECK;
}

static uint8_t fetch_tcw(struct tcw_run *run)
{
	struct tcw *tcw = &run->tcw;
	uint8_t *at;
	int rc;

	if (run->orb.program % TCW_LEN)
		return SCH_PROGRAM_CHECK;
	rc = storage_access(run->storage, run->orb.program, TCW_LEN, STORAGE_31, run->orb.key,
			    false, &at);
	if (rc)
		return status_of(rc);
	if (tcw_decode(at, tcw) || (tcw->read && tcw->write) || tcw->tsb % 8 ||
	    tcw->tccb % (tcw->flags & TCW_TCCB_TIDA ? TIDAW_LEN : 8) ||
	    tcw->interrogate % TCW_LEN || tcw->interrogate & 0x80000000u)
		return SCH_PROGRAM_CHECK;
	rc = storage_access(run->storage, tcw->tsb, TSB_LEN, STORAGE_64, run->orb.key, true, &at);
	return rc ? status_of(rc) : 0;
}

static uint8_t fetch_tccb(struct tcw_run *run)
{
	struct tcw *tcw = &run->tcw;
	size_t done = 0, n;
	struct tidal list;
	uint8_t status, *at;

	run->tccb_len = 20 + 4 * (size_t)tcw->tccbl;
	if (run->tccb_len < TCCB_LEN_MIN || run->tccb_len > TCCB_LEN_MAX)
		return SCH_PROGRAM_CHECK;
	tidal_begin(&list, run->storage, run->orb.key, false, tcw->flags & TCW_TCCB_TIDA, tcw->tccb,
		    run->tccb_len);
	while (done < run->tccb_len) {
		status = tidal_span(&list, run->tccb_len - done, &at, &n);
		if (status)
			return status;
		memcpy(run->bytes + done, at, n);
		done += n;
	}
	return 0;
}

/* Returns true if the counts of TCW, trailer and DCWs agree. */
static enum ddpc check_counts(struct tcw_run *run, uint8_t *status)
{
	const struct tcw *tcw = &run->tcw;
	struct tccb *tccb = &run->tccb;
	uint32_t cbc = 0, total;

	*status = 0;
	if (!tcw->read && !tcw->write)
		return !tccb->data && (!tccb->transport_count || tccb->transport_count == 4)
			       ? DDPC_NONE
			       : DDPC_COUNT;
	if (tcw->write) {
		*status = tidal_cbc(&run->data, tccb->data, &cbc);
		if (*status)
			return DDPC_NONE;
	}
	if (tccb->data > UINT32_MAX - 7 - cbc)
		return DDPC_COUNT;
	total = tccb->data + cbc;
	if ((tcw->read ? tcw->input_count : tcw->output_count) != total ||
	    tccb->transport_count != tccb_transport_count(total))
		return DDPC_COUNT;
	return DDPC_NONE;
}

static bool writes(uint8_t cmd)
{
	enum ccw_class class = ccw_class(cmd);

	return class == CCW_CLASS_WRITE || class == CCW_CLASS_CONTROL;
}

static enum ddpc check_dcws(struct tcw_run *run, uint16_t *offset)
{
	for (unsigned int i = 0; i < run->tccb.dcws; i++) {
		const struct dcw *dcw = &run->tccb.dcw[i];
		enum ccw_class class = ccw_class(dcw->cmd);

		*offset = dcw->offset;
		if (class == CCW_CLASS_INVALID || class == CCW_CLASS_TIC ||
		    class == CCW_CLASS_BACKWARD)
			return DDPC_DCW;
		if (dcw->count && writes(dcw->cmd) != run->tcw.write)
			return DDPC_DIRECTION;
	}
	*offset = 0;
	return DDPC_NONE;
}

int tcw_run_store_tsb(struct tcw_run *run)
{
	uint8_t bytes[TSB_LEN];

	tsb_encode(&run->tsb, bytes);
	return storage_store(run->storage, run->tcw.tsb, bytes, sizeof(bytes), run->orb.key);
}

/* Stores the control unit's answer. An earlier check has ensured that the TSB can be stored. */
static void respond(struct tcw_run *run)
{
	if (run->unit_status & UNIT_CHECK) {
		memcpy(run->tsb.sense, run->device->sense, sizeof(run->tsb.sense));
		run->tsb.sense_valid = true;
	}
	if (run->miss)
		run->tsb.flags |= TSB_CACHE_MISS;
	if (tcw_run_store_tsb(run))
		run->sch_status |= SCH_PROTECTION_CHECK;
	else
		run->fcx_status |= TCW_FCXS_TSB_VALID;
	io_trace(run->trace, IU_TRANSPORT_RESPONSE, false, 0);
	run->state = TCW_RUN_ENDED;
}

static void device_program_check(struct tcw_run *run, enum ddpc reason, uint16_t offset)
{
	run->unit_status = UNIT_END;
	run->sch_status |= SCH_PROGRAM_CHECK;
	run->tsb.flags = TSB_PROGRAM_CHECK;
	run->tsb.reason = (uint8_t)reason;
	if (reason == DDPC_DCW || reason == DDPC_DIRECTION) {
		run->tsb.flags |= TSB_DCW_OFFSET_VALID;
		run->tsb.dcw_offset = offset;
	}
	respond(run);
}

static void interrogate(struct tcw_run *run)
{
	if (run->tccb.dcws != 1 || run->tccb.dcw[0].cmd != DCW_INTERROGATE) {
		device_program_check(run, DDPC_HEADER, 0);
		return;
	}
	/* Nothing can be under way at this device: the states say so, and are valid. */
	run->unit_status = UNIT_END;
	run->tsb.flags = TSB_INTERROGATE;
	run->tsb.intrg_flags = 0xe0;
	respond(run);
}

/* Returns false if the program has ended without a command. */
static bool start(struct tcw_run *run)
{
	const struct tcw *tcw = &run->tcw;
	uint16_t offset = 0;
	enum ddpc reason;
	uint8_t status;

	status = fetch_tcw(run);
	if (!status)
		status = fetch_tccb(run);
	if (status) {
		end(run, status);
		return false;
	}
	if (!run->path || !run->device->transport) {
		run->extended_status = run->path ? TCW_SESQ_DEVICE : TCW_SESQ_PATH;
		end(run, SCH_PROGRAM_CHECK);
		return false;
	}
	tidal_begin(&run->data, run->storage, run->orb.key, tcw->read,
		    tcw->flags & (tcw->read ? TCW_INPUT_TIDA : TCW_OUTPUT_TIDA),
		    tcw->read ? tcw->input : tcw->output,
		    tcw->read ? tcw->input_count : tcw->output_count);
	io_trace(run->trace, IU_TRANSPORT_COMMAND, true, (uint32_t)run->tccb_len);
	reason = tccb_decode(run->bytes, run->tccb_len, &run->tccb, &offset);
	if (!reason && run->tccb.action == TCCB_SAC_INTRG) {
		interrogate(run);
		return false;
	}
	if (!reason)
		reason = check_dcws(run, &offset);
	if (!reason) {
		reason = check_counts(run, &status);
		if (status) {
			end(run, status);
			return false;
		}
	}
	if (reason) {
		device_program_check(run, reason, offset);
		return false;
	}
	if (tcw->write && run->tccb.data && !run->first_transfer_ready_off)
		io_trace(run->trace, IU_TRANSFER_READY, false, 0);
	if (run->device->ops->begin)
		run->device->ops->begin(run->device);
	return true;
}

static void begin_command(struct tcw_run *run)
{
	const struct dcw *dcw = &run->tccb.dcw[run->at];
	struct device_call *call = &run->call;

	run->left = dcw->count;
	run->control = 0;
	run->over = false;
	call->cmd = dcw->cmd;
	call->chained = run->at != 0;
	call->last = !(dcw->flags & DCW_CC);
	call->again = false;
	call->transport = true;
	call->failed = false;
	call->moved = false;
	call->optional = false;
	call->cache_miss = false;
}

static void finish(struct tcw_run *run)
{
	const struct dcw *dcw = &run->tccb.dcw[run->at];

	if (run->moved)
		io_trace(run->trace, IU_TRANSPORT_DATA, run->tcw.write, run->moved);
	run->tsb.flags = TSB_IO_STATUS | TSB_DCW_OFFSET_VALID | TSB_COUNT_VALID;
	run->tsb.dcw_offset = dcw->offset;
	run->tsb.count = run->left;
	if (run->data.interrupt)
		run->sch_status |= SCH_PCI;
	respond(run);
	if (run->device->ops->end)
		run->device->ops->end(run->device);
}

/* The command has ended: continues the chain, or ends the program. */
static bool chains(struct tcw_run *run)
{
	const struct dcw *dcw = &run->tccb.dcw[run->at];

	run->miss |= run->call.cache_miss;
	if (!run->call.failed && !(run->unit_status & UNIT_CHECK) && (run->left || run->over))
		run->sch_status |= SCH_INCORRECT_LENGTH;
	if (run->sch_status || run->unit_status != UNIT_END || !(dcw->flags & DCW_CC))
		return false;
	run->at++;
	return true;
}

void tcw_run_go(struct tcw_run *run)
{
	if (run->state == TCW_RUN_WAITING) {
		run->call.again = true;
	} else {
		if (!start(run))
			return;
		begin_command(run);
	}
	for (;;) {
		run->state = TCW_RUN_READY;
		run->unit_status = run->device->ops->command(run->device, &run->call);
		if (run->unit_status == DEVICE_LATER) {
			run->unit_status = 0;
			run->state = TCW_RUN_WAITING;
			return;
		}
		if (!chains(run))
			break;
		begin_command(run);
	}
	finish(run);
}
