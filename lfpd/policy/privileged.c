/* SPDX-License-Identifier: Apache-2.0 */
/* privileged.c - ports that only some users may bind */
#include "lfpd/policy/privileged.h"

#include "lfp/number.h"
#include "lfp/system.h"

bool privileged_port(uint16_t port, uint32_t uid)
{
	char text[LFP_SYSTEM_NAME];
	unsigned long start = 1024;

	if (!port || !uid)
		return false;
	if (lfp_system_line(text, "/proc/sys/net/ipv4/ip_unprivileged_port_start"))
		(void)lfp_number(text, 0, 65536, &start);
	return port < start;
}
