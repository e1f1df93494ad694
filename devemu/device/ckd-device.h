/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-device.h - a 3390 behind a 2107 control unit: ECKD commands on a CKD image
 *
 * Commands, parameters and sense data follow the IBM 3990/9390 Storage Control Reference
 * (GA32-0274) and, for Prefix, the DS8000's use of it as Linux' drivers/s390/block/dasd_eckd.c
 * shows it.
 */
#ifndef DEVEMU_DEVICE_CKD_DEVICE_H
#define DEVEMU_DEVICE_CKD_DEVICE_H

#include "devemu/channel/device.h"
#include "devemu/device/ckd-image.h"
#include "devemu/device/ckd-sense.h"

/**
 * ckd_device_create() - a device on an image
 * @image:	owned by the caller, who closes it after the device
 * @number:	device number
 *
 * Return: NULL with errno ENOMEM; else a device that ckd_device_destroy() releases, and that knows
 * transport mode.
 */
struct device *ckd_device_create(struct ckd_image *image, uint16_t number);
void ckd_device_destroy(struct device *device);

#endif
