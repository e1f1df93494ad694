/* SPDX-License-Identifier: Apache-2.0 */
/* stack-client.c - a program of EZASMI that prints what it sees of its TCP/IP stack
 *
 *	stack-client A.B.C.D PORT TEXT		an echo server; nobody has PORT + 1
 */
#include <arpa/inet.h>
#include <ezasmi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int retcode, error;

static int show(const char *what)
{
	printf("%-12s RETCODE %d, ERRNO %d\n", what, retcode, error);
	return retcode;
}

static int make_socket(void)
{
	(void)EZASMI(SOCKET, .AF = "INET", .SOCTYPE = "STREAM", .RETCODE = &retcode,
		     .ERRNO = &error);
	return show("SOCKET");
}

static void set_port(unsigned char *name, int port)
{
	name[2] = (unsigned char)(port >> 8);
	name[3] = (unsigned char)port;
}

static void echo(int s, char *text)
{
	int size = (int)strlen(text), room = 256;
	char in[256] = "";

	(void)EZASMI(WRITE, .S = &s, .NBYTE = &size, .BUF = text, .RETCODE = &retcode,
		     .ERRNO = &error);
	show("WRITE");
	(void)EZASMI(READ, .S = &s, .NBYTE = &room, .BUF = in, .RETCODE = &retcode,
		     .ERRNO = &error);
	show("READ");
	printf("%s\n", in);
}

int main(int argc, char **argv)
{
	unsigned char name[16] = {0, 2}, peer[28] = {0};
	struct ezasmi_task tie;
	int maxsoc = 60, s, how = 1, room = 10;
	char end[10];

	if (argc != 4 || inet_pton(AF_INET, argv[1], name + 4) != 1) {
		fprintf(stderr, "usage: stack-client A.B.C.D PORT TEXT\n");
		return 64;
	}
	(void)EZASMI(TASK, .STORAGE = "CSECT", .TASK = &tie);
	(void)EZASMI(INITAPI, .MAXSOC = &maxsoc, .TASK = &tie, .RETCODE = &retcode,
		     .ERRNO = &error);
	show("INITAPI");
	s = make_socket();
	set_port(name, atoi(argv[2]));
	(void)EZASMI(CONNECT, .S = &s, .NAME = name, .RETCODE = &retcode, .ERRNO = &error);
	show("CONNECT");
	(void)EZASMI(GETPEERNAME, .S = &s, .NAME = peer, .RETCODE = &retcode, .ERRNO = &error);
	show("GETPEERNAME");
	printf("%s\n", memcmp(peer, name, 8) ? "others" : "the same");
	echo(s, argv[3]);
	(void)EZASMI(SHUTDOWN, .S = &s, .HOW = &how, .RETCODE = &retcode, .ERRNO = &error);
	show("SHUTDOWN");
	(void)EZASMI(READ, .S = &s, .NBYTE = &room, .BUF = end, .RETCODE = &retcode,
		     .ERRNO = &error);
	show("READ");
	(void)EZASMI(CLOSE, .S = &s, .RETCODE = &retcode, .ERRNO = &error);
	show("CLOSE");
	s = make_socket();
	set_port(name, atoi(argv[2]) + 1);
	(void)EZASMI(CONNECT, .S = &s, .NAME = name, .RETCODE = &retcode, .ERRNO = &error);
	show("CONNECT");
	(void)EZASMI(TERMAPI, .TASK = &tie);
	return 0;
}
