/* SPDX-License-Identifier: Apache-2.0 */
/* sizes.h - sizes and numbers for work.c and far.c */
#ifndef TESTS_COUNTS_SIZES_H
#define TESTS_COUNTS_SIZES_H

/* A multiple of 16: near ends are made 16 at a time, and a window has to contain all that it needs.
 */
#define OPERATIONS 32    /* a window */
#define WARM_UPS   1     /* windows before the first that counts */
#define WINDOWS    3     /* that count */
#define BLOCK      65536 /* bytes of one write of a stream */
#define MESSAGE    1024  /* bytes of a round trip, each way */

#endif
