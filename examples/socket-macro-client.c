/* SPDX-License-Identifier: Apache-2.0 */
/* socket-macro-client.c - a client of the SOCKET macro: asks an echo server, and prints the answers
 *
 *	socket-macro-client [-i ID] HOST PORT LINE...
 *
 * Compile: cc -o socket-macro-client socket-macro-client.c $(pkg-config --cflags --libs vsesock)
 * Run:     ./socket-macro-client -i 01 10.0.0.1 7 Hello
 */
#include <csi-socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 30000 /* ms */

static int failed(const char *what, const struct csi_socket *request)
{
	fprintf(stderr, "%s: RETCODE %d, ERRNO %d\n", what, request->RETCODE, request->ERRNO);
	return 1;
}

/* Asks a question of type CONTROL. Returns the size of the answer in bytes, or -1. */
static int ask(struct csi_socket *control, const char *command, char *operand, char *answer,
	       int room)
{
	control->COMMAND = command;
	control->BUF = operand;
	control->LENGTH = operand ? (int)strlen(operand) : 0;
	if (CSI_SOCKET(SEND, CONTROL, control) < 0)
		return -1;
	control->BUF = answer;
	control->LENGTH = room;
	return CSI_SOCKET(RECEIVE, CONTROL, control);
}

/* Finds HOST, which is an address, or a name with an address of IPv4. */
static int find_host(const char *id, char *host, struct csi_socket *to)
{
	struct csi_socket control = {.ID = id};
	char vendor[80];
	int len;

	if (CSI_SOCKET(OPEN, CONTROL, &control) < 0)
		return failed("OPEN,CONTROL", &control);
	len = ask(&control, "GETVENDORINFO", NULL, vendor, sizeof(vendor));
	if (len < 0)
		return failed("GETVENDORINFO", &control);
	printf("by %.*s, instance %s\n", len, vendor, control.INSTANCE);
	len = ask(&control, "PTON", host, (char *)to->FOIP, sizeof(to->FOIP));
	if (len < 0)
		len = ask(&control, "GETHOSTBYNAME", host, (char *)to->FOIP, sizeof(to->FOIP));
	if (len < 0)
		return failed(host, &control);
	to->FAMILY = len == 16 ? CSI_INET6 : CSI_INET;
	return CSI_SOCKET(CLOSE, CONTROL, &control) < 0 ? failed("CLOSE,CONTROL", &control) : 0;
}

/* Sends a line, and receives as many bytes. */
static int echo(struct csi_socket *connection, char *line)
{
	int len = (int)strlen(line), got = 0;
	char *back = malloc((size_t)len + 1);

	if (!back)
		return 1;
	connection->BUF = line;
	connection->LENGTH = len;
	if (CSI_SOCKET(SEND, TCP, connection) < 0) {
		free(back);
		return failed("SEND", connection);
	}
	while (got < len) {
		connection->BUF = back + got;
		connection->LENGTH = len - got;
		if (CSI_SOCKET(RECEIVE, TCP, connection) <= 0) {
			free(back);
			return failed("RECEIVE", connection);
		}
		got += connection->RETCODE;
	}
	printf("%.*s\n", len, back);
	free(back);
	return 0;
}

int main(int argc, char **argv)
{
	struct csi_socket connection = {.TIMEOUT = PATIENCE};
	int at = 1, rc = 0;

	if (argc > 2 && !strcmp(argv[1], "-i")) {
		connection.ID = argv[2];
		at = 3;
	}
	if (argc < at + 3) {
		fprintf(stderr, "usage: socket-macro-client [-i ID] HOST PORT LINE...\n");
		return 64;
	}
	if (find_host(connection.ID, argv[at], &connection))
		return 8;
	connection.FOPORT = atoi(argv[at + 1]);
	if (CSI_SOCKET(OPEN, TCP, &connection) < 0)
		return failed("OPEN", &connection), 8;
	for (int i = at + 2; i < argc && !rc; i++)
		rc = echo(&connection, argv[i]);
	if (CSI_SOCKET(CLOSE, TCP, &connection) < 0)
		rc = failed("CLOSE", &connection);
	return rc ? 8 : 0;
}
