/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c - one channel program of an I/O with real bytes */
#include "devemu/fabric/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/device/ckd-device.h"
#include "devemu/device/ckd-records.h"

/* Every program here begins with Define Extent and Locate Record, whose data are parameters. */
enum { LOCATING = 2 };

/* Of FCP_CMND */
enum { FCP_WRDATA = 0x01, FCP_RDDATA = 0x02 };

static void on_iu(void *ctx, enum io_iu kind, bool to_cu, uint32_t bytes)
{
	struct exchange *exchange = ctx;
	uint32_t data = 0;

	switch (kind) {
	case IU_COMMAND:
	case IU_TRANSPORT_COMMAND:
		exchange->commands++;
		break;
	case IU_COMMAND_DATA:
		if (++exchange->commands > LOCATING)
			data = bytes;
		break;
	case IU_DATA:
	case IU_TRANSPORT_DATA:
		data = bytes;
		exchange->units_in += !to_cu;
		break;
	case IU_COMMAND_RESPONSE:
	case IU_STATUS:
	case IU_TRANSPORT_RESPONSE:
		exchange->answers++;
		break;
	case IU_CONTROL:
	case IU_TRANSFER_READY:
	case IU_KINDS:
		break;
	}
	exchange->moved += data;
	if (exchange->ius < EXCHANGE_IUS)
		exchange->iu[exchange->ius++] =
			(struct exchange_iu){(uint8_t)kind, to_cu, bytes, data};
}

struct exchange *exchange_create(struct ckd_image *image, struct scsi_disk *disk, uint16_t number,
				 uint32_t room)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return NULL;
	exchange->disk = disk;
	exchange->trace = (struct io_trace){on_iu, exchange};
	exchange->storage =
		storage_create(EXCHANGE_DATA + STORAGE_PAGE +
			       ((uint64_t)room + STORAGE_PAGE - 1) / STORAGE_PAGE * STORAGE_PAGE);
	if (image && exchange->storage) {
		exchange->device = ckd_device_create(image, number);
		if (exchange->device)
			exchange->subch = subch_create(exchange->storage, exchange->device);
	}
	if (!exchange->storage || (image && !exchange->subch)) {
		exchange_destroy(exchange);
		errno = ENOMEM;
		return NULL;
	}
	if (exchange->subch) {
		subch_set_trace(exchange->subch, &exchange->trace);
		exchange->subch->hold = true;
	}
	return exchange;
}

void exchange_destroy(struct exchange *exchange)
{
	if (exchange->subch)
		subch_destroy(exchange->subch);
	if (exchange->device)
		ckd_device_destroy(exchange->device);
	storage_destroy(exchange->storage);
	free(exchange);
}

uint8_t *exchange_data(struct exchange *exchange, const struct exchange_request *request)
{
	exchange->wanted = request->bytes;
	exchange->moved = exchange->commands = exchange->answers = exchange->units_in = 0;
	exchange->gone = 0;
	exchange->ius = exchange->next_out = exchange->next_in = 0;
	exchange->lost = false;
	exchange->data = EXCHANGE_DATA + request->skew % STORAGE_PAGE;
	return exchange->storage->bytes + exchange->data;
}

/* READ(16) or WRITE(16) of logical unit 0. */
static void prepare_scsi(struct exchange *exchange, const struct exchange_request *request)
{
	uint8_t *unit = exchange->storage->bytes + EXCHANGE_PROGRAM, *cdb = unit + FCP_CMND_CDB;

	memset(unit, 0, FCP_CMND_LEN);
	unit[FCP_CMND_DIRECTION] = request->write ? FCP_WRDATA : FCP_RDDATA;
	cdb[0] = request->write ? 0x8a : 0x88;
	be64_put(cdb + 2, request->place);
	be32_put(cdb + 10, request->bytes / SCSI_BLOCK);
	be32_put(unit + FCP_CMND_DL, request->bytes);
}

/* A disk's bytes and states are real, its protocol has no interpreter. */
static void run_scsi(struct exchange *exchange)
{
	const uint8_t *unit = exchange->storage->bytes + EXCHANGE_PROGRAM;

	scsi_command(exchange->disk, be16_get(unit), unit + FCP_CMND_CDB, SCSI_CDB_MAX,
		     unit[FCP_CMND_DIRECTION] & FCP_WRDATA,
		     exchange->storage->bytes + exchange->data, be32_get(unit + FCP_CMND_DL),
		     &exchange->result);
	exchange->moved = (uint32_t)exchange->result.moved;
}

int exchange_prepare(struct exchange *exchange, const struct exchange_request *request)
{
	struct ckd_4k_io io = {
		.record = request->place,
		.count = request->bytes / CKD_4K,
		.write = request->write,
		.data = exchange->data,
	};

	if (exchange->disk) {
		prepare_scsi(exchange, request);
		return 0;
	}
	exchange->subch->tcw.first_transfer_ready_off = request->first_transfer_ready_off;
	if (request->mode == EXCHANGE_TCW)
		return ckd_4k_tcw(exchange->storage, EXCHANGE_PROGRAM, &io, exchange->orb);
	if (io.count == 1)
		return ckd_4k_ccw(exchange->storage, EXCHANGE_PROGRAM, &io, exchange->orb);
	return ckd_4k_track_ccw(exchange->storage, EXCHANGE_PROGRAM, &io, exchange->orb);
}

int exchange_run(struct exchange *exchange)
{
	if (exchange->disk) {
		run_scsi(exchange);
		return 0;
	}
	return subch_start(exchange->subch, exchange->orb) ? -EIO : 0;
}

static void end_scsi(const struct exchange *exchange, struct exchange_status *status)
{
	status->unit = exchange->result.status;
	status->good = exchange->result.status == SCSI_GOOD;
	if (!status->good) {
		status->sense[0] = exchange->result.sense[2] & 0x0f;
		status->sense[1] = exchange->result.sense[12];
	}
}

void exchange_end(struct exchange *exchange, uint32_t microseconds, struct exchange_status *status)
{
	struct subch *subch = exchange->subch;
	struct tcw_run *run;
	uint8_t irb[IRB_LEN];
	const uint8_t *sense = irb + IRB_ECW;

	memset(status, 0, sizeof(*status));
	if (!subch) {
		end_scsi(exchange, status);
		return;
	}
	run = &subch->tcw;
	if (subch->scsw.transport && run->fcx_status & TCW_FCXS_TSB_VALID &&
	    (run->tsb.flags & TSB_FORMAT_MASK) == TSB_IO_STATUS) {
		run->tsb.flags |= TSB_TIMES_VALID;
		run->tsb.device_time = run->tsb.active_time = microseconds;
		tcw_run_store_tsb(run);
	}
	subch_release(subch);
	if (subch->scsw.transport)
		sense = run->tsb.sense;
	subch_test(subch, irb);
	status->unit = irb[8];
	status->subchannel = irb[9];
	status->good = status->unit == UNIT_END && !status->subchannel;
	if (status->unit & UNIT_CHECK)
		memcpy(status->sense, sense, sizeof(status->sense));
}

void exchange_cancel(struct exchange *exchange)
{
	uint8_t irb[IRB_LEN];

	if (!exchange->subch)
		return;
	subch_clear(exchange->subch);
	subch_test(exchange->subch, irb);
}
