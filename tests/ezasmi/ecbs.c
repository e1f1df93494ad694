/* SPDX-License-Identifier: Apache-2.0 */
/* ecbs.c - EZASMI with an ECB: it returns at once, and the ECB is posted when the call is over
 *
 *	ecbs FAMILY	4 or 6
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "smi.h"

/* An asynchronous call and its results. */
struct pending {
	struct ezasmi_ecb ecb;
	int error, retcode;
};

#define START(pending, type, ...)                                                                  \
	do {                                                                                       \
		(pending)->error = (pending)->retcode = 0x7777;                                    \
		CHECK(EZASMI(type, .ECB = &(pending)->ecb, .RETCODE = &(pending)->retcode,         \
			     .ERRNO = &(pending)->error __VA_OPT__(, ) __VA_ARGS__) == 0);         \
	} while (0)

/* It goes on. */
#define IS_OUT(pending) CHECK(!EZASMI_POSTED(&(pending)->ecb))

static int result(struct pending *pending)
{
	void *ecbs[] = {&pending->ecb};
	const unsigned char *bytes = (const unsigned char *)&pending->ecb;

	CHECK(vse_ecb_wait(ecbs, 1, 30000) == 0);
	CHECK(EZASMI_POSTED(&pending->ecb) && bytes[0] == 0x40 && bytes[2] == 0x80);
	errno = pending->error;
	return pending->retcode;
}

#define ENDS(pending, want)       CHECK(result(pending) == (want) && (pending)->error == 0)
#define FAILS_BY(pending, number) CHECK(result(pending) == -1 && (pending)->error == (number))

/* What EZASOKET answers at once, and the errors of CONNECT that the kernel does not have. */
static void documented(void)
{
	struct pending a = {0}, b = {0};
	unsigned char name[28];
	unsigned int port, none;
	char buf[4] = "abc";
	int ends[2], listener, s;

	init();
	make_pair(ends);
	START(&a, READ, .S = &ends[0], .NBYTE = N(0), .BUF = buf);
	ENDS(&a, 0);
	START(&a, RECV, .S = &ends[0], .NBYTE = N(0), .BUF = buf);
	ENDS(&a, 0);
	START(&a, WRITE, .S = &ends[0], .NBYTE = N(0), .BUF = buf);
	ENDS(&a, 0);
	setenv("LFP_ERRNO", "zos", 1);
	START(&a, READ, .S = &ends[0], .NBYTE = N(0), .BUF = buf);
	FAILS_BY(&a, 10159);
	unsetenv("LFP_ERRNO");
	close_pair(ends);

	listener = make_listener(&port);
	START(&a, CONNECT, .S = &listener, .NAME = loopback(name, port));
	FAILS_BY(&a, EOPNOTSUPP_);
	s = make_socket("STREAM");
	START(&a, SEND, .S = &s, .NBYTE = N(3), .BUF = buf);
	FAILS_BY(&a, ENOTCONN_);
	(void)make_bound("STREAM", &none);
	START(&a, CONNECT, .S = &s, .NAME = loopback(name, none));
	FAILS_BY(&a, ECONNREFUSED_);
	START(&b, CONNECT, .S = &s, .NAME = loopback(name, port));
	ENDS(&b, 0);
	START(&a, CONNECT, .S = &s, .NAME = loopback(name, port));
	FAILS_BY(&a, EISCONN_);
	START(&a, SEND, .S = &s, .NBYTE = N(3), .BUF = buf);
	ENDS(&a, 3);
	term();
}

