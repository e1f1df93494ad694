/* SPDX-License-Identifier: Apache-2.0 */
/* lec.h - how these headers make LE/C programs of z/VSE out of C programs here
 *
 * A program that is compiled with this folder as its first include path and linked with libvsesock
 * uses the LE/C socket interface (IJBLFPLE) by the usual names; lec-sockets(3). Functions are
 * mapped by assembler names, so no name is a macro, and the C library's own functions stay what
 * they are.
 */
#ifndef VSESOCK_LEC_H
#define VSESOCK_LEC_H

#define VSESOCK_LEC 1

#include <features.h>

/* The C library's checking inline functions would precede the mapping. */
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0

#define LEC_NAME(name) __asm__("lec_" #name)

#ifdef __cplusplus
#define LEC_BEGIN extern "C" {
#define LEC_END   }
#define LEC_THROW throw() /* as in the C library */
#else
#define LEC_THROW
#define LEC_BEGIN
#define LEC_END
#endif

#endif
