/* SPDX-License-Identifier: Apache-2.0 */
/* errors.c - errors that IBM documents and the kernel does not have: calls without bytes, sockets
 * that are not connected, connecting again
 *
 *	errors MODE FAMILY	binary, comp5 or c; 4 or 6
 */
#include "eza.h"

enum {
	EINVAL_ = 121,
	EPIPE_ = 140,
	EINPROGRESS_ = 1103,
	EALREADY_ = 1104,
	EPROTONOSUPPORT_ = 1110,
	EOPNOTSUPP_ = 1112,
	ENETUNREACH_ = 1118,
	ECONNRESET_ = 1121,
	EISCONN_ = 1123,
	ENOTCONN_ = 1124,
	ECONNREFUSED_ = 1128,
	EHOSTUNREACH_ = 1130,
};

/* A loop over the bytes that are left ends with such a call. */
static void no_bytes(void)
{
	unsigned char name[28], iov[16] = {0};
	char buf[4] = "abc";
	long ends[2], s;

	init();
	make_pair(ends);
	GOOD(EZA("READ", H(ends[0]), F(0), X(buf, 4)));
	CHECK(retcode == 0);
	GOOD(EZA("RECV", H(ends[0]), F(0), F(0), X(buf, 4)));
	CHECK(retcode == 0);
	GOOD(EZA("RECVFROM", H(ends[0]), F(0), F(0), X(buf, 4), X(name, 28)));
	CHECK(retcode == 0);
	GOOD(EZA("WRITE", H(ends[0]), F(0), X(buf, 4)));
	CHECK(retcode == 0);
	GOOD(EZA("SEND", H(ends[0]), F(0), F(0), X(buf, 4)));
	CHECK(retcode == 0);
	GOOD(EZA("READV", H(ends[0]), X(iov, 16), F(1)));
	CHECK(retcode == 0);
	GOOD(EZA("WRITEV", H(ends[0]), X(iov, 16), F(1)));
	CHECK(retcode == 0);
	/* Data that is there stays. */
	CHECK(EZA("SEND", H(ends[1]), F(0), F(3), X("abc", 3)) == 3);
	GOOD(EZA("READ", H(ends[0]), F(0), X(buf, 4)));
	CHECK(retcode == 0 && EZA("READ", H(ends[0]), F(4), X(buf, 4)) == 3);
	setenv("LFP_ERRNO", "zos", 1);
	BAD(EZA("READ", H(ends[0]), F(0), X(buf, 4)), 10159);
	BAD(EZA("RECV", H(ends[0]), F(0), F(0), X(buf, 4)), 10163);
	BAD(EZA("RECVFROM", H(ends[0]), F(0), F(0), X(buf, 4), X(name, 28)), 10163);
	BAD(EZA("WRITE", H(ends[0]), F(0), X(buf, 4)), 10184);
	BAD(EZA("SEND", H(ends[0]), F(0), F(0), X(buf, 4)), 10170);
	s = make_socket(2);
	BAD(EZA("SENDTO", H(s), F(0), F(0), X(buf, 4), loopback(name, 9)), 10174);
	unsetenv("LFP_ERRNO");
	GOOD(EZA("SENDTO", H(s), F(0), F(0), X(buf, 4), loopback(name, 9)));
	CHECK(retcode == 0);
	close_pair(ends);
	term();
}

static void never_connected(void)
{
	unsigned char iov[16];
	const void *text = "text";
	unsigned int port;
	long s, listener, ends[2];

	init();
	s = make_socket(1);
	listener = make_listener(&port);
	memcpy(iov, &text, sizeof(text));
	put_word(iov + 12, 4);
	for (int i = 0; i < 2; i++) {
		long of = i ? listener : s;

		BAD(EZA("SEND", H(of), F(0), F(4), X("text", 4)), ENOTCONN_);
		BAD(EZA("WRITE", H(of), F(4), X("text", 4)), ENOTCONN_);
		BAD(EZA("WRITEV", H(of), X(iov, 16), F(1)), ENOTCONN_);
		BAD(EZA("READ", H(of), F(4), X(iov, 4)), ENOTCONN_);
	}
	make_pair(ends);
	GOOD(EZA("SHUTDOWN", H(ends[0]), F(1)));
	BAD(EZA("SEND", H(ends[0]), F(0), F(4), X("text", 4)), EPIPE_);
	GOOD(EZA("SHUTDOWN", H(ends[1]), F(1)));
	BAD(EZA("SEND", H(ends[1]), F(0), F(4), X("text", 4)), EPIPE_);
	close_pair(ends);
	term();
}

/* Waits until S can be written to. */
static void wait_written(long s)
{
	unsigned char timeout[8] = {0};
	long mask = 1L << s;

	put_word(timeout, 30);
	CHECK(EZA("SELECT", F(32), X(timeout, 8), OMITTED, F(mask), OMITTED, OMITTED, FO(&mask),
		  OMITTED) == 1);
}

