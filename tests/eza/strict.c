/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - small programs of EZASOKET, all of which but the first z/VSE would not like */
#include <sys/uio.h>

#include "../../include/vsesock.h"
#include "../strict.h"
#include "eza.h"

static const char blanks[41] = "                                        ";

static void init_with(long maxsoc)
{
	long maxsno = 0;

	EZA("INITAPI", H(maxsoc), X(blanks, 16), X(blanks, 8), FO(&maxsno));
}

static struct param any(unsigned char name[28], long port)
{
	memset(name, 0, 28);
	name[1] = (unsigned char)family;
	name[2] = (unsigned char)(port >> 8);
	name[3] = (unsigned char)port;
	return X(name, 16);
}

/* A server that listens where z/VSE's would, its client, and all that they need. */
static void right(void)
{
	unsigned char name[28], timeout[8] = {0};
	long listener, client, server, mask;
	char buf[8];

	init_with(50);
	listener = make_socket(1);
	GOOD(EZA("BIND", H(listener), any(name, 0)));
	GOOD(EZA("LISTEN", H(listener), F(5)));
	client = make_socket(1);
	GOOD(EZA("CONNECT", H(client), loopback(name, port_of(listener))));
	mask = 1L << listener;
	timeout[3] = 30;
	CHECK(EZA("SELECT", F(32), X(timeout, 8), F(mask), OMITTED, OMITTED, FO(&mask), OMITTED,
		  OMITTED) == 1);
	GOOD(EZA("ACCEPT", H(listener), X(name, 28)));
	server = retcode;
	CHECK(EZA("SEND", H(client), F(0), F(5), X("hello", 5)) == 5);
	CHECK(EZA("READ", H(server), F(8), X(buf, 8)) == 5);
	GOOD(EZA("CLOSE", H(client)));
	GOOD(EZA("CLOSE", H(server)));
	GOOD(EZA("CLOSE", H(listener)));
	term();
	retcode = failures ? -1 : 0;
}

static void bind2addrsel(void)
{
	unsigned char name[28];

	init_with(50);
	make_socket(1);
	EZA("BIND2ADDRSEL", H(0), any(name, 0));
}

static void getibmopt(void)
{
	unsigned char buf[128];

	init_with(50);
	EZA("GETIBMOPT", F(1), X(buf, 128));
}

static void initapix(void)
{
	long maxsno = 0;

	EZA("INITAPIX", H(50), X(blanks, 16), X(blanks, 8), FO(&maxsno));
}

static void raw(void)
{
	init_with(50);
	EZA("SOCKET", F(2), F(3), F(1));
}

static void maxsoc_descriptor(void)
{
	init_with(2);
	make_socket(1);
	make_socket(1);
	EZA("SOCKET", F(2), F(1), F(0));
}

static void select_with(long maxsoc, long mask)
{
	unsigned char timeout[8] = {0};

	EZA("SELECT", F(maxsoc), X(timeout, 8), F(mask), OMITTED, OMITTED, OMITTED, OMITTED,
	    OMITTED);
}

static void maxsoc_select(void)
{
	init_with(60);
	select_with(61, 0);
}

static void maxsoc_mask(void)
{
	init_with(50);
	make_socket(1);
	make_socket(1);
	select_with(1, 2);
}

static void comp5(void)
{
	init_with(50);
	mode = COMP5;
	EZA("SOCKET", F(2), F(1), F(0));
	mode = BINARY;
}

static void halfword(void)
{
	init_with(50);
	make_socket(1);
	EZA("CLOSE", F(0));
}

static void iov(void)
{
	unsigned char entry[16] = {0};
	const void *text = "text";
	long ends[2];

	init_with(50);
	make_socket(2);
	EZA("CLOSE", H(0));
	ends[0] = make_socket(1);
	memcpy(entry, &text, 8);
	put_word(entry + 12, 4);
	/* It is not connected; that is the call's own error. */
	EZA("WRITEV", H(ends[0]), X(entry, 16), F(1));
}

static void msg(void)
{
	unsigned char entry[16] = {0}, count[4];
	void *pointers[6] = {NULL, NULL, entry, count, NULL, NULL};

	init_with(50);
	make_socket(1);
	put_word(count, 1);
	EZA("RECVMSG", H(0), X(pointers, 48), F(0));
}

static void hostent(void)
{
	void *host = NULL;

	init_with(50);
	error = 0;
	EZA_R("GETHOSTBYNAME", F(9), X("127.0.0.1", 9), X(&host, 8));
	EZA_R("GETHOSTBYNAME", F(9), X("127.0.0.1", 9), X(&host, 8));
}

/* Without EZA$PHA it works. */
static void no_phase(void)
{
	init_with(50);
}

static void no_initapi(void)
{
	EZA("SOCKET", F(2), F(1), F(0));
}

static void no_termapi(void)
{
	init_with(50);
	make_socket(1);
	EZA("CLOSE", H(0));
	exit(printf("%ld %ld\n", retcode, error) < 0);
}

/* Under LFP$CIC=SHARE it works. */
static void other_task(void)
{
	int first, second;

	CHECK(vse_true_start() == 0);
	first = vse_task_begin("FIRST");
	init_with(50);
	make_socket(1);
	second = vse_task_begin("SECOND");
	init_with(50);
	EZA("LISTEN", H(0), F(5));
	printf("%ld %ld\n", retcode, error);
	term();
	vse_task_end(second);
	vse_task_switch(first);
	term();
	vse_task_end(first);
	term();
	exit(0);
}

static void local_address(void)
{
	unsigned char name[28];

	init_with(50);
	make_socket(1);
	EZA("BIND", H(0), loopback(name, 0));
}

static const struct strict_program programs[] = {
	{"right", right},
	{"bind2addrsel", bind2addrsel},
	{"getibmopt", getibmopt},
	{"initapix", initapix},
	{"raw", raw},
	{"maxsoc-descriptor", maxsoc_descriptor},
	{"maxsoc-select", maxsoc_select},
	{"maxsoc-mask", maxsoc_mask},
	{"comp5", comp5},
	{"halfword", halfword},
	{"iov", iov},
	{"msg", msg},
	{"hostent", hostent},
	{"no-phase", no_phase},
	{"no-initapi", no_initapi},
	{"no-termapi", no_termapi},
	{"other-task", other_task},
	{"local-address", local_address},
};

static int end(void)
{
	printf("%ld %ld\n", retcode, error);
	term();
	return failures != 0;
}

int main(int argc, char **argv)
{
	return STRICT_MAIN(argc, argv, programs, end);
}
