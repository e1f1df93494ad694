/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-adapter.c - a channel-to-channel adapter between its two sides */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/device/fctc-adapter.h"

enum fctc_class fctc_class(uint8_t cmd)
{
	switch (cmd & 0x03) {
	case 1:
		return cmd & 0x80 ? FCTC_WRITE_EOF : FCTC_WRITE;
	case 2:
		return FCTC_READ;
	default:
		break;
	}
	if ((cmd & 0x07) == 0x07)
		return FCTC_CONTROL;
	if ((cmd & 0x0f) == 0x0c)
		return FCTC_READ_BACKWARD;
	if ((cmd & 0x1f) == 0x14)
		return FCTC_SENSE_COMMAND;
	if ((cmd & 0xc7) == 0x03)
		return FCTC_NO_OPERATION;
	if ((cmd & 0xc7) == 0x43)
		return FCTC_BASIC_MODE;
	switch (cmd) {
	case 0xc3:
		return FCTC_EXTENDED_MODE;
	case 0xe3:
		return FCTC_PREPARE;
	case 0x04:
		return FCTC_SENSE_STATE;
	case 0xe4:
		return FCTC_SENSE_ID;
	case 0xc4:
		return FCTC_CONFIGURATION;
	default:
		return FCTC_INVALID;
	}
}

int fctc_adapter_init(struct fctc_adapter *adapter)
{
	memset(adapter, 0, sizeof(*adapter));
	for (int i = 0; i < 2; i++) {
		adapter->side[i].state = FCTC_GONE;
		adapter->side[i].data = malloc(FCTC_BLOCK_MAX);
		if (!adapter->side[i].data) {
			fctc_adapter_finish(adapter);
			return -ENOMEM;
		}
	}
	return 0;
}

void fctc_adapter_finish(struct fctc_adapter *adapter)
{
	for (int i = 0; i < 2; i++) {
		free(adapter->side[i].data);
		adapter->side[i].data = NULL;
	}
}

/* The command of a side is over. */
static void end(struct fctc_side *side, uint8_t status, uint8_t sense)
{
	if (side->state != FCTC_GONE)
		side->state = FCTC_AVAILABLE;
	side->ended = true;
	side->status = status;
	side->sense = sense;
}

static void wait(struct fctc_side *side, enum fctc_state state, uint8_t cmd)
{
	side->state = state;
	side->cmd = cmd;
}

/* Starts to wait, and notifies the other side by the end of its Prepare or by attention. */
static void wait_for(struct fctc_side *side, struct fctc_side *other, enum fctc_state state,
		     uint8_t cmd)
{
	wait(side, state, cmd);
	if (other->state == FCTC_PREPARED)
		end(other, UNIT_END, 0);
	else
		other->attention = true;
}

/* The block of a Write goes to the Read. */
static void pass(struct fctc_side *writer, struct fctc_side *reader)
{
	uint8_t *block = reader->data;

	reader->data = writer->data;
	reader->len = writer->len;
	writer->data = block;
	writer->len = 0;
	end(writer, UNIT_END, 0);
	end(reader, UNIT_END, 0);
}

static bool works(const struct fctc_side *side)
{
	return side->state == FCTC_CONTROLS || side->state == FCTC_READS ||
	       side->state == FCTC_WRITES;
}

static void prepare(struct fctc_side *side, struct fctc_side *other, uint8_t cmd)
{
	if (other->state == FCTC_AVAILABLE) {
		wait(side, FCTC_PREPARED, cmd);
		return;
	}
	if (other->state == FCTC_PREPARED)
		end(other, UNIT_END, 0);
	end(side, UNIT_END, 0);
}

static void read_block(struct fctc_side *side, struct fctc_side *other, uint8_t cmd)
{
	if (side->eof) {
		side->eof = false;
		end(side, UNIT_END | UNIT_EXCEPTION, 0);
	} else if (other->state == FCTC_WRITES) {
		pass(other, side);
	} else if (works(other)) {
		end(side, UNIT_BUSY | UNIT_ATTENTION, 0);
	} else {
		wait_for(side, other, FCTC_READS, cmd);
	}
}