/* Each type that waits does so with an ECB alone. */
static void each_type(void)
{
	struct pending a = {0}, b = {0};
	unsigned char name[28], peer[32];
	struct {
		const void *at;
		unsigned int unused, len;
	} iov[1];
	void *msg[6] = {NULL, NULL, iov, N(1), NULL, NULL};
	char buf[8], far[8];
	unsigned int port, mask, back = 7;
	int listener, ends[2], s;

	init();
	listener = make_listener(&port);
	memset(peer, 0xEE, sizeof(peer));
	START(&a, ACCEPT, .S = &listener, .NAME = peer, .NS = N(60));
	IS_OUT(&a);
	/* Its area is in use. */
	BAD(ECONFLICT_, GETHOSTID, .ECB = &a.ecb);
	ends[0] = make_socket("STREAM");
	START(&b, CONNECT, .S = &ends[0], .NAME = loopback(name, port));
	ENDS(&b, 0);
	ENDS(&a, 60);
	CHECK(peer[1] == family && peer[31] == 0xEE);
	ends[1] = 60;

	START(&a, READ, .S = &ends[1], .NBYTE = N(8), .BUF = buf);
	IS_OUT(&a);
	START(&b, WRITE, .S = &ends[0], .NBYTE = N(3), .BUF = (char[]){"abc"});
	ENDS(&b, 3);
	ENDS(&a, 3);
	START(&a, RECV, .S = &ends[1], .NBYTE = N(8), .BUF = buf);
	IS_OUT(&a);
	START(&b, SEND, .S = &ends[0], .NBYTE = N(4), .BUF = (char[]){"defg"});
	ENDS(&b, 4);
	ENDS(&a, 4);
	CHECK(!memcmp(buf, "defg", 4));
	START(&a, RECVFROM, .S = &ends[1], .NBYTE = N(8), .BUF = buf, .NAME = peer);
	IS_OUT(&a);
	iov[0].at = "hi", iov[0].len = 2;
	START(&b, WRITEV, .S = &ends[0], .IOV = iov, .IOVCNT = N(1));
	ENDS(&b, 2);
	ENDS(&a, 2);
	iov[0].at = far, iov[0].len = 8;
	START(&a, READV, .S = &ends[1], .IOV = iov, .IOVCNT = N(1));
	IS_OUT(&a);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(1), .BUF = (char[]){"x"}) == 1);
	ENDS(&a, 1);
	START(&a, RECVMSG, .S = &ends[1], .MSG = msg);
	IS_OUT(&a);
	iov[0].len = 1;
	START(&b, SENDMSG, .S = &ends[0], .MSG = msg);
	ENDS(&b, 1);
	ENDS(&a, 1);

	mask = 1u << ends[0];
	START(&a, SELECT, .MAXSOC = N(32), .RSNDMSK = &mask, .RRETMSK = &mask, .WRETMSK = &back);
	IS_OUT(&a);
	START(&b, SELECTEX, .MAXSOC = N(0), .SELECB = &a.ecb);
	IS_OUT(&b);
	CHECK(SMI(SEND, .S = &ends[1], .NBYTE = N(1), .BUF = (char[]){"x"}) == 1);
	ENDS(&a, 1);
	CHECK(mask == 1u << ends[0] && back == 0);
	/* Which is what the other one waits for. */
	ENDS(&b, 0);
	START(&a, SELECT, .TIMEOUT = (int[]){0, 20000});
	ENDS(&a, 0);
	START(&a, SELECT, .TIMEOUT = (int[]){0, -1});
	FAILS_BY(&a, EINVAL_);
	START(&a, SELECT, .MAXSOC = N(64), .RSNDMSK = nowhere);
	FAILS_BY(&a, EFAULT_);

	/* A request that never waits has ended when the call returns. */
	START(&a, SOCKET, .AF = af, .SOCTYPE = "DATAGRAM");
	CHECK(EZASMI_POSTED(&a.ecb));
	s = result(&a);
	CHECK(s >= 0);
	START(&a, SENDTO, .S = &s, .NBYTE = N(1), .BUF = buf, .NAME = loopback(name, 9));
	ENDS(&a, 1);
	START(&a, SHUTDOWN, .S = &ends[0], .HOW = N(1));
	ENDS(&a, 0);
	START(&a, READ, .S = &ends[1], .NBYTE = N(8), .BUF = buf);
	ENDS(&a, 0);
	START(&a, CLOSE, .S = &s);
	ENDS(&a, 0);

	/* Errors come by the ECB, too. */
	START(&a, READ, .S = N(99), .NBYTE = N(8), .BUF = buf);
	FAILS_BY(&a, EBADF_);
	START(&a, NOSUCHTYPE);
	FAILS_BY(&a, EBADCALL_);
	close_pair(ends);
	close_socket(listener);
	s = make_socket("STREAM");
	START(&a, CONNECT, .S = &s, .NAME = loopback(name, port));
	FAILS_BY(&a, ECONNREFUSED_);
	term();
	START(&a, READ, .S = N(0), .NBYTE = N(8), .BUF = buf);
	FAILS_BY(&a, EBADCALL_);
}

