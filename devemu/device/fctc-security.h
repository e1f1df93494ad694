/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-security.h - what fctc.c asks of endpoint security for each packet */
#ifndef DEVEMU_DEVICE_FCTC_SECURITY_H
#define DEVEMU_DEVICE_FCTC_SECURITY_H

#include "devemu/device/fctc-state.h"

/* A connection begins. 0, or a negative errno: it cannot. */
int fctc_security_begin(struct fctc *fctc);

/* What is to be sent for @packet, in @bytes: its length; -EAGAIN: not yet; another negative errno:
 * never. */
int fctc_security_seal(struct fctc *fctc, const uint8_t *packet, size_t len, const uint8_t **bytes);

/* What has come: the length of the packet that it makes, in @packet; 0: none, and all is well; a
 * negative errno: the connection is to be ended. */
int fctc_security_open(struct fctc *fctc, const uint8_t *bytes, size_t len, uint8_t *packet,
		       size_t room);

#endif
