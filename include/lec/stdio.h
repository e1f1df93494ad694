/* SPDX-License-Identifier: Apache-2.0 */
/* stdio.h - the C library's, with perror() for the numbers of this folder's errno.h */
#include "lec.h"
#include_next <stdio.h>
#ifndef VSESOCK_LEC_STDIO_H
#define VSESOCK_LEC_STDIO_H

LEC_BEGIN

extern void perror(const char *text) LEC_NAME(perror);

LEC_END

#endif