/* Areas that cannot be used: then RETCODE says so, and nothing is posted. */
static void areas(void)
{
	static unsigned int area[EZASMI_ECB / 4 + 1];

	init();
	CHECK(SMI(GETHOSTID, .ECB = (char *)area + 1) == -1 && error == EINVAL_);
	CHECK(SMI(GETHOSTID, .ECB = nowhere) == -1 && (error == EINVAL_ || error == EFAULT_));
	CHECK(SMI(GETHOSTID, .ECB = (void *)4096) == -1 && error == EFAULT_);
	CHECK(EZASMI(GETHOSTID, .ECB = area) == 0 && area[0]);
	for (int i = 1; i < EZASMI_ECB / 4 + 1; i++)
		CHECK(area[i] == 0);
	term();
}

/* Completions in every order: four connections, each permutation of senders. */
static void every_order(void)
{
	enum { NR = 4 };
	struct pending pending[NR] = {{{0}, 0, 0}};
	void *ecbs[NR];
	int ends[NR][2];
	char buf[NR];

	init();
	for (int i = 0; i < NR; i++) {
		make_pair(ends[i]);
		ecbs[i] = &pending[i].ecb;
	}
	for (int code = 0; code < NR * NR * NR * NR; code++) {
		int order[NR], seen = 0;

		for (int i = 0, rest = code; i < NR; i++, rest /= NR) {
			order[i] = rest % NR;
			seen |= 1 << order[i];
		}
		if (seen != (1 << NR) - 1)
			continue;
		for (int i = 0; i < NR; i++)
			START(&pending[i], READ, .S = &ends[i][1], .NBYTE = N(1), .BUF = &buf[i]);
		for (int i = 0; i < NR; i++) {
			int at = order[i];
			char sent = (char)('a' + code % 16 + at);

			IS_OUT(&pending[at]);
			CHECK(SMI(SEND, .S = &ends[at][0], .NBYTE = N(1), .BUF = &sent) == 1);
			CHECK(vse_ecb_wait(ecbs, NR, 30000) == at);
			ENDS(&pending[at], 1);
			CHECK(buf[at] == sent);
			pending[at].ecb.ecb = 0;
		}
	}
	term();
}

