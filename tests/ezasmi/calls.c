/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - each type of EZASMI without an ECB: success, its errors, wrong keywords
 *
 *	calls FAMILY		4 or 6
 *	calls first [TCPNAME]	ERRNO of INITAPI; "0 NN" if it is good, NN from GETIBMOPT
 *	calls tasks		CICS-style tasks, with EZATRUE and without
 */
#include <netdb.h>

#include "smi.h"

static const struct ezasmi *exited;

static void leave(const struct ezasmi *call)
{
	exited = call;
}

static void session(void)
{
	struct ezasmi_task tie;
	struct ezasmi_global global;
	unsigned char client[40];
	int maxsno = -1;

	/* Before INITAPI. */
	BAD(EBADCALL_, LISTEN, .S = N(0), .BACKLOG = N(1));
	BAD(EBADCALL_, CLOSE, .S = N(0));
	BAD(EBADCALL_, CANCEL, .CALAREA = client);
	BAD(EBADCALL_, NOSUCHTYPE, .S = N(0));
	BAD(EBADCALL_, send, .S = N(0));
	CHECK(EZASMI_call("TERMAPI", nowhere) == -1);
	CHECK(EZASMI_call(nowhere, &(struct ezasmi){.RETCODE = &retcode}) == -1 && retcode == -1);
	BAD(EBADCALL_, TERMAPI);
	CHECK(EZASMI(TERMAPI) == -1);
	CHECK(EZASMI(TERMAPI, .RETCODE = nowhere) == -1);
	memset(&tie, 0xFF, sizeof(tie));
	memset(&global, 0xFF, sizeof(global));
	BAD(EBADPARM_, INITAPI, .TASK = &tie);
	GOOD(TASK, .STORAGE = "CSECT", .TASK = &tie);
	GOOD(GLOBAL, .STORAGE = "CSECT", .GLOBAL = &global);
	CHECK(!tie.storage[0] && !tie.storage[255] && !global.storage[255]);
	GOOD(TASK, .STORAGE = "DSECT");
	BAD(EINVAL_, TASK, .STORAGE = "SECT", .TASK = &tie);
	BAD(EBADPARM_, TASK, .STORAGE = "CSECT");
	BAD(EFAULT_, TASK, .STORAGE = "CSECT", .TASK = nowhere);
	GOOD(INITAPI, .MAXSOC = N(80), .MAXSNO = &maxsno, .IDENT = "SOCKET01", .TASK = &tie,
	     .SUBTASK = "TEST", .ERROR = leave);
	CHECK(maxsno == 79 && !exited);
	BAD(1104, INITAPI, .TASK = &tie);
	BAD(EFAULT_, INITAPI, .MAXSOC = nowhere);
	GOOD(GETCLIENTID, .CLIENT = memset(client, 0, 40), .TASK = &tie);
	CHECK(!memcmp(client + 12, "TEST    ", 8));
	tie.storage[0] ^= 1;
	BAD(EBADPARM_, GETCLIENTID, .CLIENT = client, .TASK = &tie);
	tie.storage[0] ^= 1;
	BAD(EFAULT_, GETCLIENTID, .CLIENT = client, .TASK = nowhere);
	BAD(EBADPARM_, GETCLIENTID);
	BAD(EFAULT_, GETCLIENTID, .CLIENT = nowhere);
	GOOD(TERMAPI, .TASK = &tie);
	for (int i = 0; i < EZASMI_TIE; i++)
		CHECK(!tie.storage[i]);
	BAD(EBADCALL_, CLOSE, .S = N(0), .TASK = &tie);
	/* All of it is left out. */
	GOOD(INITAPI);
	term();
	/* SOCKET begins by itself. */
	GOOD(SOCKET, .AF = "2", .SOCTYPE = "0x1", .PROTO = N(6), .TASK = &tie);
	CHECK(retcode == 0 && tie.storage[0] == 'E');
	term();
}

