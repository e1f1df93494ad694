/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - random argument lists: each call ends with RETCODE -1 and an ERRNO, or a result, and
 * touches nothing but what it was given
 *
 *	random MODE SEED COUNT	binary, comp5 or c
 *
 * They are one CICS-style task's, which begins and ends its use of the interface by chance as well;
 * the descriptors of another task of the process, which have the same numbers, are checked at the
 * end.
 */
#include "vsesock.h"

#include "eza.h"

#define ROOM  256
#define GUARD 0xA5

static unsigned long long state;
static unsigned char guarded[ROOM + 64], before_call[ROOM];

static unsigned int draw(unsigned int below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 33) % below;
}

/* FREEADDRINFO gets addresses that are no results of GETADDRINFO; results not freed stay the
 * program's. The letters: S descriptor, f fullword, h halfword, T timeout, * an area. */
static const struct {
	const char *name, *parameters;
} functions[] = {
	{"ACCEPT", "S*"},       {"BIND", "S*"},
	{"BIND2ADDRSEL", "S*"}, {"CLOSE", "S"},
	{"CONNECT", "S*"},      {"FCNTL", "Sff"},
	{"FREEADDRINFO", "*"},  {"GETADDRINFO", "*f*f**f"},
	{"GETCLIENTID", "*"},   {"GETHOSTNAME", "f*"},
	{"GETIBMOPT", "f*"},    {"GETNAMEINFO", "*f*f*ff"},
	{"GETPEERNAME", "S*"},  {"GETSOCKNAME", "S*"},
	{"GETSOCKOPT", "Sf*f"}, {"GIVESOCKET", "S*"},
	{"INITAPI", "h**f"},    {"IOCTL", "Sf**"},
	{"LISTEN", "Sf"},       {"NTOP", "f**h"},
	{"PTON", "f*h*"},       {"READ", "Sf*"},
	{"READV", "S*f"},       {"RECV", "Sff*"},
	{"RECVFROM", "Sff**"},  {"RECVMSG", "S*f"},
	{"SELECT", "fT******"}, {"SELECTEX", "fT*******"},
	{"SEND", "Sff*"},       {"SENDMSG", "S*f"},
	{"SENDTO", "Sff**"},    {"SETSOCKOPT", "Sf*f"},
	{"SHUTDOWN", "Sf"},     {"SOCKET", "fff"},
	{"TAKESOCKET", "h*"},   {"TERMAPI", ""},
	{"WRITE", "Sf*"},       {"WRITEV", "S*f"},
	{"NOSUCHCALL", "f"},    {"", "f"},
};
#define NR_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static long any_number(void)
{
	static const int some[] = {0, 1, 2, 3, 4, 5, 19, 16, 28, 45, 64, -1, 0x1007, 0x7FFFFFFF};

	return draw(3) ? some[draw(14)] : (long)draw(70000) - 100;
}

/* OMITTED, an unmapped address, or memory of @size bytes. */
static struct param any_area(void)
{
	static const int sizes[] = {0, 1, 4, 8, 16, 28, 40, 48, ROOM};
	int size = sizes[draw(9)];

	switch (draw(6)) {
	case 0:
		return OMITTED;
	case 1:
		return X((void *)(unsigned long)(8 + draw(4000)), size);
	default:
		/* A C program's area has no size: it is large enough. */
		return X(guarded + (mode == IN_C ? 0 : ROOM - size), size);
	}
}

static void fill(void)
{
	const void *inside = guarded;

	for (int at = 0; at < ROOM; at++)
		guarded[at] = (unsigned char)draw(draw(2) ? 3 : 256);
	/* Values read as pointers: unmapped addresses, or short memory. */
	for (int at = 0; at + 8 <= ROOM; at += 8)
		if (!draw(3))
			memset(guarded + at, 0, 8);
		else if (!draw(4))
			memcpy(guarded + at, &inside, 8);
	memset(guarded + ROOM, GUARD, 64);
	memcpy(before_call, guarded, ROOM);
}

/* Writes through pointers in an area are unknown to the test. */
static bool has_pointers(const char *name)
{
	return !strcmp(name, "READV") || !strcmp(name, "RECVMSG");
}

