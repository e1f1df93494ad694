/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-adapter.h - the states of a channel-to-channel adapter and its two sides
 *
 * IBM ESCON Channel-to-Channel Adapter (SA22-7203), the table of commands and states. Pure: no
 * socket, no clock.
 *
 * Theory of operation
 *
 * A side is available, or it works: a Prepare, Control, Read or Write of its program waits for the
 * other side. A Read and a Write match; so do Control and Sense Command Byte. A command that does
 * not match the other side's waiting command gets busy with attention. An available side gets
 * attention when the other begins to wait; its program reads the waiting command by Sense Command
 * Byte.
 *
 * A Write hands over its whole block. If the area of the Read is shorter, the reader gets incorrect
 * length.
 */
#ifndef DEVEMU_DEVICE_FCTC_ADAPTER_H
#define DEVEMU_DEVICE_FCTC_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

#include "devemu/channel/status.h"

#define FCTC_BLOCK_MAX 65536u

/* Sense byte 0 */
#define FCTC_COMMAND_REJECT 0x80u
#define FCTC_INTERVENTION   0x40u /* no process on the other side */
#define FCTC_RESET_EVENT    0x01u /* it has just gone (Linux, drivers/s390/net/ctcm_main.c) */

enum fctc_class {
	FCTC_PREPARE,
	FCTC_CONTROL,
	FCTC_READ,
	FCTC_WRITE,
	FCTC_SENSE_COMMAND,
	FCTC_READ_BACKWARD,
	FCTC_WRITE_EOF, /* in basic mode a Write like any other */
	FCTC_NO_OPERATION,
	FCTC_EXTENDED_MODE,
	FCTC_BASIC_MODE,
	FCTC_SENSE_STATE,
	FCTC_SENSE_ID,
	FCTC_CONFIGURATION,
	FCTC_INVALID,
};

enum fctc_class fctc_class(uint8_t cmd);

enum fctc_state {
	FCTC_AVAILABLE, /* takes any command */
	FCTC_PREPARED,  /* until the other side waits for something, or prepares too */
	FCTC_CONTROLS,  /* until the other side has read the command byte */
	FCTC_READS,     /* until the other side writes */
	FCTC_WRITES,    /* until the other side reads; `data` is the block */
	FCTC_GONE,      /* no process on this side */
};

struct fctc_side {
	enum fctc_state state;
	bool extended;
	bool eof;    /* the other side has written an end of file, that no Read has seen */
	uint8_t cmd; /* that it waits with */
	/* The end of its last command, if it has one: taken by fctc_result() */
	bool ended;
	uint8_t status;
	uint8_t sense;
	uint8_t *data; /* of a block that it has written, or read */
	uint32_t len;
	bool attention; /* to be presented; the presenter clears it */
};

struct fctc_adapter {
	struct fctc_side side[2];
};

/* Both sides gone. Returns -ENOMEM or 0; fctc_adapter_finish() releases the blocks. */
int fctc_adapter_init(struct fctc_adapter *adapter);
void fctc_adapter_finish(struct fctc_adapter *adapter);

/**
 * fctc_adapter_command() - a command of one side
 * @side:	0 or 1; must not be working
 * @data, @len:	the block, if it is a Write
 *
 * Afterwards side->ended says whether it is over (status, sense, and data of a Read or Sense
 * Command Byte), and the other side's may have ended with it.
 */
void fctc_adapter_command(struct fctc_adapter *adapter, int side, uint8_t cmd, const uint8_t *data,
			  uint32_t len);

/* Halt or clear: cancels the command that the side waits with. */
void fctc_adapter_reset(struct fctc_adapter *adapter, int side);

/* The side connects (available, basic mode) or ends, which ends the other side's waiting command.
 */
void fctc_adapter_come(struct fctc_adapter *adapter, int side);
void fctc_adapter_go(struct fctc_adapter *adapter, int side);

#endif
