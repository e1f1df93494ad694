/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - functions of LE/C's sockets, but for those that wait: success, documented errors, wrong
 * arguments
 *
 *	calls FAMILY		4 or 6
 *
 * Sees the LE/C headers and the library alone. Both ends of all connections are its own.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pair.h"

static void layouts(void)
{
	CHECK(AF_INET == 2 && AF_INET6 == 19);
	CHECK(sizeof(struct sockaddr) == 16 && offsetof(struct sockaddr, sa_family) == 1);
	CHECK(sizeof(struct sockaddr_in) == 16 && offsetof(struct sockaddr_in, sin_port) == 2);
	CHECK(offsetof(struct sockaddr_in, sin_addr) == 4);
	CHECK(sizeof(struct sockaddr_in6) == 28 && offsetof(struct sockaddr_in6, sin6_addr) == 8);
	CHECK(offsetof(struct sockaddr_in6, sin6_scope_id) == 24);
	CHECK(sizeof(struct sockaddr_storage) == 128);
	CHECK(sizeof(struct clientid) == 40 && offsetof(struct clientid, subtaskname) == 12);
	CHECK(sizeof(fd_set) == FD_SETSIZE / 8);
	CHECK(EBADF == 113 && EINVAL == 121 && EWOULDBLOCK == 1102 && ECONNREFUSED == 1128);
	CHECK(EWOULDBLOCK != EAGAIN);
}

static void numbers_begin_at_zero(void)
{
	int s[3];

	for (int i = 0; i < 3; i++)
		s[i] = socket(family, SOCK_STREAM, 0);
	CHECK(s[0] == 0 && s[1] == 1 && s[2] == 2);
	CHECK(close(1) == 0);
	CHECK(socket(family, SOCK_DGRAM, 0) == 1);
	for (int i = 0; i < 3; i++)
		CHECK(close(i) == 0);
	FAILS(close(0), EBADF);
	FAILS(close(-1), EBADF);
	FAILS(close(99999), EBADF);
	/* Files are not sockets: the standard output is what it was. */
	CHECK(fflush(stdout) == 0);
}

static void socket_errors(void)
{
	FAILS(socket(10, SOCK_STREAM, 0), EAFNOSUPPORT);
	FAILS(socket(0, SOCK_STREAM, 0), EAFNOSUPPORT);
	FAILS(socket(family, SOCK_RAW, 0), ESOCKTNOSUPPORT);
	FAILS(socket(family, 99, 0), EINVAL);
	FAILS(socket(family, SOCK_STREAM, 17), EPROTONOSUPPORT);
}

static void addresses(void)
{
	union address addr, other;
	unsigned int len = loopback(&addr, 0);
	int s = socket(family, SOCK_STREAM, 0), second = socket(family, SOCK_STREAM, 0);
	size_t size;

	FAILS(bind(s, NULL, len), EFAULT);
	FAILS(bind(s, bad, len), EFAULT);
	FAILS(bind(s, &addr.any, 1), EINVAL);
	FAILS(bind(s, &addr.any, len - 1), EINVAL);
	addr.any.sa_family = 10;
	FAILS(bind(s, &addr.any, len), EAFNOSUPPORT);
	FAILS(bind(99, &addr.any, len), EBADF);
	loopback(&addr, 0);
	addr.any.sa_len = 77; /* not looked at */
	CHECK(bind(s, &addr.any, len) == 0);
	FAILS(bind(s, &addr.any, len), EINVAL);
	loopback(&other, port_of(s));
	FAILS(bind(second, &other.any, len), EADDRINUSE);
	memset(&other, 0xFF, sizeof(other));
	size = sizeof(other);
	CHECK(getsockname(s, &other.any, &size) == 0);
	CHECK(size == len && other.any.sa_len == len && other.any.sa_family == family);
	len = 4;
	memset(&other, 0xFF, sizeof(other));
	CHECK(getsockname(s, &other.any, &len) == 0);
	CHECK(len == size && ((unsigned char *)&other)[4] == 0xFF);
	FAILS(getsockname(s, NULL, &len), EFAULT);
	FAILS(getsockname(s, &other.any, (socklen_t *)bad), EFAULT);
	FAILS(getsockname(99, &other.any, &len), EBADF);
	FAILS(getpeername(s, &other.any, &len), ENOTCONN);
	FAILS(getpeername(99, &other.any, &len), EBADF);
	CHECK(close(s) == 0);
	CHECK(close(second) == 0);
}

