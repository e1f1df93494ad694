/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - functions of EZASOKET: success, documented errors, wrong arguments
 *
 *	calls MODE FAMILY	binary, comp5 or c; 4 or 6
 */
#include <netdb.h>

#include "eza.h"

enum { EFAULT_ = 118, EINVAL_ = 121, EBADF_ = 113, BADCALL = 1000, BADPARM = 1001 };

static const char blanks[41] = "                                        ";

static void first_calls(void)
{
	unsigned char name[28], client[40];
	long maxsno;

	/* Only some functions may be the first call, and none may follow TERMAPI. */
	BAD(EZA("BIND", H(0), loopback(name, 0)), BADCALL);
	BAD(EZA("CLOSE", H(0)), BADCALL);
	init();
	BAD(EZA("INITAPI", H(0), X(blanks, 16), X(blanks, 8), FO(&maxsno)), 1104);
	GOOD(EZA("SOCKET", F(family), F(1), F(0)));
	CHECK(retcode == 0);
	term();
	BAD(EZA("CLOSE", H(0)), BADCALL);
	/* An implicit INITAPI. */
	GOOD(EZA("SOCKET", F(family), F(1), F(0)));
	CHECK(retcode == 0);
	BAD(EZA("CLOSE", H(1)), EBADF_);
	term();
	memset(client, ' ', sizeof(client));
	GOOD(EZA("GETCLIENTID", X(client, 40)));
	CHECK(get_word(client) == 2 && memcmp(client + 4, blanks, 8) != 0);
	/* Programs pass ERRNO and RETCODE to TERMAPI, too. */
	if (mode != IN_C)
		GOOD(EZA("TERMAPI"));
	else
		term();
	/* The least MAXSOC is 50. */
	maxsno = 0;
	GOOD(EZA("INITAPI", H(3), X(blanks, 16), X(blanks, 8), FO(&maxsno)));
	CHECK(maxsno == 49);
	for (int i = 0; i < 50; i++)
		GOOD(EZA("SOCKET", F(family), F(2), F(0)));
	BAD(EZA("SOCKET", F(family), F(2), F(0)), 124);
	term();
	maxsno = 0;
	GOOD(EZA("INITAPI", H(65535), X(blanks, 16), X(blanks, 8), FO(&maxsno)));
	CHECK(maxsno == 8191);
	term();
}

static void wrong_lists(void)
{
	unsigned char name[28];
	long result = 5;

	init();
	if (mode != IN_C) {
		BAD(EZA("NOSUCHCALL", H(0)), BADCALL);
		BAD(EZA("socket", F(2), F(1), F(0)), BADCALL);
		BAD(EZA("SOCKET", F(2), F(1)), BADPARM);
		BAD(EZA("SOCKET", F(2), F(1), F(0), F(0)), BADPARM);
		BAD(EZA("SOCKET"), BADPARM);
		/* Numbers that are no binary ones; areas that are too short. */
		BAD(EZA("SOCKET", ((struct param){"0002", 4, TYPE_DISPLAY, 0, NULL}), F(1), F(0)),
		    EINVAL_);
		GOOD(EZA("SOCKET", F(family), F(1), F(0)));
		loopback(name, 0);
		BAD(EZA("BIND", H(0), X(name, family == 19 ? 20 : 8)), EINVAL_);
		BAD(EZA("SEND", H(0), F(0), F(100), X(name, 28)), EINVAL_);
		/* S may be a fullword. */
		GOOD(EZA("CLOSE", F(0)));
		/* An unwritable RETCODE: the call has no effect. */
		make_call("SOCKET", (struct param[]){F(family), F(1), F(0), FO(&result), OMITTED},
			  5);
		CHECK(result == 5);
		GOOD(EZA("SOCKET", F(family), F(1), F(0)));
		CHECK(retcode == 0);
	} else {
		make_call("NOSUCHCALL", (struct param[]){FO(&result)}, 1);
		CHECK(result == 5);
		GOOD(EZA("SOCKET", F(family), F(1), F(0)));
	}
	BAD(EZA("BIND", H(0), OMITTED), BADPARM);
	BAD(EZA("BIND", H(0), X(nowhere, 28)), EFAULT_);
	BAD(EZA("SOCKET", OMITTED, F(1), F(0)), BADPARM);
	BAD(EZA("GIVESOCKET", H(0), OMITTED), BADPARM);
	term();
}

