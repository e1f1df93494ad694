/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.c - numbers of the resolver: flags AI_ and NI_, errors EAI_ */
#include "libvsesock/vse/values.h"

#include <netdb.h>

struct pair {
	int own, native;
};

static const struct pair ai_flags[] = {
	{1, AI_PASSIVE},   {2, AI_CANONNAME}, {4, AI_NUMERICHOST}, {8, AI_NUMERICSERV},
	{16, AI_V4MAPPED}, {32, AI_ALL},      {64, AI_ADDRCONFIG}, {0, 0},
};

static const struct pair ni_flags[] = {
	{1, NI_NOFQDN},      {2, NI_NUMERICHOST}, {4, NI_NAMEREQD},
	{8, NI_NUMERICSERV}, {16, NI_DGRAM},      {0, 0},
};

static const struct pair eai[] = {
	{1, EAI_NONAME}, {2, EAI_AGAIN},      {3, EAI_FAIL},    {4, EAI_OVERFLOW}, {5, EAI_FAMILY},
	{6, EAI_MEMORY}, {7, EAI_BADFLAGS},   {8, EAI_SERVICE}, {9, EAI_SOCKTYPE}, {10, EAI_SYSTEM},
	{1, EAI_NODATA}, {5, EAI_ADDRFAMILY}, {0, 0},
};
#define OWN_FAIL 3

static int take_flags(const struct pair *table, long flags)
{
	int native = 0;

	for (; table->own; table++) {
		if (flags & table->own)
			native |= table->native;
		flags &= ~(long)table->own;
	}
	return flags ? -1 : native;
}

int vse_ai_flags(long flags)
{
	return take_flags(ai_flags, flags);
}

int vse_ni_flags(long flags)
{
	return take_flags(ni_flags, flags);
}

int vse_eai(int native)
{
	for (const struct pair *at = eai; at->own; at++)
		if (at->native == native)
			return at->own;
	return OWN_FAIL;
}

int vse_native_eai(int number)
{
	for (const struct pair *at = eai; at->own; at++)
		if (at->own == number)
			return at->native;
	return 0;
}