static void sockets(void)
{
	unsigned char name[28], guard[32];
	unsigned int port;
	int listener, ends[2], s, value = 1, len = 4;

	init();
	BAD(1114, SOCKET, .AF = "7", .SOCTYPE = "STREAM");
	BAD(EINVAL_, SOCKET, .AF = "INET7", .SOCTYPE = "STREAM");
	BAD(EINVAL_, SOCKET, .AF = af, .SOCTYPE = "0x1x");
	BAD(EBADPARM_, SOCKET, .AF = af);
	BAD(EFAULT_, SOCKET, .AF = af, .SOCTYPE = nowhere);
	CHECK(SMI(SOCKET, .AF = af, .SOCTYPE = "RAW") == -1);
	/* NS: the descriptor that is wanted. */
	GOOD(SOCKET, .AF = af, .SOCTYPE = "STREAM", .NS = N(70));
	CHECK(retcode == 70);
	BAD(EINUSE_, SOCKET, .AF = af, .SOCTYPE = "STREAM", .NS = N(70));
	BAD(EOUTOFRANGE_, SOCKET, .AF = af, .SOCTYPE = "STREAM", .NS = N(100));
	BAD(EOUTOFRANGE_, SOCKET, .AF = af, .SOCTYPE = "STREAM", .NS = N(-1));
	BAD(EFAULT_, SOCKET, .AF = af, .SOCTYPE = "STREAM", .NS = nowhere);
	close_socket(70);

	listener = make_listener(&port);
	CHECK(listener == 0);
	BAD(EINVAL_, BIND, .S = &listener, .NAME = loopback(name, 0));
	BAD(EBADPARM_, BIND, .S = &listener);
	BAD(EBADPARM_, BIND, .NAME = name);
	BAD(EFAULT_, BIND, .S = nowhere, .NAME = name);
	BAD(EBADF_, BIND, .S = N(9), .NAME = name);
	BAD(EBADF_, BIND2ADDRSEL, .S = N(9), .NAME = name);
	BAD(EBADF_, LISTEN, .S = N(-5), .BACKLOG = N(1));
	BAD(EBADPARM_, LISTEN, .S = &listener);
	ends[0] = make_socket("STREAM");
	GOOD(SETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_KEEPALIVE", .OPTVAL = &value,
	     .OPTLEN = &len);
	value = 7;
	GOOD(GETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_KEEPALIVE", .OPTVAL = &value,
	     .OPTLEN = &len);
	CHECK(value == 1 && len == 4);
	GOOD(GETSOCKOPT, .S = &ends[0], .OPTNAME = "0x1008", .OPTVAL = &value, .OPTLEN = &len);
	CHECK(value == 1);
	BAD(EINVAL_, GETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_KEEP", .OPTVAL = &value,
	    .OPTLEN = &len);
	BAD(1109, SETSOCKOPT, .S = &ends[0], .OPTNAME = "4711", .OPTVAL = &value, .OPTLEN = &len);
	BAD(EINVAL_, SETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_KEEPALIVE", .OPTVAL = &value,
	    .OPTLEN = N(3));
	BAD(EFAULT_, SETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_KEEPALIVE", .OPTVAL = nowhere,
	    .OPTLEN = N(4));

	GOOD(CONNECT, .S = &ends[0], .NAME = loopback(name, port));
	memset(guard, 0xEE, sizeof(guard));
	GOOD(ACCEPT, .S = &listener, .NAME = guard, .NS = N(50));
	ends[1] = retcode;
	CHECK(ends[1] == 50);
	for (int i = family == 2 ? 16 : 28; i < 32; i++)
		CHECK(guard[i] == 0xEE);
	GOOD(GETPEERNAME, .S = &ends[1], .NAME = name);
	CHECK(!memcmp(name, guard, family == 2 ? 16 : 28));
	BAD(1124, GETPEERNAME, .S = &listener, .NAME = name);
	BAD(EFAULT_, GETSOCKNAME, .S = &listener, .NAME = nowhere);
	CHECK(port_of(ends[1]) == port);
	BAD(1123, CONNECT, .S = &ends[0], .NAME = loopback(name, port));
	BAD(EBADPARM_, CONNECT, .S = &ends[0]);

	GOOD(SHUTDOWN, .S = &ends[0], .HOW = N(1));
	BAD(EINVAL_, SHUTDOWN, .S = &ends[0], .HOW = N(3));
	BAD(EBADPARM_, SHUTDOWN, .S = &ends[0]);
	close_pair(ends);
	BAD(EBADF_, CLOSE, .S = &ends[0]);
	close_socket(listener);
	s = make_socket("STREAM");
	BAD(ECONNREFUSED_, CONNECT, .S = &s, .NAME = loopback(name, port));
	term();
}

