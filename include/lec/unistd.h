/* SPDX-License-Identifier: Apache-2.0 */
/* unistd.h - the C library's; read(), write(), close() are for sockets of LE/C, stdio.h for files
 */
#include "lec.h"
#include_next <unistd.h>
#include "lec-io.h"
