/* SPDX-License-Identifier: Apache-2.0 */
/* sys/poll.h - the same as poll.h */
#include "../poll.h"
