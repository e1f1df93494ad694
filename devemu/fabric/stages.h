/* SPDX-License-Identifier: Apache-2.0 */
/* stages.h - what the files of the fabric share about I/Os besides io.h */
#ifndef DEVEMU_FABRIC_STAGES_H
#define DEVEMU_FABRIC_STAGES_H

#include "devemu/fabric/fabric.h"

/* The I/O has an exchange of its path's channel and begins its way. */
void stages_begin(struct io *io);

/* It has come to its end (0) or no path is left (-ENODEV): count, let the next one start, tell its
 * owner. */
void io_finish(struct io *io, int rc);

/* What was under way on a path that has failed: it is driven again, on another. */
void io_lost(struct io *io);

void exchange_close(struct io *io);

/* I/Os that wait for an exchange of @channel go on another. */
void channel_failed(struct fabric_channel *channel);

bool path_usable(const struct fabric_path *path);

void io_blocks_free(struct fabric *fabric);

/* Start the loads; -ENOMEM. */
int loads_begin(struct fabric *fabric);

/* Let the actions of the configuration happen at their times. */
void actions_begin(struct fabric *fabric);

/* How much of the @left bytes of a write may be sent without being asked again. */
uint32_t stages_window(const struct io *io, uint32_t left, bool first);

#endif
