/* SPDX-License-Identifier: Apache-2.0 */
/* drive.h - an I/O is started on a device, and ends */
#ifndef DEVEMU_FABRIC_DRIVE_H
#define DEVEMU_FABRIC_DRIVE_H

#include "devemu/fabric/fabric.h"
#include "devemu/fabric/io.h"

/*
 * Start an I/O. Its device, bytes, write, ended and context are set; @program as in a load. Loads
 * do so, and whoever drives devices by hand (channel programs with bytes, zHyperLink's second try):
 * he takes one by io_take(), and @ended gives it back by io_release().
 */
void io_start(struct io *io, enum load_program program);

/* I/Os that wait for an exchange of @channel go on another. */
void channel_failed(struct fabric_channel *channel);

#endif