static void sockets(void)
{
	unsigned char name[28];
	unsigned int port;
	long s;

	init();
	BAD(EZA("SOCKET", F(10), F(1), F(0)), 1114);
	BAD(EZA("SOCKET", F(0), F(1), F(0)), 1114);
	BAD(EZA("SOCKET", F(family), F(99), F(0)), EINVAL_);
	BAD(EZA("SOCKET", F(family), F(3), F(0)), 1111);
	for (int i = 0; i < 3; i++)
		CHECK(make_socket(1) == i);
	GOOD(EZA("CLOSE", H(1)));
	CHECK(make_socket(2) == 1);
	for (int i = 0; i < 3; i++)
		GOOD(EZA("CLOSE", H(i)));
	BAD(EZA("CLOSE", H(0)), EBADF_);
	BAD(EZA("CLOSE", H(65535)), EBADF_);
	BAD(EZA("LISTEN", H(7), F(5)), EBADF_);
	s = make_listener(&port);
	CHECK(port != 0);
	BAD(EZA("BIND", H(s), loopback(name, 0)), EINVAL_);
	loopback(name, 0);
	name[1] = 0;
	BAD(EZA("BIND", H(make_socket(1)), X(name, 28)), 1114);
	BAD(EZA("GETPEERNAME", H(s), X(name, 28)), 1124);
	BAD(EZA("SHUTDOWN", H(s), F(3)), EINVAL_);
	/* A port without a listener. */
	GOOD(EZA("CLOSE", H(s)));
	port = make_unheard();
	s = make_socket(1);
	BAD(EZA("CONNECT", H(s), loopback(name, port)), 1128);
	term();
}

static void data(void)
{
	unsigned char name[28], guard[32];
	char buf[32];
	long ends[2], n;

	init();
	make_pair(ends);
	GOOD(EZA("GETPEERNAME", H(ends[0]), X(name, 28)));
	CHECK(EZA("SEND", H(ends[0]), F(0), F(5), X("hello", 5)) == 5);
	CHECK(EZA("RECV", H(ends[1]), F(2), F(32), X(buf, 32)) == 5);
	CHECK(EZA("RECV", H(ends[1]), F(0), F(3), X(buf, 32)) == 3 && !memcmp(buf, "hel", 3));
	CHECK(EZA("READ", H(ends[1]), F(32), X(buf, 32)) == 2 && !memcmp(buf, "lo", 2));
	CHECK(EZA("WRITE", H(ends[1]), F(3), X("abc", 3)) == 3);
	memset(guard, 0xEE, sizeof(guard));
	CHECK(EZA("RECVFROM", H(ends[0]), F(0), F(32), X(buf, 32), X(guard, 28)) == 3);
	/* A stream does not report the sender. */
	for (int i = 0; i < 32; i++)
		CHECK(guard[i] == 0xEE);
	BAD(EZA("SEND", H(ends[0]), F(64), F(1), X("x", 1)), EINVAL_);
	BAD(EZA("RECV", H(ends[0]), F(0), F(-1), X(buf, 32)), EINVAL_);
	BAD(EZA("RECV", H(ends[0]), F(0), F(32), OMITTED), BADPARM);
	CHECK(EZA("SEND", H(ends[1]), F(0), F(3), X("abc", 3)) == 3);
	BAD(EZA("RECV", H(ends[0]), F(0), F(32), X(nowhere, 32)), EFAULT_);
	CHECK(EZA("RECV", H(ends[0]), F(0), F(32), X(buf, 32)) == 3);
	/* No data: EWOULDBLOCK. */
	CHECK(EZA("FCNTL", H(ends[0]), F(3), F(0)) == 0);
	GOOD(EZA("FCNTL", H(ends[0]), F(4), F(4)));
	CHECK(EZA("FCNTL", H(ends[0]), F(3), F(0)) == 4);
	BAD(EZA("RECV", H(ends[0]), F(0), F(32), X(buf, 32)), 1102);
	BAD(EZA("FCNTL", H(ends[0]), F(4), F(5)), EINVAL_);
	BAD(EZA("FCNTL", H(ends[0]), F(9), F(0)), EINVAL_);
	GOOD(EZA("IOCTL", H(ends[0]), F((int)0x8004A77Eu), F(0), F(0)));
	CHECK(EZA("FCNTL", H(ends[0]), F(3), F(0)) == 0);
	CHECK(EZA("SEND", H(ends[1]), F(0), F(3), X("abc", 3)) == 3);
	for (n = 0; n != 3;)
		GOOD(EZA("IOCTL", H(ends[0]), F(0x4004A77F), F(0), FO(&n)));
	BAD(EZA("IOCTL", H(ends[0]), F(1), F(0), F(0)), EINVAL_);
	GOOD(EZA("SHUTDOWN", H(ends[1]), F(1)));
	CHECK(EZA("RECV", H(ends[0]), F(0), F(32), X(buf, 32)) == 3);
	CHECK(EZA("RECV", H(ends[0]), F(0), F(32), X(buf, 32)) == 0);
	close_pair(ends);
	term();
}

