/* SPDX-License-Identifier: Apache-2.0 */
/* string.h - the C library's, with strerror() for the numbers of this folder's errno.h */
#include "lec.h"
#include_next <string.h>
#ifndef VSESOCK_LEC_STRING_H
#define VSESOCK_LEC_STRING_H

LEC_BEGIN

extern char *strerror(int error) LEC_NAME(strerror);

LEC_END

#endif