static void connections(void)
{
	union address addr;
	in_port_t port;
	int listener = make_listener(&port), s = socket(family, SOCK_STREAM, 0), peer;
	socklen_t len = loopback(&addr, port), got = sizeof(addr);
	struct linger linger = {1, 0};
	char c;

	FAILS(accept(s, NULL, NULL), EINVAL);
	FAILS(accept(99, NULL, NULL), EBADF);
	FAILS(accept(listener, bad, &got), EFAULT);
	FAILS(listen(99, 1), EBADF);
	FAILS(connect(99, &addr.any, len), EBADF);
	FAILS(connect(s, NULL, len), EFAULT);
	FAILS(connect(s, &addr.any, 3), EINVAL);
	FAILS(send(s, "x", 1, 0), ENOTCONN);
	FAILS(connect(listener, &addr.any, len), EOPNOTSUPP);
	FAILS(recv(s, &c, 1, 0), ENOTCONN);
	CHECK(connect(s, &addr.any, len) == 0);
	FAILS(connect(s, &addr.any, len), EISCONN);
	memset(&addr, 0xFF, sizeof(addr));
	peer = accept(listener, &addr.any, &got);
	CHECK(peer >= 0 && got == len && addr.any.sa_len == len && addr.any.sa_family == family);
	CHECK(ntohs(family == AF_INET ? addr.v4.sin_port : addr.v6.sin6_port) == port_of(s));
	FAILS(shutdown(s, 7), EINVAL);
	FAILS(shutdown(99, SHUT_WR), EBADF);
	CHECK(shutdown(s, SHUT_WR) == 0);
	CHECK(recv(peer, &c, 1, 0) == 0);
	FAILS(send(s, "x", 1, 0), EPIPE); /* and no signal */
	CHECK(setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) == 0);
	CHECK(close(peer) == 0);
	FAILS(recv(s, &c, 1, 0), ECONNRESET);
	CHECK(close(s) == 0);
	CHECK(close(listener) == 0);
	listener = bound(&port);
	s = socket(family, SOCK_STREAM, 0);
	loopback(&addr, port);
	FAILS(connect(s, &addr.any, len), ECONNREFUSED);
	CHECK(close(s) == 0);
	CHECK(close(listener) == 0);
}

static void streams(void)
{
	char buf[16] = "", more[16] = "", ab[] = "ab", cde[] = "cde";
	struct iovec out[2] = {{ab, 2}, {cde, 3}}, in[2] = {{buf, 3}, {more, 2}};
	struct msghdr msg = {.msg_iov = out, .msg_iovlen = 2};
	int ends[2], n = -1;

	make_pair(ends);
	CHECK(send(ends[0], "hello", 5, 0) == 5);
	CHECK(recv(ends[1], buf, 5, MSG_PEEK | MSG_WAITALL) == 5);
	CHECK(recv(ends[1], buf, 5, MSG_WAITALL) == 5 && !memcmp(buf, "hello", 5));
	CHECK(write(ends[0], "world", 5) == 5);
	CHECK(recv(ends[1], buf, 1, MSG_WAITALL) == 1);
	CHECK(read(ends[1], buf, 4) > 0);
	CHECK(writev(ends[0], out, 2) == 5);
	CHECK(recv(ends[1], buf, 5, MSG_PEEK | MSG_WAITALL) == 5);
	CHECK(ioctl(ends[1], FIONREAD, &n) == 0 && n == 5);
	CHECK(readv(ends[1], in, 2) == 5 && !memcmp(buf, "abc", 3) && !memcmp(more, "de", 2));
	CHECK(sendmsg(ends[0], &msg, 0) == 5);
	msg = (struct msghdr){.msg_iov = in, .msg_iovlen = 2};
	CHECK(recvmsg(ends[1], &msg, MSG_WAITALL) == 5);
	/* Wrong calls, after which everything is as before. */
	FAILS(send(99, "x", 1, 0), EBADF);
	FAILS(recv(99, buf, 1, 0), EBADF);
	FAILS(send(ends[0], "x", 1, 0x4000), EINVAL);
	FAILS(recv(ends[0], buf, 1, 0x4000), EINVAL);
	FAILS(send(ends[0], bad, 1, 0), EFAULT);
	FAILS(readv(ends[0], in, 0), EINVAL);
	FAILS(writev(ends[0], out, -1), EINVAL);
	FAILS(sendmsg(ends[0], NULL, 0), EFAULT);
	FAILS(recvmsg(ends[0], (struct msghdr *)bad, 0), EFAULT);
	FAILS(write(99, "x", 1), EBADF);
	FAILS(read(99, buf, 1), EBADF);
	CHECK(send(ends[0], "!", 1, 0) == 1);
	CHECK(recv(ends[1], buf, 1, 0) == 1 && *buf == '!');
	CHECK(send(ends[0], "u", 1, MSG_OOB) == 1);
	close_pair(ends);
}