static void put_iov(unsigned char *entry, const void *data, uint32_t len)
{
	memcpy(entry, &data, 8);
	put_word(entry + 12, len);
}

static void vectors(void)
{
	unsigned char iov[32], to[28], from[28], count[4], namelen[4];
	char first[4], second[8];
	void *msg[6] = {NULL, NULL, iov, count, NULL, NULL};
	unsigned int port;
	long ends[2], s, t;

	init();
	make_pair(ends);
	put_iov(iov, "abc", 3);
	put_iov(iov + 16, "defg", 4);
	CHECK(EZA("WRITEV", H(ends[0]), X(iov, 32), F(2)) == 7);
	put_iov(iov, first, 4);
	put_iov(iov + 16, second, 8);
	CHECK(EZA("READV", H(ends[1]), X(iov, 32), F(2)) == 7);
	CHECK(!memcmp(first, "abcd", 4) && !memcmp(second, "efg", 3));
	BAD(EZA("READV", H(ends[1]), X(iov, 32), F(0)), EINVAL_);
	BAD(EZA("READV", H(ends[1]), X(iov, 32), F(121)), EINVAL_);
	BAD(EZA("WRITEV", H(ends[1]), X(nowhere, 32), F(1)), EFAULT_);
	close_pair(ends);

	/* Datagrams, by messages. */
	s = make_socket(2);
	t = make_socket(2);
	GOOD(EZA("BIND", H(s), loopback(to, 0)));
	port = port_of(s);
	loopback(to, port);
	put_iov(iov, "data", 4);
	put_word(count, 1);
	put_word(namelen, family == 19 ? 28 : 16);
	msg[0] = to;
	msg[1] = namelen;
	CHECK(EZA("SENDMSG", H(t), X(msg, 48), F(0)) == 4);
	if (mode != IN_C)
		CHECK(EZA("SENDMSG", H(t), F(0), X(msg, 48)) == 4);
	else
		CHECK(EZA("SENDTO", H(t), F(0), F(4), X("data", 4), loopback(to, port)) == 4);
	put_iov(iov, second, 8);
	msg[0] = from;
	put_word(namelen, 28);
	CHECK(EZA("RECVMSG", H(s), X(msg, 48), F(0)) == 4 && !memcmp(second, "data", 4));
	CHECK(from[1] == family && get_word(namelen) == (family == 19 ? 28 : 16));
	memset(from, 0, sizeof(from));
	CHECK(EZA("RECVFROM", H(s), F(0), F(8), X(second, 8), X(from, 28)) == 4);
	CHECK(from[1] == family && (from[2] || from[3]));
	BAD(EZA("SENDTO", H(t), F(0), F(4), X("data", 4), X(nowhere, 28)), EFAULT_);
	msg[2] = nowhere;
	BAD(EZA("SENDMSG", H(t), X(msg, 48), F(0)), EFAULT_);
	term();
}

static void options(void)
{
	unsigned char linger[8];
	long value, len = 4, s;

	init();
	s = make_socket(1);
	GOOD(EZA("SETSOCKOPT", H(s), F(4), F(1), F(4)));
	value = 0;
	GOOD(EZA("GETSOCKOPT", H(s), F(4), FO(&value), FO(&len)));
	CHECK(value == 1 && len == 4);
	GOOD(EZA("SETSOCKOPT", H(s), F(0x1002), F(20000), F(4)));
	GOOD(EZA("GETSOCKOPT", H(s), F(0x1002), FO(&value), FO(&len)));
	CHECK(value == 20000);
	GOOD(EZA("SETSOCKOPT", H(s), F((int)0x80000001u), F(1), F(4)));
	GOOD(EZA("GETSOCKOPT", H(s), F((int)0x80000001u), FO(&value), FO(&len)));
	CHECK(value == 1);
	put_word(linger, 1);
	put_word(linger + 4, 7);
	GOOD(EZA("SETSOCKOPT", H(s), F(128), X(linger, 8), F(8)));
	memset(linger, 0, 8);
	len = 8;
	GOOD(EZA("GETSOCKOPT", H(s), F(128), X(linger, 8), FO(&len)));
	CHECK(get_word(linger) == 1 && get_word(linger + 4) == 7);
	BAD(EZA("SETSOCKOPT", H(s), F(128), X(linger, 8), F(4)), EINVAL_);
	BAD(EZA("GETSOCKOPT", H(s), F(0x7777), FO(&value), FO(&len)), 1109);
	GOOD(EZA("GETSOCKOPT", H(s), F(0x1008), FO(&value), FO(&len)));
	CHECK(value == 1 && len == 4);
	term();
}