static void data(void)
{
	struct {
		const void *at;
		unsigned int unused, len;
	} iov[2];
	void *msg[6] = {NULL, NULL, iov, N(2), NULL, NULL};
	unsigned char name[28];
	char buf[32], two[4];
	int ends[2], s, t, n;
	unsigned int port;

	init();
	make_pair(ends);
	CHECK(SMI(SEND, .S = &ends[0], .NBYTE = N(5), .BUF = (char[]){"Hello"}) == 5);
	CHECK(SMI(RECV, .S = &ends[1], .FLAGS = N(2), .NBYTE = N(32), .BUF = buf) == 5);
	CHECK(SMI(RECV, .S = &ends[1], .NBYTE = N(3), .BUF = buf) == 3 && !memcmp(buf, "Hel", 3));
	CHECK(SMI(READ, .S = &ends[1], .NBYTE = N(32), .BUF = buf) == 2 && !memcmp(buf, "lo", 2));
	CHECK(SMI(WRITE, .S = &ends[1], .NBYTE = N(2), .BUF = (char[]){"ab"}) == 2);
	CHECK(SMI(RECVFROM, .S = &ends[0], .NBYTE = N(32), .BUF = buf, .NAME = name) == 2);
	iov[0].at = "abc", iov[0].len = 3;
	iov[1].at = "de", iov[1].len = 2;
	CHECK(SMI(WRITEV, .S = &ends[0], .IOV = iov, .IOVCNT = N(2)) == 5);
	CHECK(SMI(SENDMSG, .S = &ends[0], .MSG = msg) == 5);
	for (n = 0; n != 10;)
		GOOD(IOCTL, .S = &ends[1], .COMMAND = "FIONREAD", .RETARG = &n);
	iov[0].at = buf, iov[0].len = 8;
	iov[1].at = two, iov[1].len = 2;
	CHECK(SMI(READV, .S = &ends[1], .IOV = iov, .IOVCNT = N(1)) == 8);
	CHECK(SMI(RECVMSG, .S = &ends[1], .MSG = msg) == 2 && !memcmp(buf, "de", 2));
	BAD(EINVAL_, READV, .S = &ends[1], .IOV = iov, .IOVCNT = N(121));
	BAD(EFAULT_, WRITEV, .S = &ends[1], .IOV = nowhere, .IOVCNT = N(1));
	BAD(EFAULT_, SENDMSG, .S = &ends[1], .MSG = nowhere);
	BAD(EBADPARM_, RECVMSG, .S = &ends[1]);
	BAD(EINVAL_, SEND, .S = &ends[0], .FLAGS = N(64), .NBYTE = N(1), .BUF = buf);
	BAD(EINVAL_, RECV, .S = &ends[0], .NBYTE = N(-1), .BUF = buf);
	BAD(EBADPARM_, RECV, .S = &ends[0], .NBYTE = N(1));
	BAD(EBADPARM_, SEND, .S = &ends[0], .BUF = buf);
	BAD(EFAULT_, SEND, .S = &ends[0], .NBYTE = nowhere, .BUF = buf);
	BAD(EFAULT_, WRITE, .S = &ends[0], .NBYTE = N(8), .BUF = nowhere);
	BAD(EBADF_, READ, .S = N(99), .NBYTE = N(1), .BUF = buf);

	CHECK(SMI(FCNTL, .S = &ends[0], .COMMAND = "F_GETFL") == 0);
	GOOD(FCNTL, .S = &ends[0], .COMMAND = "F_SETFL", .REQARG = N(4));
	CHECK(SMI(FCNTL, .S = &ends[0], .COMMAND = "3") == 4);
	BAD(EWOULDBLOCK_, READ, .S = &ends[0], .NBYTE = N(1), .BUF = buf);
	GOOD(IOCTL, .S = &ends[0], .COMMAND = "FIONBIO", .REQARG = N(0));
	CHECK(SMI(FCNTL, .S = &ends[0], .COMMAND = "F_GETFL") == 0);
	BAD(EINVAL_, FCNTL, .S = &ends[0], .COMMAND = "F_DUPFD");
	BAD(EINVAL_, IOCTL, .S = &ends[0], .COMMAND = "1");
	CHECK(SMI(SEND, .S = &ends[1], .NBYTE = N(3), .BUF = buf) == 3);
	for (n = 0; n != 3;)
		GOOD(IOCTL, .S = &ends[0], .COMMAND = "FIONREAD", .RETARG = &n);
	close_pair(ends);

	s = make_bound("DATAGRAM", &port);
	t = make_socket("DATAGRAM");
	CHECK(SMI(SENDTO, .S = &t, .NBYTE = N(4), .BUF = (char[]){"data"},
		  .NAME = loopback(name, port)) == 4);
	memset(name, 0, sizeof(name));
	CHECK(SMI(RECVFROM, .S = &s, .NBYTE = N(32), .BUF = buf, .NAME = name) == 4);
	CHECK(name[1] == family && !memcmp(buf, "data", 4));
	BAD(EBADPARM_, SENDTO, .S = &t, .NBYTE = N(4), .BUF = buf);
	BAD(1112, LISTEN, .S = &s, .BACKLOG = N(1));
	term();
}

