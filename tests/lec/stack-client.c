/* SPDX-License-Identifier: Apache-2.0 */
/* stack-client.c - a program that prints what it sees of its TCP/IP stack
 *
 *	stack-client HOST PORT		an echo server; nobody has PORT + 1
 *
 * It prints nothing that depends on time or on its own address, so that its output is the same on
 * each stack.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES 200000

static struct sockaddr_in server;

static void show(const char *what, int rc)
{
	if (rc < 0)
		printf("%-28s %d, errno %d\n", what, rc, errno);
	else
		printf("%-28s %d\n", what, rc);
}

static void show_option(int s, const char *what, int level, int name, int value)
{
	int size = sizeof(value);
	char text[64];

	snprintf(text, sizeof(text), "set %s", what);
	show(text, setsockopt(s, level, name, &value, sizeof(value)));
	value = -1;
	if (getsockopt(s, level, name, &value, &size) < 0)
		show(what, -1);
	else
		printf("%-28s %d, %d bytes\n", what, !!value, size);
}

static void options(int s)
{
	struct linger linger = {1, 5};
	int size = sizeof(linger), type = 0, type_size = sizeof(type);

	show_option(s, "SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE, 1);
	show_option(s, "SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, 1);
	show_option(s, "TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY, 1);
	show_option(s, "a wrong option", SOL_SOCKET, 0x7777, 1);
	show("set SO_LINGER", setsockopt(s, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	memset(&linger, 0, sizeof(linger));
	show("SO_LINGER", getsockopt(s, SOL_SOCKET, SO_LINGER, &linger, &size));
	printf("%-28s %d, %d s\n", "", linger.l_onoff, linger.l_linger);
	show("SO_TYPE", getsockopt(s, SOL_SOCKET, SO_TYPE, &type, &type_size));
	printf("%-28s %s\n", "", type == SOCK_STREAM ? "SOCK_STREAM" : "another one");
}

/* Sends what it has in pieces and receives it again. */
static void echo(int s)
{
	static char out[BYTES], in[BYTES];
	int sent = 0, got = 0, n = 1;

	for (int i = 0; i < BYTES; i++)
		out[i] = (char)(i * 7);
	while (n > 0 && got < BYTES) {
		size_t rest = (size_t)(BYTES - sent);

		if (rest) {
			n = (int)send(s, out + sent, rest < 8192 ? rest : 8192, 0);
			sent += n > 0 ? n : 0;
		}
		while (n > 0 && got < sent) {
			n = (int)recv(s, in + got, (size_t)(BYTES - got), 0);
			got += n > 0 ? n : 0;
		}
	}
	printf("%-28s %d of %d bytes, %s\n", "echo", got, sent,
	       memcmp(in, out, BYTES) ? "others" : "the same");
}

static void connection(void)
{
	struct sockaddr_in peer;
	int s = socket(AF_INET, SOCK_STREAM, 0), size = sizeof(peer);
	char byte;

	show("recv, not connected", (int)recv(s, &byte, 1, 0));
	options(s);
	show("connect", connect(s, (struct sockaddr *)&server, sizeof(server)));
	show("connect again", connect(s, (struct sockaddr *)&server, sizeof(server)));
	memset(&peer, 0, sizeof(peer));
	show("getpeername", getpeername(s, (struct sockaddr *)&peer, &size));
	printf("%-28s %s port %d\n", "", inet_ntoa(peer.sin_addr), ntohs(peer.sin_port));
	echo(s);
	show("shutdown", shutdown(s, SHUT_WR));
	show("recv at the end", (int)recv(s, &byte, 1, 0));
	show("close", close(s));
}

static void refused(void)
{
	struct sockaddr_in nobody = server;
	int s = socket(AF_INET, SOCK_STREAM, 0);

	nobody.sin_port = htons((in_port_t)(ntohs(server.sin_port) + 1));
	show("connect to nobody", connect(s, (struct sockaddr *)&nobody, sizeof(nobody)));
	show("close", close(s));
}

