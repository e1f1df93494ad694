/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - every option by its number, by EZASOKET
 *
 *	options MODE FAMILY FILE	binary, comp5 or c; 4 or 6 (IPv6, too);
 *tests/data/options.tsv
 */
#include "eza.h"
#include "../options.h"

static long s;

static void open_socket(const char *socket)
{
	family = socket[strlen(socket) - 1] == '6' ? 19 : 2;
	s = make_socket(*socket == 's' ? 1 : 2);
}

static void close_it(void)
{
	GOOD(EZA("CLOSE", H(s)));
}

static int set(const struct option_row *row, const void *value, unsigned int len)
{
	EZA("SETSOCKOPT", H(s), F((int)row->number), X(value, (int)len), F(len));
	return (int)error;
}

static int get(const struct option_row *row, void *value, unsigned int *len)
{
	long room = *len;

	EZA("GETSOCKOPT", H(s), F((int)row->number), X(value, (int)*len), FO(&room));
	*len = (unsigned int)room;
	return (int)error;
}

int main(int argc, char **argv)
{
	struct option_calls calls = {
		.open = open_socket, .close = close_it, .set = set, .get = get};

	if (argc != 4)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	mode = !strcmp(argv[1], "c") ? IN_C : !strcmp(argv[1], "comp5") ? COMP5 : BINARY;
	/* An area of characters is big-endian, a C program's is native. */
	calls.big = mode != IN_C;
	init();
	CHECK(option_all(&calls, argv[3], !strcmp(argv[2], "6")) > 30);
	term();
	return finish();
}
