/* SPDX-License-Identifier: Apache-2.0 */
/* concurrent-server.c - a listener that gives each connection to its own task, as the CICS listener
 *
 *	concurrent-server [-e] [-n CONNECTIONS] PORT
 *
 * The client's first message is "TRAN,data": the name of a transaction and up to 35 characters for
 * it. The listener starts the transaction and hands it the area that CICS programs get by RETRIEVE:
 * 72 bytes, or with -e the enhanced one. Transactions: ECHO sends back the data, UPPER sends it in
 * upper case. With -n the listener ends after that number of connections.
 *
 * Compile: cc -o concurrent-server concurrent-server.c $(pkg-config --cflags --libs vsesock-lec)
 * Run:     LFP_ID=01 ./concurrent-server 7000
 *
 * An LE/C program, except that vse_task_begin() and vse_task_end() (ours) stand for CICS, and
 * threads for its dispatcher.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <vsesock.h>

#define GIVE_SECONDS 30 /* time for a transaction to take its socket */
#define DATA_LEN     35

/* The data that a transaction is started with. */
struct standard {
	int give_take_socket;
	char lstn_name[8];
	char lstn_subtaskname[8];
	char client_in_data[DATA_LEN];
	char threadsafe_indicator;
	struct sockaddr_in client;
};

struct enhanced {
	int give_take_socket;
	char lstn_name[8];
	char lstn_subtaskname[8];
	char client_in_data[DATA_LEN];
	char threadsafe_indicator;
	char client[28]; /* struct sockaddr_in or sockaddr_in6 */
	char reserved[68];
	short data_area_2_len;
	char data_area_2[DATA_LEN];
};

struct start {
	char transaction[5];
	union {
		struct standard standard; /* both begin alike */
		struct enhanced enhanced;
	} area;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running;

static void change_running(int by)
{
	pthread_mutex_lock(&lock);
	running += by;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void serve(int s, int upper)
{
	char buf[1024];
	ssize_t n;

	while ((n = recv(s, buf, sizeof(buf), 0)) > 0) {
		for (ssize_t i = 0; upper && i < n; i++)
			buf[i] = (char)toupper((unsigned char)buf[i]);
		for (ssize_t at = 0, m; at < n; at += m) {
			m = send(s, buf + at, (size_t)(n - at), 0);
			if (m < 0)
				return;
		}
	}
}

static void *transaction(void *data)
{
	struct start *start = data;
	struct clientid listener;
	int task = vse_task_begin(NULL), s;

	memset(&listener, 0, sizeof(listener));
	listener.domain = AF_INET;
	memcpy(listener.name, start->area.standard.lstn_name, 8);
	memcpy(listener.subtaskname, start->area.standard.lstn_subtaskname, 8);
	s = takesocket(&listener, start->area.standard.give_take_socket);
	if (s < 0) {
		perror("takesocket");
	} else {
		serve(s, !strcmp(start->transaction, "UPPE"));
		close(s);
	}
	vse_task_end(task);
	free(start);
	change_running(-1);
	return NULL;
}

/* Reads the first message, up to its line end: the transaction and its data. 0 or -1. */
static int read_request(int s, struct start *start, char data[DATA_LEN])
{
	char text[64], *comma;
	size_t len = 0;

	do {
		if (len == sizeof(text) - 1 || recv(s, text + len, 1, 0) != 1)
			return -1;
	} while (text[len++] != '\n');
	text[len - 1] = '\0';
	comma = strchr(text, ',');
	if (comma)
		*comma++ = '\0';
	memset(data, ' ', DATA_LEN);
	if (comma)
		memcpy(data, comma, strlen(comma) < DATA_LEN ? strlen(comma) : DATA_LEN);
	if (strcmp(text, "ECHO") != 0 && strcmp(text, "UPPER") != 0)
		return -1;
	memcpy(start->transaction, text, 4);
	return 0;
}

static void fill_area(struct start *start, int s, const struct clientid *own, const char *data,
		      const struct sockaddr_in *client, int is_enhanced)
{
	struct standard *area = &start->area.standard;

	area->give_take_socket = s;
	memcpy(area->lstn_name, own->name, 8);
	memcpy(area->lstn_subtaskname, own->subtaskname, 8);
	area->threadsafe_indicator = '1';
	if (is_enhanced) {
		memset(area->client_in_data, ' ', DATA_LEN);
		memcpy(start->area.enhanced.client, client, sizeof(*client));
		start->area.enhanced.data_area_2_len = DATA_LEN;
		memcpy(start->area.enhanced.data_area_2, data, DATA_LEN);
	} else {
		memcpy(area->client_in_data, data, DATA_LEN);
		area->client = *client;
	}
}

/* Waits until the transaction has taken the socket. The listener takes it back if that lasts too
 * long. */
static void wait_until_taken(int s, struct clientid *own)
{
	struct timeval limit = {GIVE_SECONDS, 0};
	fd_set taken;
	int back;

	FD_ZERO(&taken);
	FD_SET(s, &taken);
	if (select(s + 1, NULL, NULL, &taken, &limit) == 1)
		return;
	fprintf(stderr, "no task has taken socket %d\n", s);
	back = takesocket(own, s);
	if (back >= 0)
		close(back);
}

static void handle(int s, const struct sockaddr_in *client, int is_enhanced)
{
	struct start *start = calloc(1, sizeof(*start));
	struct clientid own, taker;
	char data[DATA_LEN];
	pthread_t thread;

	if (!start || read_request(s, start, data) != 0) {
		send(s, "no such transaction\n", 20, 0);
		free(start);
		return;
	}
	memset(&taker, 0, sizeof(taker));
	taker.domain = AF_INET;
	memset(taker.subtaskname, ' ', 8);
	if (getclientid(AF_INET, &own) != 0) {
		perror("getclientid");
		free(start);
		return;
	}
	/* Any task of this address space may take it. */
	memcpy(taker.name, own.name, 8);
	fill_area(start, s, &own, data, client, is_enhanced);
	change_running(1);
	if (givesocket(s, &taker) != 0 || pthread_create(&thread, NULL, transaction, start) != 0) {
		perror("givesocket");
		change_running(-1);
		free(start);
		return;
	}
	wait_until_taken(s, &own);
	pthread_detach(thread);
}

int main(int argc, char **argv)
{
	int is_enhanced = 0, connections = -1, opt, listener, on = 1, task;
	struct sockaddr_in addr;

	while ((opt = getopt(argc, argv, "en:")) != -1) {
		if (opt == 'e')
			is_enhanced = 1;
		else if (opt == 'n')
			connections = atoi(optarg);
		else
			return 16;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: concurrent-server [-e] [-n CONNECTIONS] PORT\n");
		return 16;
	}
	task = vse_task_begin("CSKL");
	memset(&addr, 0, sizeof(addr));
	addr.sin_family = AF_INET;
	addr.sin_port = htons((in_port_t)atoi(argv[optind]));
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(listener, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
	    listen(listener, 10) != 0) {
		perror("listener");
		return 8;
	}
	printf("ready\n");
	fflush(stdout);
	while (connections < 0 || connections-- > 0) {
		int len = sizeof(addr), s = accept(listener, (struct sockaddr *)&addr, &len);

		if (s < 0) {
			perror("accept");
			return 8;
		}
		handle(s, &addr, is_enhanced);
		close(s);
	}
	vse_task_end(task);
	/* Transactions continue without the listener. */
	pthread_mutex_lock(&lock);
	while (running)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return 0;
}