static void connecting(void)
{
	unsigned char name[28];
	unsigned int port, none;
	long listener, s, value, len = 4;

	init();
	listener = make_listener(&port);
	BAD(EZA("CONNECT", H(listener), loopback(name, port)), EOPNOTSUPP_);
	s = make_socket(1);
	GOOD(EZA("CONNECT", H(s), loopback(name, port)));
	BAD(EZA("CONNECT", H(s), loopback(name, port)), EISCONN_);
	GOOD(EZA("CLOSE", H(s)));

	/* "The completion cannot be checked by issuing a second CONNECT" */
	s = make_socket(1);
	GOOD(EZA("FCNTL", H(s), F(4), F(4)));
	BAD(EZA("CONNECT", H(s), loopback(name, port)), EINPROGRESS_);
	wait_written(s);
	BAD(EZA("CONNECT", H(s), loopback(name, port)), EISCONN_);
	BAD(EZA("CONNECT", H(s), loopback(name, port)), EISCONN_);
	CHECK(EZA("SEND", H(s), F(0), F(4), X("text", 4)) == 4);
	GOOD(EZA("CLOSE", H(s)));

	/* Refused, and connected to one that listens, with SO_ERROR read in between or not. */
	none = make_unheard();
	for (int reads = 0; reads < 2; reads++) {
		s = make_socket(1);
		GOOD(EZA("FCNTL", H(s), F(4), F(4)));
		BAD(EZA("CONNECT", H(s), loopback(name, none)), EINPROGRESS_);
		wait_written(s);
		if (reads) {
			GOOD(EZA("GETSOCKOPT", H(s), F(0x1007), FO(&value), FO(&len)));
			CHECK(value == ECONNREFUSED_);
		} else {
			BAD(EZA("CONNECT", H(s), loopback(name, none)), ECONNREFUSED_);
		}
		BAD(EZA("CONNECT", H(s), loopback(name, port)), EINPROGRESS_);
		wait_written(s);
		BAD(EZA("CONNECT", H(s), loopback(name, port)), EISCONN_);
		GOOD(EZA("CLOSE", H(s)));
	}
	s = make_socket(1);
	BAD(EZA("CONNECT", H(s), loopback(name, none)), ECONNREFUSED_);
	BAD(EZA("CONNECT", H(s), loopback(name, none)), ECONNREFUSED_);
	BAD(EZA("SEND", H(s), F(0), F(4), X("text", 4)), ENOTCONN_);
	GOOD(EZA("CONNECT", H(s), loopback(name, port)));
	CHECK(EZA("SEND", H(s), F(0), F(4), X("text", 4)) == 4);
	term();
}

/* A connection that CONNECT did not wait for has ended: the socket was connected. */
static void ended(void)
{
	unsigned char name[28], linger[8] = {0};
	unsigned int port;
	long listener, s, peer;

	init();
	listener = make_listener(&port);
	s = make_socket(1);
	GOOD(EZA("FCNTL", H(s), F(4), F(4)));
	BAD(EZA("CONNECT", H(s), loopback(name, port)), EINPROGRESS_);
	wait_written(s);
	GOOD(EZA("ACCEPT", H(listener), X(name, 28)));
	peer = retcode;
	GOOD(EZA("FCNTL", H(s), F(4), F(0)));
	put_word(linger, 1);
	GOOD(EZA("SETSOCKOPT", H(peer), F(128), X(linger, 8), F(8)));
	GOOD(EZA("CLOSE", H(peer)));
	/* Waits for the reset. */
	BAD(EZA("READ", H(s), F(4), X(name, 4)), ECONNRESET_);
	BAD(EZA("SEND", H(s), F(0), F(4), X("text", 4)), EPIPE_);
	term();
}

/* Nobody answers at an address of the network for documentation. */
static void pending(void)
{
	unsigned char name[28];
	long s;

	if (family != 2)
		return;
	init();
	s = make_socket(1);
	GOOD(EZA("FCNTL", H(s), F(4), F(4)));
	loopback(name, 9);
	memcpy(name + 4, "\xC0\x00\x02\x01", 4);
	EZA("CONNECT", H(s), X(name, 16));
	/* A host without a route answers at once. */
	CHECK(error == EINPROGRESS_ || error == ENETUNREACH_ || error == EHOSTUNREACH_);
	if (error == EINPROGRESS_) {
		BAD(EZA("CONNECT", H(s), X(name, 16)), EALREADY_);
		/* Also where the socket would wait now. */
		GOOD(EZA("FCNTL", H(s), F(4), F(0)));
		BAD(EZA("CONNECT", H(s), X(name, 16)), EALREADY_);
	}
	term();
}

static void protocols(void)
{
	init();
	BAD(EZA("SOCKET", F(family), F(1), F(1000)), EPROTONOSUPPORT_);
	BAD(EZA("SOCKET", F(family), F(1), F(-1)), EPROTONOSUPPORT_);
	BAD(EZA("SOCKET", F(family), F(1), F(17)), EPROTONOSUPPORT_);
	/* MPTCP of Linux */
	BAD(EZA("SOCKET", F(family), F(1), F(262)), EPROTONOSUPPORT_);
	GOOD(EZA("SOCKET", F(family), F(1), F(6)));
	GOOD(EZA("SOCKET", F(family), F(2), F(17)));
	term();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	mode = !strcmp(argv[1], "c") ? IN_C : !strcmp(argv[1], "comp5") ? COMP5 : BINARY;
	family = !strcmp(argv[2], "6") ? 19 : 2;
	no_bytes();
	never_connected();
	connecting();
	ended();
	pending();
	protocols();
	return finish();
}
