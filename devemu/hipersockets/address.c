/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - IPv4 addresses and masks as text */
#include "devemu/hipersockets/address.h"

#include <arpa/inet.h>
#include <errno.h>

int address_read(const char *text, uint32_t *address)
{
	struct in_addr in;

	if (inet_pton(AF_INET, text, &in) != 1)
		return -EINVAL;
	*address = ntohl(in.s_addr);
	return 0;
}

int mask_read(const char *text, uint32_t *mask)
{
	if (address_read(text, mask) < 0 || (~*mask & (~*mask + 1)))
		return -EINVAL;
	return 0;
}

const char *address_text(uint32_t address, char text[ADDRESS_TEXT])
{
	const struct in_addr in = {htonl(address)};

	inet_ntop(AF_INET, &in, text, ADDRESS_TEXT);
	return text;
}