/* Returns true if the call changed memory other than its parameters. */
static bool all_is_well(const char *name, const struct param *params, int nr)
{
	bool mine[ROOM] = {false};

	for (int at = ROOM; at < ROOM + 64; at++)
		if (guarded[at] != GUARD)
			return false;
	if (mode == IN_C || has_pointers(name))
		return true;
	for (int i = 0; i < nr; i++) {
		const unsigned char *data = params[i].data;

		if (data >= guarded && data < guarded + ROOM)
			memset(mine + (data - guarded), true, (size_t)params[i].size);
	}
	for (int at = 0; at < ROOM; at++)
		if (!mine[at] && guarded[at] != before_call[at])
			return false;
	return true;
}

#define OTHERS 6 /* as many as the random numbers mostly name */

static int other;
static unsigned int ports[OTHERS];

static void begin_tasks(void)
{
	unsigned char name[28];

	CHECK(vse_true_start() == 0);
	other = vse_task_begin("OTHER");
	init();
	for (int i = 0; i < OTHERS; i++) {
		CHECK(make_socket(1) == i);
		GOOD(EZA("BIND", H(i), loopback(name, 0)));
		ports[i] = port_of(i);
	}
	CHECK(vse_task_begin("RANDOM") > 0);
}

static void end_tasks(void)
{
	int random = vse_task_switch(other);

	for (int i = 0; i < OTHERS; i++) {
		CHECK(port_of(i) == ports[i]);
		GOOD(EZA("LISTEN", H(i), F(1)));
	}
	term();
	CHECK(vse_task_end(other) == 0);
	CHECK(vse_task_end(random) == 0);
}

int main(int argc, char **argv)
{
	static unsigned char none[8];
	long count = argc > 3 ? atol(argv[3]) : 0;

	if (argc != 4)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	mode = !strcmp(argv[1], "c") ? IN_C : !strcmp(argv[1], "comp5") ? COMP5 : BINARY;
	state = strtoull(argv[2], NULL, 10);
	begin_tasks();
	for (long i = 0; i < count; i++) {
		unsigned long long before = state;
		unsigned int which = draw(NR_FUNCTIONS);
		const char *name = functions[which].name;
		struct param params[MOST];
		bool shorter, results;
		int nr = 0;

		fill();
		for (const char *at = functions[which].parameters; *at; at++)
			params[nr++] = *at == 'S'   ? H(draw(6) ? (long)draw(6) : any_number())
				       : *at == 'h' ? H(any_number())
				       : *at == 'f' ? F(any_number())
				       : *at == 'T' ? X(none, 8)
						    : any_area();
		/* COBOL programs may also pass too few, or something else. */
		shorter = mode != IN_C && !draw(20);
		if (shorter)
			nr = (int)draw((unsigned int)nr + 1);
		if (mode != IN_C && nr && !draw(10))
			params[draw((unsigned int)nr)] = any_area();
		/* Two of SELECT's parameters would make it wait for ever. */
		if (!strncmp(name, "SELECT", 6) && !shorter && nr > 1)
			params[1] = X(none, 8);
		/* A C program's masks are as long as it says. */
		if (!strncmp(name, "SELECT", 6) && mode == IN_C)
			params[0] = F((long)draw(ROOM * 8));
		results = mode != IN_C || (strcmp(name, "NOSUCHCALL") != 0 &&
					   strcmp(name, "TERMAPI") != 0 && name[0]);
		error = retcode = 0x7777;
		params[nr++] = FO(&error);
		params[nr++] = FO(&retcode);
		make_call(name, params, nr);
		errno = (int)error;
		if (results &&
		    (retcode == 0x7777 || retcode < -1 || (retcode == -1) != (error != 0)))
			printf("FAILED: call %ld, seed %llu: %s: %ld, %ld\n", i, before, name,
			       retcode, error);
		CHECK(!results ||
		      (retcode >= -1 && retcode != 0x7777 && (retcode == -1) == (error != 0)));
		checks++;
		if (!all_is_well(name, params, nr)) {
			printf("FAILED: call %ld, seed %llu: %s: memory\n", i, before, name);
			failures++;
		}
		/* No call may wait. */
		if (retcode >= 0 && (!strcmp(name, "SOCKET") || !strcmp(name, "ACCEPT"))) {
			long s = retcode;

			EZA("FCNTL", H(s), F(4), F(4));
		}
	}
	term();
	end_tasks();
	return finish();
}
