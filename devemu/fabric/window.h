/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - how much of a write may be sent without being asked again */
#ifndef DEVEMU_FABRIC_WINDOW_H
#define DEVEMU_FABRIC_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct io;

enum { FICON_IU = 8192 }; /* bytes of data in one information unit */

/* Of the @left bytes of a write; @first: the control unit has not asked for any. */
uint32_t window_bytes(const struct io *io, uint32_t left, bool first);

#endif
