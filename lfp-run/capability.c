/* SPDX-License-Identifier: Apache-2.0 */
/* capability.c - the capabilities of this process */
#include "lfp-run/capability.h"

#include <sys/syscall.h>
#include <unistd.h>

bool capability_has(unsigned int cap)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, data) == 0 &&
	       (data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap));
}