static void write_block(struct fctc_side *side, struct fctc_side *other, uint8_t cmd)
{
	if (other->state == FCTC_READS)
		pass(side, other);
	else if (works(other))
		end(side, UNIT_BUSY | UNIT_ATTENTION, 0);
	else
		wait_for(side, other, FCTC_WRITES, cmd);
}

static void write_eof(struct fctc_side *side, struct fctc_side *other)
{
	if (other->state == FCTC_READS) {
		end(other, UNIT_END | UNIT_EXCEPTION, 0);
	} else if (works(other)) {
		end(side, UNIT_BUSY | UNIT_ATTENTION, 0);
		return;
	} else {
		other->eof = true;
	}
	end(side, UNIT_END, 0);
}

/* Answers with the command that the other side waits with, or 0. */
static void sense_command(struct fctc_side *side, struct fctc_side *other)
{
	side->data[0] = other->state == FCTC_PREPARED || works(other) ? other->cmd : 0;
	side->len = 1;
	if (other->state == FCTC_CONTROLS)
		end(other, UNIT_END, 0);
	end(side, UNIT_END, 0);
}

void fctc_adapter_command(struct fctc_adapter *adapter, int nr, uint8_t cmd, const uint8_t *data,
			  uint32_t len)
{
	struct fctc_side *side = &adapter->side[nr], *other = &adapter->side[!nr];
	enum fctc_class class = fctc_class(cmd);

	side->ended = false;
	side->attention = false; /* the other side is back */
	side->len = 0;
	if (class == FCTC_WRITE_EOF && !side->extended)
		class = FCTC_WRITE;
	if (other->state == FCTC_GONE) {
		end(side, UNIT_END | UNIT_CHECK, FCTC_INTERVENTION);
		return;
	}
	if (class == FCTC_WRITE) {
		side->len = len < FCTC_BLOCK_MAX ? len : FCTC_BLOCK_MAX;
		memcpy(side->data, data, side->len);
	}
	switch (class) {
	case FCTC_PREPARE:
		prepare(side, other, cmd);
		break;
	case FCTC_CONTROL:
		if (works(other))
			end(side, UNIT_BUSY | UNIT_ATTENTION, 0);
		else
			wait_for(side, other, FCTC_CONTROLS, cmd);
		break;
	case FCTC_READ:
	case FCTC_READ_BACKWARD:
		read_block(side, other, cmd);
		break;
	case FCTC_WRITE:
		write_block(side, other, cmd);
		break;
	case FCTC_WRITE_EOF:
		write_eof(side, other);
		break;
	case FCTC_SENSE_COMMAND:
		sense_command(side, other);
		break;
	case FCTC_NO_OPERATION:
	case FCTC_EXTENDED_MODE:
	case FCTC_BASIC_MODE:
		if (works(other)) {
			end(side, UNIT_BUSY | UNIT_ATTENTION, 0);
			break;
		}
		if (class != FCTC_NO_OPERATION)
			side->extended = class == FCTC_EXTENDED_MODE;
		end(side, UNIT_END, 0);
		break;
	default:
		end(side, UNIT_END | UNIT_CHECK, FCTC_COMMAND_REJECT);
		break;
	}
}

void fctc_adapter_reset(struct fctc_adapter *adapter, int nr)
{
	struct fctc_side *side = &adapter->side[nr];

	if (side->state != FCTC_GONE)
		side->state = FCTC_AVAILABLE;
	side->ended = false;
	side->attention = false;
	side->len = 0;
	/* The attention is out of date. */
	adapter->side[!nr].attention = false;
}

void fctc_adapter_come(struct fctc_adapter *adapter, int nr)
{
	struct fctc_side *side = &adapter->side[nr];

	side->state = FCTC_AVAILABLE;
	side->extended = side->eof = side->ended = side->attention = false;
	side->len = 0;
}

void fctc_adapter_go(struct fctc_adapter *adapter, int nr)
{
	struct fctc_side *other = &adapter->side[!nr];

	fctc_adapter_reset(adapter, nr);
	adapter->side[nr].state = FCTC_GONE;
	other->eof = false;
	if (other->state == FCTC_PREPARED || works(other))
		end(other, UNIT_END | UNIT_CHECK, FCTC_INTERVENTION | FCTC_RESET_EVENT);
}
