/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-rig.c - one side of an FCTC pair, with a channel program of one command */
#include "tests/devemu/fctc-rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define PROGRAM 0x1000u

static void on_unsolicited(void *ctx, uint8_t unit_status)
{
	struct fctc_rig *end = ctx;

	end->attention |= unit_status;
}

void fctc_rig_init(struct fctc_rig *end)
{
	memset(end, 0, sizeof(*end));
	end->fctc = fctc_create(0x0e00);
	end->storage = storage_create(0x100000);
	assert_true(end->fctc && end->storage);
	end->fctc->unsolicited = on_unsolicited;
	end->fctc->ctx = end;
	end->subch = subch_create(end->storage, &end->fctc->device);
	assert_non_null(end->subch);
}

void fctc_rig_finish(struct fctc_rig *end)
{
	subch_destroy(end->subch);
	fctc_destroy(end->fctc);
	storage_destroy(end->storage);
}

void fctc_rig_start(struct fctc_rig *end, uint8_t cmd, uint8_t flags, uint16_t count)
{
	struct orb orb = {.format1 = true, .lpm = 0xff, .program = PROGRAM};
	struct ccw ccw = {.cmd = cmd, .flags = flags, .count = count, .addr = FCTC_RIG_DATA};
	uint8_t bytes[ORB_LEN];

	ccw_encode(&ccw, true, end->storage->bytes + PROGRAM);
	orb_encode(&orb, bytes);
	assert_int_equal(subch_start(end->subch, bytes), 0);
}

bool fctc_rig_done(struct fctc_rig *end)
{
	uint8_t irb[IRB_LEN];

	if (subch_test(end->subch, irb))
		return false;
	scsw_decode(irb, &end->scsw);
	end->sense = irb[IRB_ECW];
	return true;
}
