/* SPDX-License-Identifier: Apache-2.0 */
/* zhyperlink.h - synchronous I/O over zHyperLink */
#ifndef DEVEMU_FABRIC_ZHYPERLINK_H
#define DEVEMU_FABRIC_ZHYPERLINK_H

#include <stdint.h>

#include "devemu/zhyperlink/limits.h"

/*
 * Theory of operation
 *
 * A processor reads or writes one record of an ECKD device by one instruction and waits for its
 * end, without a subchannel, a channel or an interruption. The link of a port is held for a part of
 * that time; a request that finds it held does not wait. What does not go over zHyperLink (the link
 * is held, the record is not in the cache, or a limit is passed) is counted for its reason and then
 * started as any other I/O, over zHPF where that is allowed.
 *
 * The limits are in zhyperlink/limits.h. Which link of several is taken (each in its turn, whether
 * it is held or not) is our choice.
 */

struct fabric_device;
struct io;

/* What stands against a request before it is known whether the link is held; ZHYPERLINK_DONE:
 * nothing. @address: of the data in main storage. */
enum zhyperlink_outcome zhyperlink_check(const struct fabric_device *device, uint32_t bytes,
					 uint64_t address);

/* As io_start() (io.h), over zHyperLink first. io->align is taken for the address. When
 * io->ended is called, io->outcome says whether it went that way. */
void zhyperlink_start(struct io *io, unsigned int program);

#endif
