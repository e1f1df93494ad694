/* SPDX-License-Identifier: Apache-2.0 */
/* sys/types.h - the C library's, with this folder's fd_set */
#include "../lec.h"
#include_next <sys/types.h>
