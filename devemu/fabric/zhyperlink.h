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
 * that time; a request that finds it held does not wait. A request that zHyperLink refuses (the
 * link is held, the record is not in the cache, or a limit is exceeded) is counted by its reason
 * and then started as an ordinary I/O, over zHPF where allowed.
 *
 * The limits are in zhyperlink/limits.h. Which link of several is taken (each in its turn, whether
 * it is held or not) is our choice.
 */

struct fabric_device;
struct io;

/* Returns the reason against a request, without a check of the link; ZHYPERLINK_DONE: none.
 * @address: of the data in main storage. */
enum zhyperlink_outcome zhyperlink_check(const struct fabric_device *device, uint32_t bytes,
					 uint64_t address);

/* As io_start() (io.h), over zHyperLink first. io->align is taken for the address. When
 * io->ended is called, io->outcome says whether it went that way. */
void zhyperlink_start(struct io *io, unsigned int program);

#endif
