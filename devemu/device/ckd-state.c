/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-state.c - common parts of a 3390's commands: sense data, parameters */
#include "devemu/device/ckd-state.h"

#include <string.h>

#include "lfp/bigend.h"

uint8_t ckd_check(struct ckd_device *ckd, uint8_t sense0, uint8_t sense1, uint8_t reject_why)
{
	uint8_t *sense = ckd->device.sense;

	memset(sense, 0, DEVICE_SENSE);
	sense[0] = sense0;
	sense[1] = sense1;
	/* The old place for the track has twelve bits for the cylinder. */
	if (ckd->image->cylinders > 4096) {
		sense[5] = sense[6] = 0xff;
	} else {
		sense[5] = (uint8_t)ckd->cylinder;
		sense[6] = (uint8_t)((ckd->cylinder >> 8) << 4 | (ckd->head & 0x0f));
	}
	sense[7] = reject_why & 0x0f;
	sense[27] = 0x80;
	be16_put(sense + 29, (uint16_t)ckd->cylinder);
	sense[31] = (uint8_t)ckd->head;
	return UNIT_END | UNIT_CHECK;
}

uint8_t ckd_parameters(struct ckd_device *ckd, struct device_call *call, uint8_t *buf, size_t len)
{
	if (call_pull(call, buf, len) == len)
		return 0;
	return call->failed ? UNIT_END : reject(ckd, REJECT_COUNT);
}
