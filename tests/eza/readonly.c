/* SPDX-License-Identifier: Apache-2.0 */
/* readonly.c - results of EZASOKET and its helper routines where nothing can be written: no signal
 *
 *	readonly binary|comp5|c
 */
#include <netdb.h>

#include "eza.h"

enum { EFAULT_ = 118 };

/* In the program's constants; the second has a number for parameters that are read and set. */
static const union {
	unsigned char bytes[256];
	uint32_t number;
} zeros = {.bytes = {0}}, sixty_four[2] = {{.bytes = {64, 0, 0, 64}}, {.bytes = {0}}};

static void *fixed(const void *at)
{
	return (void *)(uintptr_t)at;
}
#define R(size)      X(fixed(&zeros), size)
#define LENGTH(size) ((struct param){fixed(sixty_four), size, TYPE_GROUP, 0, NULL})

static void numbers(void)
{
	char area[64];

	init();
	BAD(EZA("GETHOSTNAME", LENGTH(4), X(area, 64)), EFAULT_);
	BAD(EZA("GETHOSTNAME", F(64), R(64)), EFAULT_);
	BAD(EZA("GETCLIENTID", R(40)), EFAULT_);
	BAD(EZA("GETIBMOPT", F(1), R(100)), EFAULT_);
	BAD(EZA("NTOP", F(2), X("\x7f\0\0\1", 4), R(45), H(45)), EFAULT_);
	BAD(EZA("PTON", F(2), X("10.0.0.1", 8), H(8), R(16)), EFAULT_);
	BAD(EZA("GETADDRINFO", X("127.0.0.1", 9), F(9), OMITTED, F(0), OMITTED, R(8), F(0)),
	    EFAULT_);
	BAD(EZA("GETADDRINFO", X("127.0.0.1", 9), F(9), OMITTED, F(0), OMITTED, X(area, 8), R(4)),
	    EFAULT_);
	BAD(EZA("GETNAMEINFO", X("\0\2\0\7\x7f\0\0\1\0\0\0\0\0\0\0", 16), F(16), R(40), F(40),
		OMITTED, F(0), F(2)),
	    EFAULT_);
	CHECK(EZA_R("GETHOSTBYNAME", F(9), X("127.0.0.1", 9), R(8)) == -1);
	CHECK(EZA_R("GETHOSTBYADDR", X("\x7f\0\0\1", 4), R(8)) == -1);
	term();
	BAD(EZA("INITAPI", H(100), X("                ", 16), X("        ", 8), R(4)), EFAULT_);
}

static void sockets(void)
{
	unsigned char name[28], data[32] = "datagram", *message[6];
	unsigned char iov[16] = {0}, one[4];
	void *at = data;
	long ends[2], s, t, listener;
	unsigned int port;

	init();
	make_pair(ends);
	BAD(EZA("GETSOCKNAME", H(ends[0]), R(16)), EFAULT_);
	BAD(EZA("GETPEERNAME", H(ends[0]), R(16)), EFAULT_);
	BAD(EZA("GETSOCKOPT", H(ends[0]), F(8), R(4), F(4)), EFAULT_);
	BAD(EZA("GETSOCKOPT", H(ends[0]), F(8), X(one, 4), R(4)), EFAULT_);
	BAD(EZA("IOCTL", H(ends[0]), F(0x4004A77F), F(0), R(4)), EFAULT_);
	BAD(EZA("IOCTL", H(ends[0]), F((int)0xC020A70Du), X("lo              ", 32), R(32)),
	    EFAULT_);
	BAD(EZA("IOCTL", H(ends[0]), F((int)0xC008A714u), F(64), R(64)), EFAULT_);
	GOOD(EZA("WRITE", H(ends[0]), F(4), X("data", 4)));
	BAD(EZA("READ", H(ends[1]), F(4), R(4)), EFAULT_);
	/* Nothing is lost. */
	GOOD(EZA("READ", H(ends[1]), F(4), X(data, 4)));
	BAD(EZA("SELECT", F(32), X("\0\0\0\0\0\0\0\0", 8), OMITTED, OMITTED, OMITTED, R(4), OMITTED,
		OMITTED),
	    EFAULT_);
	close_pair(ends);

	listener = make_listener(&port);
	s = make_socket(1);
	GOOD(EZA("CONNECT", H(s), loopback(name, port)));
	BAD(EZA("ACCEPT", H(listener), R(16)), EFAULT_);
	GOOD(EZA("ACCEPT", H(listener), X(name, 16)));
	t = retcode;
	GOOD(EZA("CLOSE", H(t)));
	GOOD(EZA("CLOSE", H(s)));
	GOOD(EZA("CLOSE", H(listener)));

	t = make_socket(2);
	GOOD(EZA("BIND", H(t), loopback(name, 0)));
	GOOD(EZA("SENDTO", H(t), F(0), F(8), X(data, 8), loopback(name, port_of(t))));
	BAD(EZA("RECVFROM", H(t), F(0), F(32), X(data, 32), R(16)), EFAULT_);
	memcpy(iov, &at, sizeof(at));
	put_word(iov + 12, sizeof(data));
	put_word(one, 1);
	memset(message, 0, sizeof(message));
	message[0] = name;
	message[1] = fixed(sixty_four);
	message[2] = iov;
	message[3] = one;
	BAD(EZA("RECVMSG", H(t), X(message, 48), F(0)), EFAULT_);
	GOOD(EZA("RECVFROM", H(t), F(0), F(32), X(data, 32), X(name, 16)));
	CHECK(retcode == 8);
	term();
}