/* Several on one socket: in the order of the calls, each direction by itself. */
static void one_socket(void)
{
	enum { NR = 5 };
	struct pending pending[NR] = {{{0}, 0, 0}}, out = {0};
	char buf[NR] = "", big[4096];
	int ends[2];

	init();
	make_pair(ends);
	for (int i = 0; i < NR; i++)
		START(&pending[i], READ, .S = &ends[1], .NBYTE = N(1), .BUF = &buf[i]);
	START(&out, SEND, .S = &ends[1], .NBYTE = N(3), .BUF = (char[]){"out"});
	ENDS(&out, 3);
	for (int i = 0; i < NR; i++)
		IS_OUT(&pending[i]);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(2), .BUF = (char[]){"ab"}) == 2);
	ENDS(&pending[1], 1);
	ENDS(&pending[0], 1);
	IS_OUT(&pending[2]);
	/* One in the middle is cancelled. */
	GOOD(CANCEL, .CALAREA = &pending[3].ecb);
	FAILS_BY(&pending[3], ECANCELED_);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(2), .BUF = (char[]){"cd"}) == 2);
	ENDS(&pending[4], 1);
	ENDS(&pending[2], 1);
	CHECK(buf[0] == 'a' && buf[1] == 'b' && buf[2] == 'c' && buf[3] == 0 && buf[4] == 'd');

	/* The peer does not read: SEND waits until it does. */
	memset(big, 'x', sizeof(big));
	GOOD(FCNTL, .S = &ends[0], .COMMAND = "F_SETFL", .REQARG = N(4));
	while (SMI(SEND, .S = &ends[0], .NBYTE = N(4096), .BUF = big) > 0)
		continue;
	CHECK(error == EWOULDBLOCK_);
	/* Buffers on the way take some of the data. */
	do
		START(&out, SEND, .S = &ends[0], .NBYTE = N(4096), .BUF = big);
	while (vse_ecb_wait((void *[]){&out.ecb}, 1, 200) == 0 || EZASMI_POSTED(&out.ecb));
	/* The peer may read all data before the ECB is posted, so no READ may wait for more. */
	GOOD(FCNTL, .S = &ends[1], .COMMAND = "F_SETFL", .REQARG = N(4));
	while (vse_ecb_wait((void *[]){&out.ecb}, 1, 10) < 0) {
		while (SMI(READ, .S = &ends[1], .NBYTE = N(4096), .BUF = big) > 0)
			continue;
		CHECK(error == EWOULDBLOCK_);
	}
	CHECK(result(&out) > 0);
	term();
}

static void *post(void *ecb)
{
	usleep(20000);
	vse_ecb_post(ecb);
	return NULL;
}

static void *store(void *ecb)
{
	usleep(20000);
	__atomic_store_n((unsigned int *)ecb, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* ECBs of calls together with the program's own. */
static void other_work(void)
{
	static unsigned int own;
	struct pending read = {0};
	void *ecbs[3] = {NULL, &read.ecb, &own};
	pthread_t thread;
	int ends[2];
	char buf[4];

	init();
	make_pair(ends);
	START(&read, READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf);
	errno = 0;
	CHECK(vse_ecb_wait(ecbs, 3, 0) == -1 && errno == ETIMEDOUT);
	CHECK(vse_ecb_wait(ecbs, 3, 30) == -1 && errno == ETIMEDOUT);
	for (int i = 0; i < 2; i++) {
		own = 0;
		CHECK(!pthread_create(&thread, NULL, i ? store : post, &own));
		CHECK(vse_ecb_wait(ecbs, 3, i ? -1 : 30000) == 2);
		pthread_join(thread, NULL);
	}
	own = 0;
	CHECK(!pthread_create(&thread, NULL, post, &own));
	CHECK(SMI(SELECTEX, .SELECBLIST = (void *[]){&read.ecb, &own, NULL}) == 0 && own);
	pthread_join(thread, NULL);
	IS_OUT(&read);
	own = 0;
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(1), .BUF = (char[]){"x"}) == 1);
	CHECK(SMI(SELECTEX, .SELECBLIST = (void *[]){&own, &read.ecb, NULL}) == 0);
	ENDS(&read, 1);
	CHECK(vse_ecb_wait(ecbs, 3, 0) == 1);
	CHECK(vse_ecb_wait(ecbs, 0, 0) == -1 && errno == EINVAL);
	CHECK(vse_ecb_wait(nowhere, 3, 0) == -1 && errno == EFAULT);
	ecbs[0] = (char *)&own + 1;
	CHECK(vse_ecb_wait(ecbs, 3, 0) == -1 && errno == EINVAL);
	term();
}

