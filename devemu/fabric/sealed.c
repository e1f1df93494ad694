/* SPDX-License-Identifier: Apache-2.0 */
/* sealed.c - the information units of a channel program on an encrypted path */
#include "devemu/fabric/sealed.h"

#include <string.h>

#include "lfp/bigend.h"
#include "devemu/channel/ccw.h"
#include "devemu/channel/tcw.h"
#include "devemu/fabric/fabric.h"
#include "devemu/fabric/io.h"
#include "devemu/fces/connection.h"

enum {
	PARAMETERS_MAX = 64, /* bytes that go with a command and are no data */
	STATUS = 4,          /* unit status, zero, residual count (2) */
	RESPONSE = 4,        /* of a command, and for pacing: zeros */
	XFER_RDY = 12,       /* relative offset, burst length, zeros */
	FCP_RSP = 24,
	FCP_RSP_STATUS = 11,
	FCP_RSP_FLAGS = 10,
	FCP_RSP_SNS_LEN = 20,
	SNS_LEN_VALID = 0x02,
};

static bool carried(const struct io *io, bool from_cu, enum fc_category category, uint8_t *bytes,
		    uint32_t len)
{
	return fces_carry_unit(io->path->fces, from_cu, category, (uint16_t)io->number, bytes, len,
			       bytes) == 0;
}

/* One command of a chain, with parameters if its data are not the I/O's. */
static bool command(const struct io *io, struct exchange *exchange, uint8_t *at,
		    const struct ccw *ccw)
{
	uint8_t unit[CCW_LEN + PARAMETERS_MAX];
	uint8_t *parameters = exchange->storage->bytes + ccw->addr;
	uint32_t len = 0;

	if (ccw->addr < EXCHANGE_DATA && ccw_class(ccw->cmd) != CCW_CLASS_READ)
		len = ccw->count < PARAMETERS_MAX ? ccw->count : PARAMETERS_MAX;
	memcpy(unit, at, CCW_LEN);
	memcpy(unit + CCW_LEN, parameters, len);
	if (!carried(io, false, FC_COMMAND, unit, CCW_LEN + len))
		return false;
	memcpy(at, unit, CCW_LEN);
	memcpy(parameters, unit + CCW_LEN, len);
	return true;
}

/* Data chaining is the channel's own: further CCWs of a command are no units. */
static bool chain(const struct io *io, struct exchange *exchange, uint8_t *at)
{
	struct ccw ccw = {.flags = CCW_CC};

	for (bool chained = false; ccw.flags & (CCW_CC | CCW_CD); at += CCW_LEN) {
		ccw_decode(at, true, &ccw);
		if (!chained && !command(io, exchange, at, &ccw))
			return false;
		chained = ccw.flags & CCW_CD;
	}
	return true;
}

static bool commands(const struct io *io, struct exchange *exchange)
{
	uint8_t *bytes = exchange->storage->bytes;
	struct orb orb;
	struct tcw tcw;

	if (exchange->disk)
		return carried(io, false, FC_COMMAND, bytes + EXCHANGE_PROGRAM, FCP_CMND_LEN);
	if (orb_decode(exchange->orb, &orb))
		return false;
	if (!orb.transport)
		return chain(io, exchange, bytes + orb.program);
	return tcw_decode(bytes + orb.program, &tcw) == 0 &&
	       carried(io, false, FC_COMMAND, bytes + tcw.tccb, 20 + 4u * tcw.tccbl);
}

/* The control unit permits more data, from @sent on. */
static bool granted(const struct io *io, const struct exchange *exchange, uint32_t sent)
{
	uint8_t unit[XFER_RDY] = {0};

	if (io->protocol == OPERATION_FICON)
		return carried(io, true, FC_SOLICITED_CONTROL, unit, RESPONSE);
	be32_put(unit, sent);
	be32_put(unit + 4, exchange->wanted - sent);
	return carried(io, true, FC_DATA_DESCRIPTOR, unit, sizeof(unit)) &&
	       be32_get(unit) == sent && be32_get(unit + 4) == exchange->wanted - sent;
}