static void interfaces(void)
{
	unsigned char list[320], one[32];
	long s, hostid = EZA_R("GETHOSTID");
	bool found = false;

	GOOD(EZA("SOCKET", F(2), F(1), F(0)));
	s = retcode;
	memset(list, 0xEE, sizeof(list));
	GOOD(EZA("IOCTL", H(s), F((int)0xC008A714u), F(320), X(list, 320)));
	/* The addresses of the instance are there, among them the host id. */
	for (int i = 0; i < 320; i += 32) {
		if (!list[i])
			continue;
		CHECK(list[i + 16] == 0 && list[i + 17] == 2);
		GOOD(EZA("IOCTL", H(s), F((int)0xC020A70Du), X(list + i, 32), X(one, 32)));
		/* An interface may have two addresses, of which this is the first. */
		CHECK(!memcmp(one, list + i, 20));
		found |= (long)(int32_t)ntohl(*(uint32_t *)(void *)(list + i + 20)) == hostid;
	}
	CHECK(found);
	BAD(EZA("IOCTL", H(s), F((int)0xC020A70Du), X("none            ", 16), X(one, 32)), 128);
	BAD(EZA("IOCTL", H(s), F((int)0xC020A70Du), X(list, 32), X(nowhere, 32)), EFAULT_);
	BAD(EZA("IOCTL", H(s), F((int)0xC008A714u), F(-1), X(list, 320)), EINVAL_);
	term();
}

static void names(void)
{
	unsigned char four[4] = {10, 0, 0, 1}, six[16] = {0}, out[16];
	char text[46], host[64];
	long len = 45, namelen = 64;

	init();
	memset(text, '#', sizeof(text));
	GOOD(EZA("NTOP", F(2), X(four, 4), X(text, 45), HO(&len)));
	CHECK(len == 8 && !memcmp(text, "10.0.0.1  ", 10) && text[44] == ' ' && text[45] == '#');
	/* As a number, in whichever order. */
	len = 45;
	if (mode != IN_C)
		GOOD(EZA("NTOP", F(2), F(0x0A000002), X(text, 45), HO(&len)));
	CHECK(mode == IN_C || !memcmp(text, "10.0.0.2 ", 9));
	six[15] = 1;
	len = 45;
	GOOD(EZA("NTOP", F(19), X(six, 16), X(text, 45), HO(&len)));
	CHECK(len == 3 && !memcmp(text, "::1 ", 4));
	len = 3;
	BAD(EZA("NTOP", F(2), X(four, 4), X(text, 45), HO(&len)), 133);
	BAD(EZA("NTOP", F(10), X(six, 16), X(text, 45), HO(&len)), 1114);
	GOOD(EZA("PTON", F(2), X("10.0.0.1       ", 15), H(15), X(out, 16)));
	CHECK(!memcmp(out, four, 4));
	GOOD(EZA("PTON", F(19), X("::1", 3), H(3), X(out, 16)));
	CHECK(!memcmp(out, six, 16));
	BAD(EZA("PTON", F(2), X("10.0.0.300", 10), H(10), X(out, 16)), EINVAL_);
	GOOD(EZA("GETHOSTNAME", FO(&namelen), X(host, 64)));
	CHECK(namelen > 0 && namelen < 64 && host[namelen] == ' ' && host[0] != ' ');
	namelen = 23;
	BAD(EZA("GETHOSTNAME", FO(&namelen), X(host, 64)), EINVAL_);
	CHECK(EZA_R("GETHOSTID") == 0x0A000001 || retcode == 0x7F000001);
	term();
}