static void names(void)
{
	unsigned char addr[16], name[28];
	char text[64], host[64], service[16];
	struct hostent *found;
	void *res = NULL;
	int len, hints[5] = {4, 0, 1, 0, 0}, canon = -1;

	init();
	len = 45;
	CHECK(SMI(PTON, .FAMILY = af, .SRCADDR = family == 2 ? "127.0.0.1" : "::1",
		  .DSTADDR = (char *)addr) == 0);
	GOOD(NTOP, .FAMILY = af, .SRCADDR = addr, .DSTADDR = text, .DSTLEN = &len);
	CHECK(len == (family == 2 ? 9 : 3) &&
	      !memcmp(text, family == 2 ? "127.0.0.1" : "::1", (size_t)len));
	BAD(EINVAL_, PTON, .FAMILY = af, .SRCADDR = "1.2.3.x", .DSTADDR = (char *)addr);
	BAD(1114, PTON, .FAMILY = "3", .SRCADDR = "1.2.3.4", .DSTADDR = (char *)addr);
	BAD(EBADPARM_, NTOP, .FAMILY = af, .SRCADDR = addr, .DSTADDR = text);
	BAD(EFAULT_, PTON, .FAMILY = af, .SRCADDR = nowhere, .DSTADDR = (char *)addr);
	BAD(133, NTOP, .FAMILY = af, .SRCADDR = addr, .DSTADDR = text, .DSTLEN = N(2));

	GOOD(GETADDRINFO, .NODE = family == 2 ? "127.0.0.1" : "::1", .SERVICE = (char[]){"7"},
	     .HINTS = hints, .RES = &res, .CANNLEN = &canon);
	CHECK(res && canon == 0);
	GOOD(FREEADDRINFO, .ADDRINFO = res);
	BAD(EINVAL_, FREEADDRINFO, .ADDRINFO = res);
	BAD(EINVAL_, FREEADDRINFO);
	CHECK(SMI(GETADDRINFO, .NODE = "no address", .HINTS = hints, .RES = &res) == -1);
	BAD(EBADPARM_, GETADDRINFO, .NODE = "127.0.0.1");
	BAD(EFAULT_, GETADDRINFO, .NODE = nowhere, .RES = &res);
	loopback(name, 7);
	GOOD(GETNAMEINFO, .NAME = name, .NAMELEN = N(28), .HOST = host, .HOSTLEN = N(64),
	     .SERVICE = service, .SERVLEN = N(16), .FLAGS = N(10));
	CHECK(!strcmp(host, family == 2 ? "127.0.0.1" : "::1") && !strcmp(service, "7"));
	BAD(EINVAL_, GETNAMEINFO, .NAME = name, .NAMELEN = N(3), .HOST = host, .HOSTLEN = N(64));

	len = 64;
	GOOD(GETHOSTNAME, .NAMELEN = &len, .NAME = text);
	CHECK(len > 0 && len <= 64);
	len = 5;
	BAD(EINVAL_, GETHOSTNAME, .NAMELEN = &len, .NAME = text);
	CHECK(SMI(GETHOSTID) != 0x7777 && error == 0);
	GOOD(GETHOSTBYNAME, .NAME = (char[]){"127.0.0.1"}, .HOSTENT = (void **)&found);
	CHECK(found && found->h_length == 4 && !memcmp(found->h_addr_list[0], "\x7f\0\0\1", 4));
	CHECK(SMI(GETHOSTBYADDR, .HOSTADDR = nowhere, .HOSTENT = (void **)&found) == -1);
	(void)SMI(GETHOSTBYADDR, .HOSTADDR = "\x7f\0\0\1", .HOSTENT = (void **)&found);
	CHECK(retcode == (found ? 0 : -1));
	term();
}

