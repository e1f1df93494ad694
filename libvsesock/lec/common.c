/* SPDX-License-Identifier: Apache-2.0 */
/* common.c - shared by LE/C functions: the interface, descriptors, addresses */
#include <string.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/strict/strict.h"

#define LEC_PREFIX "lec_"

int lec_enter_as(const char *function, struct vse_api **api)
{
	int rc = vse_api_get(api, MUX_LEC, NULL);

	if (!rc && strict_on()) {
		if (!strncmp(function, LEC_PREFIX, strlen(LEC_PREFIX)))
			function += strlen(LEC_PREFIX);
		rc = strict_lec(function);
	}
	return rc < 0 ? lec_fail(-rc) : 0;
}

int lec_fd_as(const char *function, int s)
{
	struct vse_api *api;

	return lec_enter_as(function, &api) ? -1 : lec_end(vse_fd(api, s));
}

int lec_take_addr(struct sockaddr_storage *to, socklen_t *tolen, const void *addr, unsigned int len)
{
	if (len < 2)
		return -EINVAL;
	if (memory_check_read(addr, len < VSE_SOCKADDR_IN6 ? len : VSE_SOCKADDR_IN6))
		return -EFAULT;
	return vse_addr_take(to, tolen, addr, len);
}

int lec_check_addr(const void *addr, const unsigned int *len)
{
	if (memory_check_result(len, sizeof(*len)))
		return -EFAULT;
	if ((int)*len < 0)
		return -EINVAL;
	return memory_check_result(addr, *len < 128 ? *len : 128);
}

int lec_give_addr(void *addr, unsigned int *len, const struct sockaddr_storage *from)
{
	uint8_t bytes[VSE_SOCKADDR_IN6];
	size_t full = vse_addr_give(bytes, sizeof(bytes), from, VSE_ADDR_LEC);
	size_t cut = full < *len ? full : *len;

	if (memory_check_result(addr, cut))
		return -EFAULT;
	memcpy(addr, bytes, cut);
	*len = (unsigned int)full;
	return 0;
}