static void resolver(void)
{
	unsigned char hints[16], *hints_at = hints, name[28];
	char *result = NULL, *next, *at;
	char canon[256], host[40], service[16];
	long canonlen = -1, len = 0, rc;

	init();
	memset(hints, 0, sizeof(hints));
	put_word(hints, 4);
	put_word(hints + 4, (uint32_t)family);
	put_word(hints + 8, 1);
	GOOD(EZA("GETADDRINFO", X(family == 19 ? "::1  " : "127.0.0.1", 5 + (family == 2) * 4),
		 F(family == 19 ? 5 : 9), X("7070", 4), F(4), X(&hints_at, 8), X(&result, 8),
		 FO(&canonlen)));
	CHECK(canonlen == 0 && result);
	fake.nr = 6;
	memset(name, 0, sizeof(name));
	if (result) {
		unsigned char f[2][8];

		CHECK(get_word(result + 4) == (uint32_t)family && get_word(result + 8) == 1);
		fake.type[1] = fake.type[5] = mode == COMP5 ? TYPE_COMP5 : TYPE_BINARY;
		fake.size[0] = fake.size[3] = fake.size[4] = 8;
		fake.size[1] = fake.size[5] = 4;
		fake.size[2] = 256;
		CHECK(EZACIC09(&result, f[0], canon, &at, &next, f[1]) == 0);
		rc = decode(f[1], 4);
		len = decode(f[0], 4);
		CHECK(rc == 0 && len == (family == 19 ? 28 : 16) && !next);
		memcpy(name, at, (size_t)len);
		CHECK(name[0] == 0 && name[1] == family && name[2] == 7070 >> 8);
	}
	GOOD(EZA("GETNAMEINFO", X(name, 28), F(len), X(host, 40), F(40), X(service, 16), F(16),
		 F(2 | 8)));
	CHECK(!strcmp(host, family == 19 ? "::1" : "127.0.0.1") && !strcmp(service, "7070"));
	BAD(EZA("GETNAMEINFO", X(name, 28), F(len), X(host, 40), F(2), X(service, 16), F(16),
		F(2 | 8)),
	    4);
	GOOD(EZA("FREEADDRINFO", X(&result, 8)));
	BAD(EZA("FREEADDRINFO", X(&result, 8)), EINVAL_);
	put_word(hints, 4096);
	BAD(EZA("GETADDRINFO", X("127.0.0.1", 9), F(9), OMITTED, F(0), X(&hints_at, 8),
		X(&result, 8), FO(&canonlen)),
	    7);
	hints_at = nowhere;
	BAD(EZA("GETADDRINFO", X("127.0.0.1", 9), F(9), OMITTED, F(0), X(&hints_at, 8),
		X(&result, 8), FO(&canonlen)),
	    EFAULT_);
	BAD(EZA("GETADDRINFO", X("127.0.0.1", 9), F(-9), OMITTED, F(0), OMITTED, X(&result, 8),
		FO(&canonlen)),
	    EINVAL_);
	term();
}

static void hosts(void)
{
	unsigned char four[4] = {127, 0, 0, 1};
	struct hostent *host = NULL;
	/* The host may have no /etc/hosts. */
	long found = gethostbyaddr(four, sizeof(four), AF_INET) ? 0 : -1;

	init();
	CHECK(EZA_R("GETHOSTBYNAME", F(9), X("127.0.0.1", 9), X(&host, 8)) == 0 && host);
	CHECK(EZA_R("GETHOSTBYNAME", F(0), X("127.0.0.1", 9), X(&host, 8)) == -1);
	CHECK(EZA_R("GETHOSTBYNAME", F(20), X("no.such.host.invalid", 20), X(&host, 8)) == -1);
	CHECK(!host);
	CHECK(EZA_R("GETHOSTBYADDR", X(four, 4), X(nowhere, 8)) == -1);
	CHECK(EZA_R("GETHOSTBYADDR", X(four, 4), X(&host, 8)) == found && !host == (found < 0));
	CHECK(found < 0 || (host && host->h_length == 4 && !memcmp(host->h_addr_list[0], four, 4)));
	if (mode != IN_C)
		CHECK(EZA_R("GETHOSTBYADDR", F(0x7F000001), X(&host, 8)) == found);
	if (mode != IN_C)
		CHECK(EZA_R("GETHOSTBYADDR", X(four, 4), X(&host, 4)) == -1);
	term();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	mode = !strcmp(argv[1], "c") ? IN_C : !strcmp(argv[1], "comp5") ? COMP5 : BINARY;
	family = !strcmp(argv[2], "6") ? 19 : 2;
	first_calls();
	wrong_lists();
	sockets();
	data();
	vectors();
	options();
	interfaces();
	names();
	resolver();
	hosts();
	return finish();
}