static void selecting(void)
{
	unsigned int r = 0, w, e = 0, none = 0;
	char buf[4];
	int ends[2];

	init();
	make_pair(ends);
	w = 1u << ends[1];
	CHECK(SMI(SELECT, .MAXSOC = N(32), .TIMEOUT = (int[]){0, 0}, .WSNDMSK = &w,
		  .WRETMSK = &w) == 1);
	CHECK(w == 1u << ends[1]);
	r = 1u << ends[0];
	CHECK(SMI(SELECT, .MAXSOC = N(32), .TIMEOUT = (int[]){0, 1000}, .RSNDMSK = &r,
		  .RRETMSK = &e) == 0);
	CHECK(e == 0 && r == 1u << ends[0]);
	CHECK(SMI(SEND, .S = &ends[1], .NBYTE = N(1), .BUF = (char[]){"x"}) == 1);
	CHECK(SMI(SELECT, .MAXSOC = N(32), .RSNDMSK = &r, .RRETMSK = &e) == 1 && e == r);
	CHECK(SMI(READ, .S = &ends[0], .NBYTE = N(4), .BUF = buf) == 1);
	/* As a timer, and an ECB that is posted already. */
	CHECK(SMI(SELECTEX, .TIMEOUT = (int[]){0, 1000}) == 0);
	CHECK(SMI(SELECTEX, .SELECB = (unsigned int[]){1}) == 0);
	CHECK(SMI(SELECTEX, .SELECBLIST = (void *[]){&none, (unsigned int[]){1}, NULL}) == 0);
	BAD(EFAULT_, SELECTEX, .SELECB = nowhere);
	BAD(EFAULT_, SELECTEX, .SELECBLIST = (void *[]){&none, nowhere, NULL});
	BAD(EFAULT_, SELECTEX, .SELECBLIST = nowhere);
	BAD(EINVAL_, SELECT, .MAXSOC = N(9000), .TIMEOUT = (int[]){0, 0});
	BAD(EINVAL_, SELECT, .MAXSOC = N(-1), .TIMEOUT = (int[]){0, 0});
	BAD(EINVAL_, SELECT, .TIMEOUT = (int[]){0, 1000000});
	BAD(EFAULT_, SELECT, .MAXSOC = N(32), .TIMEOUT = nowhere);
	r = 1u << 20;
	BAD(EBADF_, SELECT, .MAXSOC = N(32), .RSNDMSK = &r);
	close_pair(ends);
	term();
}

