/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - every option by its level and number, by LE/C
 *
 *	options FAMILY FILE	4 or 6 (IPv6, too); tests/data/options.tsv
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"
#include "../options.h"

static int s;

static void open_socket(const char *name)
{
	s = socket(name[strlen(name) - 1] == '6' ? AF_INET6 : AF_INET,
		   *name == 's' ? SOCK_STREAM : SOCK_DGRAM, 0);
	CHECK(s >= 0);
}

static void close_it(void)
{
	CHECK(close(s) == 0);
}

/* OPTNAME of EZASOKET includes the level. */
static int level_of(const struct option_row *row)
{
	switch (row->number & 0xFFFF0000) {
	case 0x100000:
		return IPPROTO_IP;
	case 0x10000:
		return IPPROTO_IPV6;
	case 0x80000000:
		return IPPROTO_TCP;
	default:
		return SOL_SOCKET;
	}
}

static int set(const struct option_row *row, const void *value, unsigned int len)
{
	return setsockopt(s, level_of(row), row->number & 0xFFFF, value, len) ? errno : 0;
}

static int get(const struct option_row *row, void *value, unsigned int *len)
{
	return getsockopt(s, level_of(row), row->number & 0xFFFF, value, len) ? errno : 0;
}

int main(int argc, char **argv)
{
	const struct option_calls calls = {
		.timevals = true,
		.truncates = true,
		.open = open_socket,
		.close = close_it,
		.set = set,
		.get = get,
	};

	if (argc != 3)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	CHECK(option_all(&calls, argv[2], !strcmp(argv[1], "6")) > 30);
	return finish();
}