static void nonblocking(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0), on = 1, error = -1, size = sizeof(error);
	struct timeval patience = {30, 0};
	char byte;
	fd_set set;

	show("ioctl FIONBIO", ioctl(s, FIONBIO, &on));
	show("connect", connect(s, (struct sockaddr *)&server, sizeof(server)));
	FD_ZERO(&set);
	FD_SET(s, &set);
	show("select for writing", select(s + 1, NULL, &set, NULL, &patience));
	show("SO_ERROR", getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &size));
	printf("%-28s %d\n", "", error);
	show("recv of nothing", (int)recv(s, &byte, 1, 0));
	show("close", close(s));
}

/* A listener and a connection of this program with itself. */
static void listener(void)
{
	struct sockaddr_in own;
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s;
	int other = socket(AF_INET, SOCK_STREAM, 0), size = sizeof(own);
	struct linger linger = {1, 0};
	char byte = 'x';

	memset(&own, 0, sizeof(own));
	own.sin_family = AF_INET;
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	show("bind", bind(l, (struct sockaddr *)&own, sizeof(own)));
	show("bind again", bind(l, (struct sockaddr *)&own, sizeof(own)));
	show("getsockname", getsockname(l, (struct sockaddr *)&own, &size));
	show("bind to a port in use", bind(other, (struct sockaddr *)&own, sizeof(own)));
	show("listen", listen(l, 5));
	show("connect to itself", connect(c, (struct sockaddr *)&own, sizeof(own)));
	s = accept(l, NULL, NULL);
	show("accept", s < 0 ? s : 0);
	show("send", (int)send(s, &byte, 1, 0));
	show("recv", (int)recv(c, &byte, 1, 0));
	show("set SO_LINGER", setsockopt(s, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	show("close with a reset", close(s));
	show("recv after a reset", (int)recv(c, &byte, 1, 0));
	own.sin_addr.s_addr = htonl(0xC0000201); /* 192.0.2.1 is nobody's */
	own.sin_port = 0;
	show("bind to another's address", bind(other, (struct sockaddr *)&own, sizeof(own)));
	close(c);
	close(other);
	show("close", close(l));
}

static void datagrams(void)
{
	struct sockaddr_in own, from;
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	int size = sizeof(own), from_size = sizeof(from);
	static char in[9000], out[8000];

	memset(&own, 0, sizeof(own));
	own.sin_family = AF_INET;
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	show("bind", bind(a, (struct sockaddr *)&own, sizeof(own)));
	show("getsockname", getsockname(a, (struct sockaddr *)&own, &size));
	memset(out, 'd', sizeof(out));
	show("sendto", (int)sendto(b, out, sizeof(out), 0, (struct sockaddr *)&own, sizeof(own)));
	show("sendto of nothing", (int)sendto(b, out, 0, 0, (struct sockaddr *)&own, sizeof(own)));
	show("recvfrom", (int)recvfrom(a, in, sizeof(in), 0, (struct sockaddr *)&from, &from_size));
	printf("%-28s %s, %s\n", "", inet_ntoa(from.sin_addr),
	       memcmp(in, out, sizeof(out)) ? "others" : "the same");
	show("recvfrom", (int)recvfrom(a, in, sizeof(in), 0, NULL, NULL));
	show("close", close(a));
	show("close", close(b));
}

static void names(void)
{
	struct hostent *host = gethostbyname("localhost");

	printf("%-28s %s\n", "gethostbyname(localhost)",
	       host ? inet_ntoa(*(struct in_addr *)host->h_addr_list[0]) : "not found");
	printf("%-28s %s\n", "gethostbyname(no such)",
	       gethostbyname("no.such.host.invalid") ? "found" : "not found");
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: stack-client HOST PORT\n");
		return 64;
	}
	server.sin_family = AF_INET;
	server.sin_addr.s_addr = inet_addr(argv[1]);
	server.sin_port = htons((in_port_t)atoi(argv[2]));
	connection();
	refused();
	nonblocking();
	listener();
	datagrams();
	names();
	return 0;
}
