/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - small programs of EZASMI, all of which but the first z/VSE would not like */
#include <stdlib.h>
#include <sys/uio.h>

#include "../strict.h"
#include "smi.h"

static void any(unsigned char name[28])
{
	memset(name, 0, 28);
	name[1] = 2;
}

/* It listens where z/VSE's would, its numbers are C's, and one of its calls has an ECB. */
static void right(void)
{
	static struct ezasmi_ecb ecb;
	unsigned char name[28];
	int ends[2], listener, number, code;
	char buf[8], data[] = "hello";

	init();
	listener = make_socket("STREAM");
	any(name);
	GOOD(BIND, .S = &listener, .NAME = name);
	GOOD(LISTEN, .S = &listener, .BACKLOG = N(5));
	ends[0] = make_socket("STREAM");
	GOOD(CONNECT, .S = &ends[0], .NAME = loopback(name, port_of(listener)));
	GOOD(ACCEPT, .S = &listener, .NAME = name);
	ends[1] = retcode;
	CHECK(EZASMI(READ, .S = &ends[1], .NBYTE = N(8), .BUF = buf, .ECB = &ecb, .ERRNO = &number,
		     .RETCODE = &code) == 0);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(5), .BUF = data) == 5);
	CHECK(vse_ecb_wait((void *[]){&ecb}, 1, 30000) == 0 && code == 5);
	GOOD(SETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_LINGER", .OPTVAL = (int[2]){0},
	     .OPTLEN = N(8));
	GOOD(GETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_LINGER", .OPTVAL = (int[2]){0},
	     .OPTLEN = N(8));
	close_pair(ends);
	number = make_socket("DATAGRAM");
	GOOD(SETSOCKOPT, .S = &number, .OPTNAME = "IP_ADD_MEMBERSHIP",
	     .OPTVAL = (char[]){"\xE0\0\2\x0D\x7F\0\0\1"}, .OPTLEN = N(8));
	GOOD(GETSOCKOPT, .S = &number, .OPTNAME = "IP_MULTICAST_LOOP", .OPTVAL = buf,
	     .OPTLEN = N(1));
	close_socket(number);
	close_socket(listener);
	term();
	retcode = failures ? -1 : 0;
}

static void getibmopt(void)
{
	unsigned char buf[128];

	init();
	SMI(GETIBMOPT, .COMMAND = "1", .BUF = buf);
}

static void raw(void)
{
	init();
	SMI(SOCKET, .AF = "INET", .SOCTYPE = "RAW", .PROTO = N(1));
}

static void maxsoc_select(void)
{
	int none[2] = {0, 0};

	init();
	SMI(SELECT, .MAXSOC = N(101), .TIMEOUT = none);
}

static void iov(void)
{
	struct iovec entry = {.iov_base = (void *)(uintptr_t) "text", .iov_len = 0};
	int s;

	init();
	s = make_socket("STREAM");
	/* It is not connected; that is the call's own error. */
	SMI(WRITEV, .S = &s, .IOV = &entry, .IOVCNT = N(1));
}

/* z/VSE's list of options has others. */
static void option(void)
{
	int s;

	init();
	s = make_socket("STREAM");
	SMI(SETSOCKOPT, .S = &s, .OPTNAME = "SO_KEEPALIVE", .OPTVAL = N(1), .OPTLEN = N(4));
}

static void option_number(void)
{
	int s;

	init();
	s = make_socket("STREAM");
	SMI(GETSOCKOPT, .S = &s, .OPTNAME = "0x1006", .OPTVAL = (int[2]){0}, .OPTLEN = N(8));
}

/* A membership has no value to get. */
static void option_get(void)
{
	int s;

	init();
	s = make_socket("DATAGRAM");
	SMI(GETSOCKOPT, .S = &s, .OPTNAME = "IP_ADD_MEMBERSHIP", .OPTVAL = (int[2]){0},
	    .OPTLEN = N(8));
}

static void no_phase(void)
{
	SMI(INITAPI, .MAXSOC = N(100));
}

static void no_initapi(void)
{
	SMI(SOCKET, .AF = "INET", .SOCTYPE = "STREAM");
}

static void no_termapi(void)
{
	init();
	close_socket(make_socket("STREAM"));
	exit(printf("%d %d\n", retcode, error) < 0);
}

static void local_address(void)
{
	unsigned char name[28];
	int s;

	init();
	s = make_socket("STREAM");
	SMI(BIND, .S = &s, .NAME = loopback(name, 0));
}

static const struct strict_program programs[] = {
	{"right", right},
	{"getibmopt", getibmopt},
	{"raw", raw},
	{"maxsoc-select", maxsoc_select},
	{"iov", iov},
	{"option", option},
	{"option-number", option_number},
	{"option-get", option_get},
	{"no-phase", no_phase},
	{"no-initapi", no_initapi},
	{"no-termapi", no_termapi},
	{"local-address", local_address},
};

static int end(void)
{
	printf("%d %d\n", retcode, error);
	EZASMI(TERMAPI);
	return failures != 0;
}

int main(int argc, char **argv)
{
	return STRICT_MAIN(argc, argv, programs, end);
}
