/* SPDX-License-Identifier: Apache-2.0 */
/* channel-rig.c - a subchannel with a device whose answers a test chooses */
#include <stdlib.h>
#include <string.h>

#include "devemu/channel/ccw.h"
#include "tests/devemu/channel-rig.h"

static void begin(struct device *device)
{
	((struct rig_device *)device)->begins++;
}

static void end(struct device *device)
{
	((struct rig_device *)device)->ends++;
}

static void reset(struct device *device)
{
	((struct rig_device *)device)->resets++;
}

static uint8_t command(struct device *device, struct device_call *call)
{
	struct rig_device *dev = (struct rig_device *)device;
	uint8_t bytes[sizeof(dev->got)];

	if (!call->again && dev->count < sizeof(dev->commands))
		dev->commands[dev->count++] = call->cmd;
	if (dev->later > 0) {
		dev->later--;
		return DEVICE_LATER;
	}
	switch (ccw_class(call->cmd)) {
	case CCW_CLASS_CONTROL:
		if (call->cmd == 0x03)
			break;
		/* fall through */
	case CCW_CLASS_WRITE:
		dev->got_len += (uint32_t)call_pull(call, dev->got + dev->got_len, dev->wants);
		break;
	case CCW_CLASS_SENSE:
		call_push(call, dev->device.sense, DEVICE_SENSE);
		break;
	default:
		for (uint32_t i = 0; i < dev->wants; i++)
			bytes[i] = (uint8_t)(dev->first + i);
		call_push(call, bytes, dev->wants);
		break;
	}
	if (dev->status & UNIT_CHECK)
		for (int i = 0; i < DEVICE_SENSE; i++)
			dev->device.sense[i] = (uint8_t)(0x80 + i);
	return dev->status;
}

static const struct device_ops ops = {
	.name = "rig",
	.begin = begin,
	.command = command,
	.end = end,
	.reset = reset,
};

static void on_iu(void *ctx, enum io_iu kind, bool to_cu, uint32_t bytes)
{
	struct rig *rig = ctx;

	rig->kinds[kind]++;
	if (to_cu) {
		rig->iu_out++;
		rig->bytes_out += bytes;
	} else {
		rig->iu_in++;
		rig->bytes_in += bytes;
	}
}

static void on_interrupt(void *ctx, struct subch *subch)
{
	(void)subch;
	((struct rig *)ctx)->interrupts++;
}

void rig_clear(struct rig *rig)
{
	memset(rig->storage->bytes, 0, RIG_STORAGE);
	memset(rig->storage->keys, 0, RIG_STORAGE / STORAGE_PAGE);
	rig->dev = (struct rig_device){
		.device = {.ops = &ops,
			   .number = 0x1234,
			   .transport = true,
			   .sense_len = DEVICE_SENSE},
		.wants = 16,
		.status = UNIT_END,
	};
	rig->orb = (struct orb){
		.intparm = 0xcafe, .format1 = true, .lpm = 0xff, .program = RIG_PROGRAM};
	rig->at = RIG_PROGRAM;
	rig->interrupts = rig->iu_out = rig->iu_in = 0;
	rig->bytes_out = rig->bytes_in = 0;
	memset(rig->kinds, 0, sizeof(rig->kinds));
	subch_destroy(rig->subch);
	rig->subch = subch_create(rig->storage, &rig->dev.device);
	if (!rig->subch)
		abort();
	rig->subch->interrupt = on_interrupt;
	rig->subch->ctx = rig;
	rig->trace = (struct io_trace){.iu = on_iu, .ctx = rig};
	subch_set_trace(rig->subch, &rig->trace);
}

int rig_setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig)
		return -1;
	rig->storage = storage_create(RIG_STORAGE);
	if (!rig->storage) {
		free(rig);
		return -1;
	}
	rig_clear(rig);
	*state = rig;
	return 0;
}

int rig_teardown(void **state)
{
	struct rig *rig = *state;

	subch_destroy(rig->subch);
	storage_destroy(rig->storage);
	free(rig);
	return 0;
}

uint32_t rig_ccw(struct rig *rig, uint8_t cmd, uint8_t flags, uint16_t count, uint32_t addr)
{
	struct ccw ccw = {.cmd = cmd, .flags = flags, .count = count, .addr = addr};
	uint32_t at = rig->at;

	ccw_encode(&ccw, rig->orb.format1, rig->storage->bytes + at);
	rig->at += CCW_LEN;
	return at;
}

int rig_start(struct rig *rig)
{
	uint8_t orb[ORB_LEN];

	orb_encode(&rig->orb, orb);
	return subch_start(rig->subch, orb);
}

int rig_test(struct rig *rig)
{
	int cc = subch_test(rig->subch, rig->irb);

	scsw_decode(rig->irb, &rig->scsw);
	return cc;
}

int rig_run(struct rig *rig)
{
	int cc = rig_start(rig);

	if (!cc)
		rig_test(rig);
	return cc;
}
