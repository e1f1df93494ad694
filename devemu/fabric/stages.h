/* SPDX-License-Identifier: Apache-2.0 */
/* stages.h - the way of an I/O over its path; io.h has its stages */
#ifndef DEVEMU_FABRIC_STAGES_H
#define DEVEMU_FABRIC_STAGES_H

#include "devemu/fabric/io.h"

/* The I/O has an exchange of its path's channel and begins its way. Its io->node.handler is called
 * at each event from now on, and calls stages_step(). */
void stages_begin(struct io *io);

/* Does what is to be done at an event of @io. True: the last byte is there, and no further event
 * is pending. */
bool stages_step(struct io *io);

#endif