/* ERRNO and RETCODE themselves. */
static void results(void)
{
	long said = 0x7777;
	struct param lost[] = {F(2), F(1), F(0), FO(&said), R(4)};
	struct param unsaid[] = {F(99), F(1), F(0), R(4), FO(&said)};

	init();
	make_call("SOCKET", lost, 5);
	CHECK(said == 0x7777);
	/* It has made none. */
	CHECK(make_socket(1) == 0);
	make_call("SOCKET", unsaid, 5);
	CHECK(said == -1);
	term();
}

/* Parameters of a helper routine, none of which is a number for the run-time system. */
static void has(int nr, const int *sizes)
{
	fake.nr = nr;
	for (int i = 0; i < nr; i++) {
		fake.size[i] = sizes[i];
		fake.type[i] = TYPE_GROUP;
	}
}

static void helpers(void)
{
	unsigned char four[4], bits[4] = {0}, chars[32], length[4], name[32], halves[8][2];
	char ctob[] = "CTOB", btoc[] = "BTOC";
	char *result = NULL, *next = NULL, *at = NULL;
	struct hostent *host = NULL;

	has(2, (int[]){32, 4});
	put_word(length, 32);
	CHECK(EZACIC04(fixed(&zeros), length) == 16);
	CHECK(EZACIC05(fixed(&zeros), length) == 16);

	memset(chars, '0', sizeof(chars));
	has(5, (int[]){4, 4, 32, 4, 4});
	CHECK(EZACIC06(ctob, fixed(&zeros), chars, length, four) == 0);
	CHECK((int32_t)get_word(four) == -1);
	CHECK(EZACIC06(btoc, bits, fixed(&zeros), length, four) == 0);
	CHECK((int32_t)get_word(four) == -1);
	CHECK(EZACIC06(btoc, bits, chars, length, fixed(&zeros)) == 0);

	init();
	memset(halves, 0, sizeof(halves));
	CHECK(EZA_R("GETHOSTBYNAME", F(9), X("127.0.0.1", 9), X(&host, 8)) == 0 && host);
	has(13, (int[]){8, 2, 32, 2, 2, 2, 32, 2, 2, 2, 2, 4, 4});
	CHECK(EZACIC08(&host, halves[0], fixed(&zeros), halves[1], halves[2], halves[3], name,
		       halves[4], halves[5], halves[6], halves[7], bits, four) == 0);
	CHECK((int32_t)get_word(four) == -1);
	CHECK(EZACIC08(&host, halves[0], name, halves[1], halves[2], halves[3], name, halves[4],
		       halves[5], halves[6], halves[7], bits, fixed(&zeros)) == 0);
	GOOD(EZA("GETADDRINFO", X("127.0.0.1", 9), F(9), OMITTED, F(0), OMITTED, X(&result, 8),
		 F(0)));
	has(6, (int[]){8, 4, 32, 8, 8, 4});
	CHECK(EZACIC09(&result, bits, name, fixed(&zeros), &next, four) == 0);
	CHECK((int32_t)get_word(four) == -1);
	CHECK(EZACIC09(&result, bits, fixed(&zeros), &at, &next, four) == 0);
	CHECK((int32_t)get_word(four) == -1);
	GOOD(EZA("FREEADDRINFO", X(&result, 8)));
	term();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	mode = !strcmp(argv[1], "c") ? IN_C : !strcmp(argv[1], "comp5") ? COMP5 : BINARY;
	numbers();
	sockets();
	results();
	helpers();
	return finish();
}
