/* SPDX-License-Identifier: Apache-2.0 */
/* hostent.c - HOSTENT for an assembler program, whose addresses are fullwords */
#include "libvsesock/asm/hostent.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "libvsesock/asm/list.h"
#include "libvsesock/eza/args.h"

#define LISTED    35 /* of a list at most */
#define ROOM      16384
#define NAME_MOST 256

struct copy {
	uint32_t name, aliases, family, length, addresses;
	uint32_t alias_list[LISTED + 1], address_list[LISTED + 1];
	size_t used; /* bytes of the copy */
};

static uint32_t place(const void *at)
{
	return (uint32_t)(uintptr_t)at;
}

/* Adds bytes to the copy. Returns their address, or 0 if there is no room. */
static uint32_t add(struct copy *copy, const void *data, size_t len)
{
	char *at = (char *)copy + copy->used;

	if (len > ROOM - copy->used)
		return 0;
	memcpy(at, data, len);
	copy->used += len;
	return place(at);
}

static uint32_t add_name(struct copy *copy, const char *name)
{
	uint8_t text[NAME_MOST + 1] = {0};
	size_t len = strnlen(name, NAME_MOST);

	for (size_t i = 0; i < len; i++)
		text[i] = eza_from_latin[(uint8_t)name[i]];
	return add(copy, text, len + 1);
}

int asm_hostent(uint32_t *address, const struct hostent *host)
{
	static _Thread_local struct copy *copy;
	size_t length = (size_t)host->h_length;

	if (!copy)
		copy = asm_low(ROOM);
	if (!copy)
		return -ENOMEM;
	memset(copy, 0, sizeof(*copy));
	copy->used = sizeof(*copy);
	copy->family = host->h_addrtype == AF_INET6 ? VSE_AF_INET6 : AF_INET;
	copy->length = (uint32_t)length;
	copy->name = add_name(copy, host->h_name);
	copy->aliases = place(copy->alias_list);
	copy->addresses = place(copy->address_list);
	for (int i = 0; i < LISTED && host->h_addr_list[i]; i++)
		copy->address_list[i] = add(copy, host->h_addr_list[i], length);
	for (int i = 0; i < LISTED && host->h_aliases[i]; i++)
		copy->alias_list[i] = add_name(copy, host->h_aliases[i]);
	*address = place(copy);
	return 0;
}