static void datagrams(void)
{
	union address addr, from;
	int a = socket(family, SOCK_DGRAM, 0), b = socket(family, SOCK_DGRAM, 0);
	socklen_t len = loopback(&addr, 0);
	int from_len = sizeof(from);
	char text[] = "datagram";
	struct iovec iov = {text, 8};
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = len, .msg_iov = &iov, .msg_iovlen = 1};
	char buf[32];

	CHECK(bind(b, &addr.any, len) == 0);
	loopback(&addr, port_of(b));
	CHECK(sendto(a, "one", 3, 0, &addr.any, len) == 3);
	CHECK(recvfrom(b, buf, sizeof(buf), 0, &from.any, &from_len) == 3);
	CHECK(from_len == (int)len && from.any.sa_len == len && from.any.sa_family == family);
	CHECK(sendmsg(a, &msg, 0) == 8);
	iov = (struct iovec){buf, 4};
	msg = (struct msghdr){
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1};
	CHECK(recvmsg(b, &msg, 0) == 4);
	CHECK(msg.msg_flags == MSG_TRUNC && msg.msg_namelen == len);
	FAILS(sendto(a, "x", 1, 0, NULL, len), EFAULT);
	FAILS(sendto(a, "x", 1, 0, &addr.any, 3), EINVAL);
	FAILS(sendto(99, "x", 1, 0, &addr.any, len), EBADF);
	FAILS(recvfrom(99, buf, 1, 0, NULL, NULL), EBADF);
	FAILS(listen(a, 1), EOPNOTSUPP);
	FAILS(accept(a, NULL, NULL), EOPNOTSUPP);
	CHECK(connect(a, &addr.any, len) == 0);
	CHECK(write(a, "two", 3) == 3);
	CHECK(read(b, buf, sizeof(buf)) == 3);
	CHECK(close(a) == 0);
	CHECK(close(b) == 0);
}

