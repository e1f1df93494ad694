/* SPDX-License-Identifier: Apache-2.0 */
/* ezasmi-echo-server.c - an echo server of EZASMI: one task serves all clients by ECBs
 *
 *	ezasmi-echo-server [-n CONNECTIONS] PORT
 *
 * Compile: cc -o ezasmi-echo-server ezasmi-echo-server.c $(pkg-config --cflags --libs vsesock)
 * Run:     SYSPARM=01 ./ezasmi-echo-server 7000
 */
#include <ezasmi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vsesock.h>

#define MOST 32 /* clients at one time */
#define ROOM 4096

/* Each conversation has one outstanding call, and its ECB: ACCEPT of the listener, READ or WRITE of
 * a client. */
struct conversation {
	struct ezasmi_ecb ecb;
	int retcode, error;
	int s; /* -1: free */
	int len, sent;
	int writes;
	char buf[ROOM];
};

static struct conversation clients[MOST], listener;
static unsigned char peer[28];
static int failures;

static void complain(const char *what, int error)
{
	fprintf(stderr, "%s: ERRNO %d\n", what, error);
	failures++;
}

static void accept_next(void)
{
	(void)EZASMI(ACCEPT, .S = &listener.s, .NAME = peer, .ECB = &listener.ecb,
		     .RETCODE = &listener.retcode, .ERRNO = &listener.error);
}

static void read_next(struct conversation *client)
{
	int room = ROOM;

	client->writes = 0;
	(void)EZASMI(READ, .S = &client->s, .NBYTE = &room, .BUF = client->buf, .ECB = &client->ecb,
		     .RETCODE = &client->retcode, .ERRNO = &client->error);
}

static void write_rest(struct conversation *client)
{
	int rest = client->len - client->sent;

	client->writes = 1;
	(void)EZASMI(WRITE, .S = &client->s, .NBYTE = &rest, .BUF = client->buf + client->sent,
		     .ECB = &client->ecb, .RETCODE = &client->retcode, .ERRNO = &client->error);
}

static void leave(struct conversation *client)
{
	(void)EZASMI(CLOSE, .S = &client->s);
	client->s = -1;
}

/* Continues with a client whose call has ended. */
static void go_on(struct conversation *client)
{
	if (client->retcode <= 0) {
		if (client->retcode < 0)
			complain("a client", client->error);
		leave(client);
	} else if (!client->writes) {
		client->len = client->retcode;
		client->sent = 0;
		write_rest(client);
	} else {
		client->sent += client->retcode;
		if (client->sent < client->len)
			write_rest(client);
		else
			read_next(client);
	}
}

/* Takes a new client; 0 if there is no room. */
static int take_client(void)
{
	for (int i = 0; i < MOST; i++)
		if (clients[i].s < 0) {
			clients[i].s = listener.retcode;
			read_next(&clients[i]);
			return 1;
		}
	(void)EZASMI(CLOSE, .S = &listener.retcode);
	return 0;
}

static int busy(void)
{
	int nr = 0;

	for (int i = 0; i < MOST; i++)
		nr += clients[i].s >= 0;
	return nr;
}

static int listen_at(int port)
{
	unsigned char name[16] = {0, 2, (unsigned char)(port >> 8), (unsigned char)port};
	int error = 0, retcode = 0, backlog = MOST;

	if (EZASMI(SOCKET, .AF = "INET", .SOCTYPE = "STREAM", .RETCODE = &listener.s,
		   .ERRNO = &error) < 0 ||
	    EZASMI(BIND, .S = &listener.s, .NAME = name, .RETCODE = &retcode, .ERRNO = &error) <
		    0 ||
	    EZASMI(LISTEN, .S = &listener.s, .BACKLOG = &backlog, .RETCODE = &retcode,
		   .ERRNO = &error) < 0)
		complain("the listener", error);
	return !failures;
}

/* Serves until @most clients have come and gone; 0: for ever. */
static void serve(long most)
{
	void *ecbs[MOST + 1];
	long come = 0;

	accept_next();
	while (!most || come < most || busy()) {
		int at;

		for (int i = 0; i < MOST; i++)
			ecbs[i] = clients[i].s >= 0 ? &clients[i].ecb : NULL;
		ecbs[MOST] = !most || come < most ? &listener.ecb : NULL;
		at = vse_ecb_wait(ecbs, MOST + 1, -1);
		if (at < 0)
			return;
		if (at < MOST) {
			go_on(&clients[at]);
			continue;
		}
		if (listener.retcode < 0) {
			complain("ACCEPT", listener.error);
			return;
		}
		come += take_client();
		if (!most || come < most)
			accept_next();
	}
}

int main(int argc, char **argv)
{
	struct ezasmi_task tie;
	int maxsoc = MOST + 20, error = 0, at = 1;
	long most = 0;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		most = atol(argv[2]);
		at = 3;
	}
	if (argc != at + 1) {
		fprintf(stderr, "usage: ezasmi-echo-server [-n CONNECTIONS] PORT\n");
		return 64;
	}
	for (int i = 0; i < MOST; i++)
		clients[i].s = -1;
	(void)EZASMI(TASK, .STORAGE = "CSECT", .TASK = &tie);
	if (EZASMI(INITAPI, .MAXSOC = &maxsoc, .TASK = &tie, .ERRNO = &error) < 0)
		complain("INITAPI", error);
	if (!failures && listen_at(atoi(argv[at]))) {
		printf("ready\n");
		fflush(stdout);
		serve(most);
	}
	(void)EZASMI(TERMAPI, .TASK = &tie);
	return failures ? 8 : 0;
}
