/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - every option by its name and by its number, by EZASMI
 *
 *	options FAMILY FILE	4 or 6 (IPv6, too); tests/data/options.tsv
 */
#include "smi.h"
#include "../options.h"

static int s;
static bool by_name;

static void open_socket(const char *socket)
{
	af = socket[strlen(socket) - 1] == '6' ? "INET6" : "INET";
	s = make_socket(*socket == 's' ? "STREAM" : "DATAGRAM");
}

static void close_it(void)
{
	close_socket(s);
}

/* OPTNAME of a row. */
static const char *name_of(const struct option_row *row)
{
	static char text[16];

	snprintf(text, sizeof(text), "0x%X", row->number);
	return by_name ? row->name : text;
}

static int set(const struct option_row *row, const void *value, unsigned int len)
{
	int optlen = (int)len;

	SMI(SETSOCKOPT, .S = &s, .OPTNAME = name_of(row), .OPTVAL = (void *)(uintptr_t)value,
	    .OPTLEN = &optlen);
	return error;
}

static int get(const struct option_row *row, void *value, unsigned int *len)
{
	int optlen = (int)*len;

	SMI(GETSOCKOPT, .S = &s, .OPTNAME = name_of(row), .OPTVAL = value, .OPTLEN = &optlen);
	*len = (unsigned int)optlen;
	return error;
}

int main(int argc, char **argv)
{
	const struct option_calls calls = {
		.open = open_socket, .close = close_it, .set = set, .get = get};

	if (argc != 3)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	init();
	for (int i = 0; i < 2; i++) {
		by_name = i;
		CHECK(option_all(&calls, argv[2], !strcmp(argv[1], "6")) > 30);
	}
	term();
	return finish();
}