/* CANCEL, and other ends of a call: CLOSE, TERMAPI, the end of the task. */
static void ending(void)
{
	struct pending a = {0}, b = {0}, c = {0};
	unsigned char name[28], client[40];
	unsigned int port;
	int ends[2], listener, one, two;
	char buf[4] = "";

	init();
	make_pair(ends);
	listener = make_listener(&port);
	START(&a, READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf);
	START(&b, ACCEPT, .S = &listener, .NAME = name);
	START(&c, SELECTEX, .TIMEOUT = (int[]){-1, 0});
	IS_OUT(&c);
	GOOD(CANCEL, .CALAREA = &c.ecb);
	FAILS_BY(&c, ECANCELED_);
	BAD(EINVAL_, CANCEL, .CALAREA = &c.ecb);
	BAD(EINVAL_, CANCEL, .CALAREA = nowhere);
	BAD(EBADPARM_, CANCEL);
	START(&c, CANCEL, .CALAREA = &b.ecb);
	ENDS(&c, 0);
	FAILS_BY(&b, ECANCELED_);
	/* A cancelled call has moved nothing. */
	GOOD(CANCEL, .CALAREA = &a.ecb);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(2), .BUF = (char[]){"hi"}) == 2);
	CHECK(SMI(READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf) == 2 && buf[0] == 'h');

	START(&a, READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf);
	memset(client, ' ', sizeof(client));
	memcpy(client, &family, 4);
	BAD(ECONFLICT_, GIVESOCKET, .S = &ends[1], .CLIENT = client);
	IS_OUT(&a);
	START(&b, READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf);
	START(&c, READ, .S = &ends[0], .NBYTE = N(4), .BUF = buf);
	close_socket(ends[1]);
	CHECK(EZASMI_POSTED(&a.ecb) && EZASMI_POSTED(&b.ecb));
	FAILS_BY(&a, ECANCELED_);
	FAILS_BY(&b, ECANCELED_);
	/* The other end sees the end of the connection. */
	ENDS(&c, 0);
	START(&a, ACCEPT, .S = &listener, .NAME = name);
	START(&b, SELECT, .TIMEOUT = (int[]){-1, 0});
	term();
	CHECK(EZASMI_POSTED(&a.ecb) && EZASMI_POSTED(&b.ecb));
	FAILS_BY(&a, ECANCELED_);
	FAILS_BY(&b, ECANCELED_);

	CHECK(vse_true_start() == 0);
	one = vse_task_begin("ONE");
	init();
	make_pair(ends);
	START(&a, READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf);
	two = vse_task_begin("TWO");
	init();
	/* Another task's call is not to be cancelled. */
	BAD(EINVAL_, CANCEL, .CALAREA = &a.ecb);
	IS_OUT(&a);
	listener = make_listener(&port);
	START(&b, ACCEPT, .S = &listener, .NAME = name);
	CHECK(vse_task_end(one) == 0);
	FAILS_BY(&a, ECANCELED_);
	IS_OUT(&b);
	CHECK(vse_task_end(two) == 0);
	FAILS_BY(&b, ECANCELED_);
	CHECK(vse_true_stop() == 0);
}

/* Pending calls do not belong to a forked child, which can make calls of its own. */
static void forking(void)
{
	struct pending a = {0}, b = {0};
	int ends[2], status = -1;
	char buf[4];

	init();
	make_pair(ends);
	START(&a, READ, .S = &ends[1], .NBYTE = N(4), .BUF = buf);
	if (!fork()) {
		failures = 0;
#ifdef __SANITIZE_THREAD__
		_exit(0); /* it forbids threads here */
#endif
		START(&b, READ, .S = &ends[0], .NBYTE = N(4), .BUF = buf);
		CHECK(SMI(SEND, .S = &ends[1], .NBYTE = N(1), .BUF = (char[]){"y"}) == 1);
		ENDS(&b, 1);
		_exit(failures != 0);
	}
	CHECK(wait(&status) > 0 && status == 0);
	IS_OUT(&a);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(1), .BUF = (char[]){"x"}) == 1);
	ENDS(&a, 1);
	term();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 64;
	set_family(argv[1]);
	documented();
	each_type();
	areas();
	every_order();
	one_socket();
	other_work();
	ending();
	forking();
	return finish();
}
