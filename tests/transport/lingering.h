/* SPDX-License-Identifier: Apache-2.0 */
/* lingering.h - a descriptor whose close() waits for a minute, unless it is told not to */
#ifndef TESTS_TRANSPORT_LINGERING_H
#define TESTS_TRANSPORT_LINGERING_H

/* A TCP connection whose peer does not read what was sent; @keep is to be closed after it. */
int lingering_make(int keep[2]);

#endif