static void giving(void)
{
	unsigned char me[40], any[40];
	unsigned int e, back = 0;
	int ends[2];

	init();
	make_pair(ends);
	memset(me, 0, sizeof(me));
	memcpy(me, &family, 4);
	GOOD(GETCLIENTID, .CLIENT = me);
	memset(any, ' ', sizeof(any));
	memcpy(any, &family, 4);
	BAD(EBADF_, GIVESOCKET, .S = N(77), .CLIENT = any);
	BAD(EBADPARM_, GIVESOCKET, .S = &ends[1]);
	CHECK(SMI(TAKESOCKET, .SOCRECV = &ends[1], .CLIENT = me) == -1);
	GOOD(GIVESOCKET, .S = &ends[1], .CLIENT = any);
	BAD(EBADF_, GIVESOCKET, .S = &ends[1], .CLIENT = any);
	GOOD(TAKESOCKET, .SOCRECV = &ends[1], .CLIENT = me, .NS = N(40));
	CHECK(retcode == 40);
	e = 1u << ends[1];
	CHECK(SMI(SELECT, .MAXSOC = N(32), .ESNDMSK = &e, .ERETMSK = &back) == 1 && back == e);
	close_pair(ends);
	term();
}

static void first(const char *tcpname)
{
	unsigned char buf[88];

	SMI(INITAPI, .IDENT = tcpname, .ERROR = leave);
	/* ERROR= is for a phase that cannot be loaded. */
	CHECK(!!exited == (error == 83));
	printf("%d", error);
	if (!retcode) {
		GOOD(GETIBMOPT, .COMMAND = "1", .BUF = buf);
		printf(" %.2s", buf + 14);
		BAD(EINVAL_, GETIBMOPT, .COMMAND = "2", .BUF = buf);
		term();
	}
	printf("\n");
}

static void tasks(void)
{
	struct ezasmi_task tie = {{0}};
	int one = vse_task_begin("ONE"), two, s;

	CHECK(one > 0);
	BAD(ENOTRUE_, INITAPI, .TASK = &tie);
	BAD(ENOTRUE_, SOCKET, .AF = af, .SOCTYPE = "STREAM");
	CHECK(vse_true_start() == 0);
	GOOD(INITAPI, .TASK = &tie);
	s = make_socket("STREAM");
	CHECK(s == 0);
	two = vse_task_begin("TWO");
	BAD(EBADCALL_, LISTEN, .S = N(0), .BACKLOG = N(1));
	/* Storage and sockets are the other task's. */
	BAD(EBADPARM_, INITAPI, .TASK = &tie);
	GOOD(INITAPI);
	BAD(EBADF_, LISTEN, .S = &s, .BACKLOG = N(1));
	CHECK(vse_task_end(two) == 0 && vse_task_switch(one) == 0);
	GOOD(CLOSE, .S = &s, .TASK = &tie);
	CHECK(vse_true_stop() == 0);
	BAD(ENOTRUE_, SOCKET, .AF = af, .SOCTYPE = "STREAM");
	CHECK(vse_task_end(one) == 0);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 64;
	if (!strcmp(argv[1], "first")) {
		first(argc > 2 ? argv[2] : "");
		return failures != 0;
	}
	if (!strcmp(argv[1], "tasks")) {
		tasks();
		return finish();
	}
	set_family(argv[1]);
	session();
	sockets();
	data();
	names();
	selecting();
	giving();
	return finish();
}
