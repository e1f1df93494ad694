/* SPDX-License-Identifier: Apache-2.0 */
/* sys/time.h - the C library's, with select() of LE/C */
#include "../lec.h"
#include "select.h"
#include_next <sys/time.h>