static void options(void)
{
	int s = socket(family, SOCK_STREAM, 0), value = 1, len = sizeof(value), mute;
	struct linger linger = {1, 7};
	struct timeval time = {2, 500000};
	union address addr;
	in_port_t port;
	socklen_t size = sizeof(linger);

	CHECK(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value)) == 0);
	value = 0;
	CHECK(getsockopt(s, SOL_SOCKET, SO_REUSEADDR, &value, &len) == 0 && value != 0 && len == 4);
	CHECK(getsockopt(s, SOL_SOCKET, SO_TYPE, &value, &len) == 0 && value == SOCK_STREAM);
	value = 32768;
	CHECK(setsockopt(s, SOL_SOCKET, SO_SNDBUF, &value, sizeof(value)) == 0);
	CHECK(getsockopt(s, SOL_SOCKET, SO_SNDBUF, &value, &len) == 0 && value == 32768);
	CHECK(setsockopt(s, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) == 0);
	linger.l_linger = 0;
	CHECK(getsockopt(s, SOL_SOCKET, SO_LINGER, &linger, &size) == 0 && linger.l_linger == 7);
	CHECK(setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) == 0);
	value = 1;
	CHECK(setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)) == 0);
	value = 0;
	CHECK(getsockopt(s, IPPROTO_TCP, TCP_NODELAY, &value, &len) == 0 && value == 1);
	FAILS(setsockopt(s, SOL_SOCKET, 0x7777, &value, sizeof(value)), ENOPROTOOPT);
	FAILS(setsockopt(s, 1, SO_REUSEADDR, &value, sizeof(value)), ENOPROTOOPT);
	FAILS(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, NULL, 4), EFAULT);
	FAILS(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &value, 2), EINVAL);
	FAILS(setsockopt(99, SOL_SOCKET, SO_REUSEADDR, &value, 4), EBADF);
	FAILS(getsockopt(s, SOL_SOCKET, SO_REUSEADDR, NULL, &len), EFAULT);
	FAILS(getsockopt(s, SOL_SOCKET, SO_REUSEADDR, &value, (int *)bad), EFAULT);
	/* The pending error has LE's number. */
	mute = bound(&port);
	CHECK(fcntl(s, F_SETFL, O_NONBLOCK) == 0);
	CHECK(fcntl(s, F_GETFL) == O_NONBLOCK);
	FAILS(connect(s, &addr.any, loopback(&addr, port)), EINPROGRESS);
	{
		struct pollfd polls = {.fd = s, .events = POLLOUT};

		CHECK(poll(&polls, 1, 30000) == 1);
	}
	CHECK(getsockopt(s, SOL_SOCKET, SO_ERROR, &value, &len) == 0 && value == ECONNREFUSED);
	FAILS(fcntl(s, F_SETFL, 1), EINVAL);
	FAILS(fcntl(s, 77), EINVAL);
	FAILS(fcntl(99, F_GETFL), EBADF);
	FAILS(ioctl(s, 12345, &value), EINVAL);
	FAILS(ioctl(s, FIONBIO, NULL), EFAULT);
	FAILS(ioctl(99, FIONBIO, &value), EBADF);
	value = 0;
	CHECK(ioctl(s, FIONBIO, &value) == 0);
	CHECK(fcntl(s, F_GETFL) == 0);
	CHECK(close(s) == 0);
	CHECK(close(mute) == 0);
}

