/* SPDX-License-Identifier: Apache-2.0 */
/* tcw.c - the control blocks of transport mode */
#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/channel/tcw.h"

int tcw_decode(const uint8_t bytes[TCW_LEN], struct tcw *tcw)
{
	uint32_t w0 = be32_get(bytes), w1 = be32_get(bytes + 4);
	uint32_t flags = w0 & 0xffffff;

	if (w0 & 0xff000000u || flags & ~(TCW_INPUT_TIDA | TCW_TCCB_TIDA | TCW_OUTPUT_TIDA) ||
	    w1 & 0xff00ffffu || be32_get(bytes + 48) || be32_get(bytes + 52) ||
	    be32_get(bytes + 56))
		return -EINVAL;
	*tcw = (struct tcw){
		.flags = flags,
		.tccbl = (uint8_t)(bytes[5] >> 2),
		.read = bytes[5] & 2,
		.write = bytes[5] & 1,
		.output = be64_get(bytes + 8),
		.input = be64_get(bytes + 16),
		.tsb = be64_get(bytes + 24),
		.tccb = be64_get(bytes + 32),
		.output_count = be32_get(bytes + 40),
		.input_count = be32_get(bytes + 44),
		.interrogate = be32_get(bytes + 60),
	};
	return 0;
}

void tcw_encode(const struct tcw *tcw, uint8_t bytes[TCW_LEN])
{
	memset(bytes, 0, TCW_LEN);
	be32_put(bytes, (uint32_t)tcw->format << 30 | (tcw->flags & 0xffffff));
	bytes[5] = (uint8_t)(tcw->tccbl << 2 | (tcw->read ? 2 : 0) | (tcw->write ? 1 : 0));
	be64_put(bytes + 8, tcw->output);
	be64_put(bytes + 16, tcw->input);
	be64_put(bytes + 24, tcw->tsb);
	be64_put(bytes + 32, tcw->tccb);
	be32_put(bytes + 40, tcw->output_count);
	be32_put(bytes + 44, tcw->input_count);
	be32_put(bytes + 60, tcw->interrogate);
}

int tidaw_decode(const uint8_t bytes[TIDAW_LEN], struct tidaw *tidaw)
{
	uint32_t w0 = be32_get(bytes);

	if (w0 & 0x07ffffffu)
		return -EINVAL;
	*tidaw = (struct tidaw){
		.flags = bytes[0],
		.count = be32_get(bytes + 4),
		.addr = be64_get(bytes + 8),
	};
	return 0;
}

void tidaw_encode(const struct tidaw *tidaw, uint8_t bytes[TIDAW_LEN])
{
	memset(bytes, 0, TIDAW_LEN);
	bytes[0] = tidaw->flags;
	be32_put(bytes + 4, tidaw->count);
	be64_put(bytes + 8, tidaw->addr);
}

static uint32_t padded(uint32_t n)
{
	return (n + 3) & ~3u;
}

uint32_t tccb_transport_count(uint32_t data)
{
	return padded(data) + 4;
}

static enum ddpc decode_dcws(const uint8_t *tca, size_t len, struct tccb *tccb, uint16_t *offset)
{
	size_t at = 0;
	uint64_t data = 0;
	struct dcw *dcw;

	do {
		*offset = (uint16_t)at;
		if (tccb->dcws == TCCB_DCW_MAX || len - at < DCW_LEN)
			return DDPC_DCW;
		dcw = &tccb->dcw[tccb->dcws++];
		*dcw = (struct dcw){
			.cmd = tca[at],
			.flags = tca[at + 1],
			.control_count = tca[at + 3],
			.count = be32_get(tca + at + 4),
			.control = tca + at + DCW_LEN,
			.offset = (uint16_t)at,
		};
		if (dcw->flags & ~DCW_CC || tca[at + 2])
			return DDPC_DCW;
		at += DCW_LEN;
		if (len - at < padded(dcw->control_count))
			return DDPC_DCW;
		at += padded(dcw->control_count);
		data += dcw->count;
	} while (dcw->flags & DCW_CC);
	if (data > UINT32_MAX - 7)
		return DDPC_COUNT;
	tccb->data = (uint32_t)data;
	return at == len ? DDPC_NONE : DDPC_DCW;
}

enum ddpc tccb_decode(const uint8_t *bytes, size_t len, struct tccb *tccb, uint16_t *offset)
{
	size_t tca;

