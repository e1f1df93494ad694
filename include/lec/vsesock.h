/* SPDX-License-Identifier: Apache-2.0 */
/* vsesock.h - CICS-style tasks: ours, not LE/C's */
#include "../vsesock.h"
