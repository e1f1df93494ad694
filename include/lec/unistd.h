/* SPDX-License-Identifier: Apache-2.0 */
/* unistd.h - the C library's; read(), write() and close() are for sockets of LE/C, files have
 * stdio.h */
#include "lec.h"
#include_next <unistd.h>
#include "lec-io.h"