static bool written(const struct io *io, struct exchange *exchange)
{
	uint8_t *data = exchange->storage->bytes + exchange->data;

	for (uint32_t sent = 0, part; sent < exchange->wanted; sent += part) {
		part = window_bytes(io, exchange->wanted - sent, !sent);
		if (sent || !part) {
			if (!granted(io, exchange, sent))
				return false;
			part = window_bytes(io, exchange->wanted - sent, false);
		}
		if (!carried(io, false, FC_SOLICITED_DATA, data + sent, part))
			return false;
	}
	return true;
}

bool sealed_start(const struct io *io, struct exchange *exchange)
{
	return commands(io, exchange) && (!io->write || written(io, exchange));
}

static bool status(const struct io *io, struct exchange *exchange)
{
	struct ccw_run *run = &exchange->subch->ccw;
	uint8_t unit[STATUS] = {run->unit_status};

	be16_put(unit + 2, run->residual);
	if (!carried(io, true, FC_STATUS, unit, sizeof(unit)))
		return false;
	run->unit_status = unit[0];
	run->residual = be16_get(unit + 2);
	return true;
}

/* The channel stores the TSB that it makes of the response. */
static bool transport_response(const struct io *io, struct exchange *exchange)
{
	struct tcw_run *run = &exchange->subch->tcw;
	uint8_t *tsb = exchange->storage->bytes + run->tcw.tsb;

	if (!carried(io, true, FC_STATUS, tsb, TSB_LEN))
		return false;
	tsb_decode(tsb, &run->tsb);
	return true;
}

static bool fcp_response(const struct io *io, struct exchange *exchange)
{
	struct scsi_result *result = &exchange->result;
	const bool check = result->status == SCSI_CHECK_CONDITION;
	uint8_t unit[FCP_RSP + SCSI_SENSE_LEN] = {0};

	unit[FCP_RSP_STATUS] = result->status;
	if (check) {
		unit[FCP_RSP_FLAGS] = SNS_LEN_VALID;
		be32_put(unit + FCP_RSP_SNS_LEN, SCSI_SENSE_LEN);
		memcpy(unit + FCP_RSP, result->sense, SCSI_SENSE_LEN);
	}
	if (!carried(io, true, FC_STATUS, unit, check ? sizeof(unit) : FCP_RSP))
		return false;
	result->status = unit[FCP_RSP_STATUS];
	memcpy(result->sense, unit + FCP_RSP, SCSI_SENSE_LEN);
	return true;
}

static bool scsi_end(const struct io *io, struct exchange *exchange)
{
	return (io->write || !exchange->moved ||
		carried(io, true, FC_SOLICITED_DATA, exchange->storage->bytes + exchange->data,
			exchange->moved)) &&
	       fcp_response(io, exchange);
}

bool sealed_end(const struct io *io, struct exchange *exchange)
{
	uint8_t *data = exchange->storage->bytes + exchange->data;
	uint8_t response[RESPONSE] = {0};
	bool all = true;

	if (exchange->disk)
		return scsi_end(io, exchange);
	for (unsigned int i = 0; all && i < exchange->ius; i++) {
		const struct exchange_iu *iu = &exchange->iu[i];

		if (iu->to_cu)
			continue;
		switch ((enum io_iu)iu->kind) {
		case IU_COMMAND_RESPONSE:
			all = carried(io, true, FC_SOLICITED_CONTROL, response, sizeof(response));
			break;
		case IU_DATA:
		case IU_TRANSPORT_DATA:
			all = carried(io, true, FC_SOLICITED_DATA, data, iu->data);
			data += iu->data;
			break;
		case IU_STATUS:
			all = status(io, exchange);
			break;
		case IU_TRANSPORT_RESPONSE:
			all = transport_response(io, exchange);
			break;
		case IU_COMMAND:
		case IU_COMMAND_DATA:
		case IU_CONTROL:
		case IU_TRANSPORT_COMMAND:
		case IU_TRANSFER_READY: /* has gone before the data that it asks for */
		case IU_KINDS:
			break;
		}
	}
	return all;
}
