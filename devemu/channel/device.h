/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - the device of a channel program: one vtable for all interpreters
 *
 * Theory of operation
 *
 * An interpreter gives a device one command at a time. While a command runs the device moves bytes
 * itself: it pulls data from the program (call_pull) and pushes data to the program (call_push).
 * The interpreter knows the lengths, chaining and addresses of the program's areas, so a device
 * moves the same bytes for a chain of CCWs and for a TCCB with DCWs. A device that gets fewer bytes
 * than it asked for has met the end of the program's count, or an error on the channel side
 * (call->failed: then it shall not change its medium).
 *
 * command() returns unit status. DEVICE_LATER means that the command is not over: the interpreter
 * stops, and subch_continue() then calls command() again for the same command (call->again).
 */
#ifndef DEVEMU_CHANNEL_DEVICE_H
#define DEVEMU_CHANNEL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/channel/status.h"

#define DEVICE_SENSE 32

/* No unit status has that value: busy never comes with channel end. */
#define DEVICE_LATER (UNIT_BUSY | UNIT_CHANNEL_END)

struct device;
struct device_call;

struct device_ops {
	const char *name;
	/* A program starts, or resumes after it was suspended. */
	void (*begin)(struct device *device);
	uint8_t (*command)(struct device *device, struct device_call *call);
	/* The program has ended; @again is never called after that. Optional. */
	void (*end)(struct device *device);
	/* Selective reset, by halt or clear: drops the waiting command. Optional. */
	void (*reset)(struct device *device);
	void (*destroy)(struct device *device);
};

/* Tracks and records that a program touched, for models of time. The device adds to it, the reader
 * sets it to zero. */
struct device_work {
	uint64_t first_track; /* or block */
	uint32_t tracks;
	uint32_t records;
};

struct device {
	const struct device_ops *ops;
	uint16_t number;
	bool transport; /* understands transport mode */
	uint8_t sense[DEVICE_SENSE];
	uint8_t sense_len; /* 24 or 32; how much of it the device presents */
	struct device_work work;
};

struct device_call {
	uint8_t cmd;
	bool chained;   /* not the first command of its program */
	bool last;      /* nothing is chained to it */
	bool again;     /* came before, and was answered by DEVICE_LATER */
	bool transport; /* from a DCW */
	bool failed;    /* the channel has found an error: move no more, change nothing */
	bool moved; /* the device has asked for data, even if for none: not an immediate operation
		     */
	bool optional; /* the data may find no room or no bytes, without incorrect length */
	bool cache_miss;
	size_t (*pull)(struct device_call *call, void *buf, size_t len);
	size_t (*push)(struct device_call *call, const void *buf, size_t len);
};

/**
 * call_pull() - bytes from the program to the device
 * @len:	number of bytes that the device wants
 *
 * Return: number of bytes moved.
 */
static inline size_t call_pull(struct device_call *call, void *buf, size_t len)
{
	call->moved = true;
	return call->pull(call, buf, len);
}

/* The same for bytes that the program may leave out. */
static inline size_t call_pull_optional(struct device_call *call, void *buf, size_t len)
{
	size_t n;

	call->optional = true;
	n = call->pull(call, buf, len);
	call->optional = false;
	return n;
}

/* Bytes from the device to the program; returns how many it takes. */
static inline size_t call_push(struct device_call *call, const void *buf, size_t len)
{
	call->moved = true;
	return call->push(call, buf, len);
}

/* The same for bytes that the program need not take. */
static inline size_t call_push_optional(struct device_call *call, const void *buf, size_t len)
{
	size_t n;

	call->optional = true;
	n = call->push(call, buf, len);
	call->optional = false;
	return n;
}

#endif