	*offset = 0;
	tccb->dcws = 0;
	tccb->data = 0;
	if (len < TCCB_LEN_MIN || len > TCCB_LEN_MAX || len & 3)
		return DDPC_LENGTH;
	tca = len - TCCB_HEADER - TCCB_TRAILER;
	/* Byte 7 counts from itself plus one to the first word of the trailer. */
	if (bytes[0] != TCCB_FORMAT || be32_get(bytes) & 0xffffff ||
	    be32_get(bytes + 4) & 0xffffff00u || bytes[10] || be32_get(bytes + 12))
		return DDPC_HEADER;
	if (bytes[7] != (uint8_t)(tca + 12))
		return DDPC_LENGTH;
	tccb->action = be16_get(bytes + 8);
	tccb->priority = bytes[11];
	if (tccb->action != TCCB_SAC_NORMAL && tccb->action != TCCB_SAC_INTRG)
		return DDPC_HEADER;
	tccb->transport_count = be32_get(bytes + len - 4);
	if (be32_get(bytes + len - 8))
		return DDPC_LENGTH;
	return decode_dcws(bytes + TCCB_HEADER, tca, tccb, offset);
}

int tccb_encode(const struct tccb *tccb, uint8_t *bytes)
{
	size_t at = TCCB_HEADER;

	memset(bytes, 0, TCCB_LEN_MAX);
	for (unsigned int i = 0; i < tccb->dcws; i++) {
		const struct dcw *dcw = &tccb->dcw[i];

		if (at + DCW_LEN + padded(dcw->control_count) + TCCB_TRAILER > TCCB_LEN_MAX)
			return -ENOSPC;
		bytes[at] = dcw->cmd;
		bytes[at + 1] = dcw->flags;
		bytes[at + 3] = dcw->control_count;
		be32_put(bytes + at + 4, dcw->count);
		at += DCW_LEN;
		if (dcw->control_count)
			memcpy(bytes + at, dcw->control, dcw->control_count);
		at += padded(dcw->control_count);
	}
	bytes[0] = TCCB_FORMAT;
	bytes[7] = (uint8_t)(at - TCCB_HEADER + 12);
	be16_put(bytes + 8, tccb->action);
	bytes[11] = tccb->priority;
	be32_put(bytes + at + 4, tccb->transport_count);
	return (int)(at + TCCB_TRAILER);
}

void tsb_encode(const struct tsb *tsb, uint8_t bytes[TSB_LEN])
{
	memset(bytes, 0, TSB_LEN);
	bytes[0] = tsb->sense_valid ? TSB_LEN : TSB_SENSE;
	bytes[1] = tsb->flags;
	be16_put(bytes + 2, tsb->dcw_offset);
	be32_put(bytes + 4, tsb->count);
	switch (tsb->flags & TSB_FORMAT_MASK) {
	case TSB_IO_STATUS:
		be32_put(bytes + 12, tsb->device_time);
		be32_put(bytes + 16, tsb->defer_time);
		be32_put(bytes + 20, tsb->queue_time);
		be32_put(bytes + 24, tsb->busy_time);
		be32_put(bytes + 28, tsb->active_time);
		break;
	case TSB_PROGRAM_CHECK:
		bytes[15] = tsb->reason;
		break;
	case TSB_INTERROGATE:
		bytes[13] = tsb->intrg_flags;
		bytes[14] = tsb->cu_state;
		bytes[15] = tsb->device_state;
		bytes[16] = tsb->operation_state;
		bytes[0] = TSB_LEN;
		return;
	}
	if (tsb->sense_valid)
		memcpy(bytes + TSB_SENSE, tsb->sense, sizeof(tsb->sense));
}

void tsb_decode(const uint8_t bytes[TSB_LEN], struct tsb *tsb)
{
	*tsb = (struct tsb){
		.flags = bytes[1],
		.dcw_offset = be16_get(bytes + 2),
		.count = be32_get(bytes + 4),
	};
	switch (tsb->flags & TSB_FORMAT_MASK) {
	case TSB_IO_STATUS:
		tsb->device_time = be32_get(bytes + 12);
		tsb->defer_time = be32_get(bytes + 16);
		tsb->queue_time = be32_get(bytes + 20);
		tsb->busy_time = be32_get(bytes + 24);
		tsb->active_time = be32_get(bytes + 28);
		break;
	case TSB_PROGRAM_CHECK:
		tsb->reason = bytes[15];
		break;
	case TSB_INTERROGATE:
		tsb->intrg_flags = bytes[13];
		tsb->cu_state = bytes[14];
		tsb->device_state = bytes[15];
		tsb->operation_state = bytes[16];
		return;
	}
	tsb->sense_valid = bytes[0] > TSB_SENSE;
	if (tsb->sense_valid)
		memcpy(tsb->sense, bytes + TSB_SENSE, sizeof(tsb->sense));
}