static void names(void)
{
	const struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
	struct addrinfo wrong = {.ai_family = 10}, *list = NULL;
	const char *text = family == AF_INET ? "127.0.0.1" : "::1";
	unsigned char raw[16], back[INET6_ADDRSTRLEN];
	char name[NI_MAXHOST], service[NI_MAXSERV];
	const socklen_t raw_len = family == AF_INET ? 4 : 16;
	struct hostent *host;
	struct servent *serv;
	struct protoent *proto;

	CHECK(inet_pton(family, text, raw) == 1);
	CHECK(inet_pton(family, "nonsense", raw + 0) == 0);
	CHECK(inet_pton(family, text, raw) == 1);
	CHECK(inet_ntop(family, raw, (char *)back, sizeof(back)) && !strcmp((char *)back, text));
	FAILS(inet_pton(10, text, raw), EAFNOSUPPORT);
	errno = 0;
	CHECK(!inet_ntop(10, raw, name, sizeof(name)) && errno == EAFNOSUPPORT);
	CHECK(getaddrinfo(text, "80", &hints, &list) == 0 && list);
	if (list) {
		CHECK(list->ai_family == family && list->ai_socktype == SOCK_STREAM);
		CHECK(list->ai_addr->sa_family == family &&
		      list->ai_addr->sa_len == list->ai_addrlen);
		CHECK(getnameinfo(list->ai_addr, list->ai_addrlen, name, sizeof(name), service,
				  sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV) == 0);
		CHECK(!strcmp(name, text) && !strcmp(service, "80"));
		freeaddrinfo(list);
	}
	CHECK(getaddrinfo("no.such.host.invalid", NULL, &hints, &list) == EAI_NONAME);
	CHECK(getaddrinfo(text, NULL, &wrong, &list) == EAI_FAMILY);
	wrong.ai_family = family;
	wrong.ai_flags = 0x4000;
	CHECK(getaddrinfo(text, NULL, &wrong, &list) == EAI_BADFLAGS);
	CHECK(getaddrinfo(text, NULL, &hints, NULL) == EAI_SYSTEM && errno == EFAULT);
	CHECK(getnameinfo(NULL, 16, name, sizeof(name), NULL, 0, 0) == EAI_FAMILY);
	CHECK(*gai_strerror(EAI_NONAME));
	host = gethostbyaddr(raw, raw_len, family);
	CHECK(!host || (host->h_addrtype == family && host->h_length == (int)raw_len));
	host = gethostbyname("127.0.0.1");
	CHECK(host && host->h_addrtype == AF_INET && host->h_length == 4);
	h_errno = 0;
	CHECK(!gethostbyname("no.such.host.invalid") && h_errno);
	CHECK(!gethostbyname(NULL) && h_errno == NO_RECOVERY);
	CHECK(gethostname(name, sizeof(name)) == 0 && *name);
	FAILS(gethostname((char *)bad, 64), EFAULT);
	CHECK(gethostid() == (long)htonl(INADDR_LOOPBACK)); /* VSE_HOSTID */
	sethostent(0);
	host = gethostent();
	CHECK(!host || host->h_addrtype == AF_INET || host->h_addrtype == AF_INET6);
	endhostent();
	setservent(0);
	serv = getservbyname("http", "tcp");
	CHECK(!serv || serv->s_port == htons(80));
	endservent();
	proto = getprotobyname("tcp");
	CHECK(!proto || proto->p_proto == IPPROTO_TCP);
	setprotoent(0);
	endprotoent();
	setnetent(0);
	endnetent();
	CHECK(inet_addr("127.0.0.1") == htonl(INADDR_LOOPBACK));
	CHECK(inet_netof(inet_makeaddr(10, 1)) == 10 && inet_lnaof(inet_makeaddr(10, 1)) == 1);
}

static void clients(void)
{
	struct clientid id;
	int total = 100, inet = 50, many = 99999;

	CHECK(getclientid(family, &id) == 0);
	CHECK(id.domain == family && id.name[0] != ' ' && id.subtaskname[0] != ' ');
	FAILS(getclientid(1, &id), EPFNOSUPPORT);
	FAILS(getclientid(family, NULL), EFAULT);
	FAILS(givesocket(99, &id), EBADF);
	FAILS(givesocket(99, NULL), EFAULT);
	FAILS(takesocket(NULL, 1), EFAULT);
	id.domain = 1;
	FAILS(takesocket(&id, 1), EPFNOSUPPORT);
	FAILS(givesocket(99, &id), EINVAL);
	FAILS(maxdesc(NULL, &inet), EFAULT);
	FAILS(maxdesc(&total, &many), EINVAL);
	CHECK(maxdesc(&total, &inet) == 0);
	for (int i = 0; i < 50; i++)
		CHECK(socket(family, SOCK_STREAM, 0) == i);
	FAILS(socket(family, SOCK_STREAM, 0), EMFILE);
	for (int i = 0; i < 50; i++)
		CHECK(close(i) == 0);
}

static void errno_is_les(void)
{
	errno = 0;
	CHECK(strtol("99999999999999999999999", NULL, 10) && errno == ERANGE && ERANGE == 2);
	CHECK(!fopen("/no/such/file", "r") && errno == ENOENT && ENOENT == 129);
	errno = 7;
	CHECK(errno == 7);
	CHECK(strstr(strerror(EBADF), "EDC5113I"));
	CHECK(strstr(strerror(ECONNREFUSED), "EDC8128I"));
	CHECK(strstr(strerror(ENOTRUE), "EZATRUE"));
}

int main(int argc, char **argv)
{
	family = argc > 1 && !strcmp(argv[1], "6") ? AF_INET6 : AF_INET;
	setvbuf(stdout, NULL, _IONBF, 0);
	layouts();
	numbers_begin_at_zero();
	socket_errors();
	addresses();
	connections();
	streams();
	datagrams();
	options();
	names();
	clients();
	errno_is_les();
	return finish();
}
