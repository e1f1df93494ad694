/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - CICS-style tasks of an LE/C program, and sockets that are given
 *
 *	tasks isolation | share | left | true
 *	tasks errno			of socket()
 *	tasks give FAMILY		gives to another process: this program again, as
 *	tasks take FAMILY NAME TASK S
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vsesock.h>

#include "check.h"

static int family = AF_INET;

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t loopback(union address *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->any.sa_family = (sa_family_t)family;
	if (family == AF_INET) {
		addr->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(addr->v4);
	}
	addr->v6.sin6_addr = in6addr_loopback;
	return sizeof(addr->v6);
}

/* Two ends of a connection: of the current task, and of the program outside of all tasks. */
static void make_pair(int *own, int *outside)
{
	int task = vse_task_switch(0), listener = socket(family, SOCK_STREAM, 0);
	union address addr;
	socklen_t len = loopback(&addr), got = sizeof(addr);

	CHECK(listener >= 0 && bind(listener, &addr.any, len) == 0 && listen(listener, 1) == 0);
	CHECK(getsockname(listener, &addr.any, &got) == 0);
	vse_task_switch(task);
	*own = socket(family, SOCK_STREAM, 0);
	CHECK(connect(*own, &addr.any, len) == 0);
	vse_task_switch(0);
	*outside = accept(listener, NULL, NULL);
	CHECK(*outside >= 0);
	CHECK(close(listener) == 0);
	vse_task_switch(task);
}

/* Data received at the other end. */
static void expect_outside(int s, const char *text)
{
	int task = vse_task_switch(0);
	char buf[64] = "";

	CHECK(recv(s, buf, strlen(text), MSG_WAITALL) == (ssize_t)strlen(text) &&
	      !strcmp(buf, text));
	vse_task_switch(task);
}

/* The other end sees the end of the connection. */
static void expect_end(int s)
{
	char c;

	vse_task_switch(0);
	CHECK(recv(s, &c, 1, 0) == 0);
	CHECK(close(s) == 0);
}

static void a_task_has_its_own_sockets(void)
{
	int first = vse_task_begin("FIRST"), second, s, outside;
	struct clientid one, two;

	CHECK(first > 0 && vse_task_current() == first);
	make_pair(&s, &outside);
	CHECK(s == 0);
	CHECK(getclientid(AF_INET, &one) == 0 && !memcmp(one.subtaskname, "FIRST   ", 8));
	second = vse_task_begin("SECOND");
	CHECK(second > first);
	/* Its numbers begin at 0, too, and none of the first task's is its. */
	FAILS(send(s, "x", 1, 0), EBADF);
	FAILS(close(s), EBADF);
	FAILS(givesocket(s, &one), EBADF);
	CHECK(getclientid(AF_INET, &two) == 0 && !memcmp(two.subtaskname, "SECOND  ", 8));
	CHECK(!memcmp(one.name, two.name, 8));
	CHECK(socket(family, SOCK_STREAM, 0) == 0);
	CHECK(vse_task_switch(first) == second);
	CHECK(send(s, "mine", 4, 0) == 4);
	expect_outside(outside, "mine");
	/* Its sockets are closed at its end, without a call of the program. */
	CHECK(vse_task_end(first) == 0);
	CHECK(vse_task_current() == 0);
	CHECK(vse_task_end(first) == -1);
	expect_end(outside);
	vse_task_switch(second);
	CHECK(close(0) == 0);
	CHECK(vse_task_end(second) == 0);
}

/* The owner of the socket sends, and the outside receives. */
static void a_task_gives_to_another(void)
{
	int giver = vse_task_begin("GIVER"), taker = vse_task_begin("TAKER"), s, outside, taken;
	struct timeval none = {0, 0}, long_time = {30, 0};
	struct clientid from, to, blank;
	fd_set except, in;
	char c;

	CHECK(getclientid(family, &to) == 0);
	vse_task_switch(giver);
	CHECK(getclientid(family, &from) == 0);
	make_pair(&s, &outside);
	CHECK(send(s, "from the giver ", 15, 0) == 15);
	CHECK(givesocket(s, &to) == 0);
	/* The giver can only close the descriptor, or wait until the socket is taken. */
	FAILS(givesocket(s, &to), EBADF);
	FAILS(send(s, "x", 1, 0), EBADF);
	FAILS(recv(s, &c, 1, 0), EBADF);
	FAILS(shutdown(s, SHUT_WR), EBADF);
	FD_ZERO(&except);
	FD_ZERO(&in);
	FD_SET(s, &except);
	CHECK(select(s + 1, NULL, NULL, &except, &none) == 0);
	FD_SET(s, &in);
	FAILS(select(s + 1, &in, NULL, NULL, &none), EBADF);
	vse_task_switch(0);
	FAILS(takesocket(&from, s), EACCES);
	vse_task_switch(taker);
	blank = from;
	memset(blank.subtaskname, ' ', 8);
	FAILS(takesocket(&blank, s), EINVAL);
	FAILS(takesocket(&from, s + 1), EACCES);
	taken = takesocket(&from, s);
	CHECK(taken == 0);
	FAILS(takesocket(&from, s), EBADF);
	CHECK(send(taken, "from the taker", 14, 0) == 14);
	expect_outside(outside, "from the giver from the taker");
	vse_task_switch(giver);
	FD_SET(s, &except);
	CHECK(select(s + 1, NULL, NULL, &except, &long_time) == 1 && FD_ISSET(s, &except));
	CHECK(close(s) == 0);
	vse_task_switch(taker);
	CHECK(send(taken, "!", 1, 0) == 1);
	expect_outside(outside, "!");
	vse_task_end(giver);
	vse_task_end(taker);
	expect_end(outside);
}

static void closed_before_it_is_taken(void)
{
	int giver = vse_task_begin("GIVER"), s, outside;
	struct clientid from, any = {.domain = family};
	char c;

	memset(any.name, ' ', 8);
	memset(any.subtaskname, ' ', 8);
	CHECK(getclientid(family, &from) == 0);
	make_pair(&s, &outside);
	CHECK(givesocket(s, &any) == 0);
	CHECK(close(s) == 0);
	FAILS(takesocket(&from, s), EBADF);
	vse_task_end(giver);
	FAILS(recv(outside, &c, 1, 0), ECONNRESET);
	CHECK(close(outside) == 0);
}

static void given_before_the_end(void)
{
	int giver = vse_task_begin("GIVER"), taker, s, outside, taken;
	struct clientid from, any = {.domain = family};

	memset(any.name, ' ', 8);
	memset(any.subtaskname, ' ', 8);
	CHECK(getclientid(family, &from) == 0);
	make_pair(&s, &outside);
	CHECK(givesocket(s, &any) == 0);
	CHECK(vse_task_end(giver) == 0);
	taker = vse_task_begin(NULL);
	taken = takesocket(&from, s);
	CHECK(taken >= 0);
	CHECK(send(taken, "it lives", 8, 0) == 8);
	expect_outside(outside, "it lives");
	vse_task_end(taker);
	expect_end(outside);
}

static void taken_back(void)
{
	int s, outside, back;
	struct clientid own, any = {.domain = family};

	memset(any.name, ' ', 8);
	memset(any.subtaskname, ' ', 8);
	CHECK(getclientid(family, &own) == 0);
	make_pair(&s, &outside);
	CHECK(givesocket(s, &any) == 0);
	back = takesocket(&own, s);
	CHECK(back >= 0 && back != s);
	CHECK(close(s) == 0);
	CHECK(send(back, "back", 4, 0) == 4);
	expect_outside(outside, "back");
	CHECK(close(back) == 0);
	expect_end(outside);
}

static void what_cannot_be_given(void)
{
	struct clientid any = {.domain = family}, wrong = {.domain = AF_INET6};
	union address addr;
	socklen_t len = loopback(&addr);
	int listener = socket(family, SOCK_STREAM, 0), dgram = socket(family, SOCK_DGRAM, 0), s,
	    outside;

	CHECK(bind(listener, &addr.any, len) == 0);
	FAILS(givesocket(listener, &any), ENOTCONN);
	CHECK(listen(listener, 1) == 0);
	FAILS(givesocket(listener, &any), EBUSY);
	FAILS(givesocket(dgram, &any), EOPNOTSUPP);
	CHECK(close(listener) == 0 && close(dgram) == 0);
	make_pair(&s, &outside);
	if (family == AF_INET)
		FAILS(givesocket(s, &wrong), EBADF);
	CHECK(send(s, "as before", 9, 0) == 9);
	expect_outside(outside, "as before");
	CHECK(close(s) == 0);
	expect_end(outside);
}

/* As the DB2 requestor: one task opens, another uses. Works with LFP$CIC=SHARE alone. */
static void share(void)
{
	int first = vse_task_begin(NULL), s, outside, second;

	make_pair(&s, &outside);
	second = vse_task_begin(NULL);
	CHECK(send(s, "shared", 6, 0) == 6);
	CHECK(vse_task_end(first) == 0);
	CHECK(send(s, " and kept", 9, 0) == 9);
	if (!failures)
		expect_outside(outside, "shared and kept");
	CHECK(vse_task_end(second) == 0);
	/* The program must clean up. */
	CHECK(close(s) == 0);
	expect_end(outside);
}

/* A task ends and leaves something; operators look at it until a line comes in. */
static void left(void)
{
	int task = vse_task_begin(NULL), s, outside, c;

	make_pair(&s, &outside);
	CHECK(vse_task_end(task) == 0);
	printf("left\n");
	do
		c = getchar();
	while (c != EOF && c != '\n');
}

static int ezastrue(const char *said)
{
	char area[10];

	memcpy(area, said, 10);
	CHECK(EZASTRUE(area) == 0);
	return area[9];
}

/* RETCODE of a call as COBOL makes it: numbers of four bytes, the highest first. */
static const unsigned char *cobol(const char *function, const char *name, unsigned char number[4])
{
	static unsigned char retcode[4];

	CHECK(VSETASK(function, name, number, retcode) == 0);
	return retcode;
}

static void task_related_user_exit(void)
{
	unsigned char number[4] = {0}, none[4] = {0};

	CHECK(ezastrue("EZATRUE T") == 4);
	CHECK(ezastrue("EZATRUE S") == 0);
	CHECK(ezastrue("EZATRUE S") == 4);
	CHECK(ezastrue("\xC5\xE9\xC1\xE3\xD9\xE4\xC5\x40\xE3") == 0);
	CHECK(ezastrue("EZATRUE X") == 16);
	CHECK(ezastrue("EZAFALSES") == 16);
	CHECK(vse_true_start() == 0 && vse_true_start() == 4 && vse_true_stop() == 0);
	CHECK(EZASTRUE(NULL) == 0);
	CHECK(!memcmp(cobol("BEGIN   ", "COBOL", number), "\0\0\0", 3));
	CHECK(vse_task_current() > 0 && number[3] == vse_task_current());
	CHECK(!memcmp(cobol("CURRENT ", "", number), number, 4));
	CHECK(!memcmp(cobol("SWITCH  ", "", none), number, 4) && vse_task_current() == 0);
	CHECK(!memcmp(cobol("END     ", "", number), "\0\0\0\0", 4));
	CHECK(!memcmp(cobol("END     ", "", number), "\xFF\xFF\xFF\xFF", 4));
	CHECK(!memcmp(cobol("NONSENSE", "", number), "\xFF\xFF\xFF\xFF", 4));
	CHECK(VSETASK(NULL, NULL, NULL, NULL) == 0);
	CHECK(vse_task_begin("TOO LONG A NAME") == -1);
	CHECK(vse_task_switch(4711) == -1 && vse_task_end(0) == -1);
}

static void give_to_process(const char *program)
{
	struct timeval long_time = {30, 0};
	struct clientid own, any = {.domain = family};
	char number[16], name[9] = "", task[9] = "";
	int s, outside, status;
	fd_set except;
	pid_t child;

	memset(any.name, ' ', 8);
	memset(any.subtaskname, ' ', 8);
	CHECK(getclientid(family, &own) == 0);
	make_pair(&s, &outside);
	CHECK(send(s, "giver ", 6, 0) == 6);
	CHECK(givesocket(s, &any) == 0);
	snprintf(number, sizeof(number), "%d", s);
	memcpy(name, own.name, 8);
	memcpy(task, own.subtaskname, 8);
	child = fork();
	if (!child) {
		execl(program, program, "take", family == AF_INET ? "4" : "6", name, task, number,
		      (char *)NULL);
		_exit(127);
	}
	FD_ZERO(&except);
	FD_SET(s, &except);
	CHECK(select(s + 1, NULL, NULL, &except, &long_time) == 1 && FD_ISSET(s, &except));
	CHECK(close(s) == 0);
	expect_outside(outside, "giver taker");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	expect_end(outside);
}

static void take_from_process(const char *name, const char *task, int number)
{
	struct clientid giver = {.domain = family};
	int s;

	memcpy(giver.name, name, 8);
	memcpy(giver.subtaskname, task, 8);
	s = takesocket(&giver, number);
	CHECK(s == 0);
	CHECK(send(s, "taker", 5, 0) == 5);
	CHECK(close(s) == 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 2 && !strcmp(argv[2], "6"))
		family = AF_INET6;
	if (!strcmp(what, "isolation")) {
		a_task_has_its_own_sockets();
		a_task_gives_to_another();
		closed_before_it_is_taken();
		given_before_the_end();
		taken_back();
		what_cannot_be_given();
	} else if (!strcmp(what, "share")) {
		share();
	} else if (!strcmp(what, "left")) {
		left();
	} else if (!strcmp(what, "true")) {
		task_related_user_exit();
	} else if (!strcmp(what, "errno")) {
		printf("%d\n", socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0);
		return 0;
	} else if (!strcmp(what, "give")) {
		give_to_process(argv[0]);
	} else if (!strcmp(what, "take") && argc == 6 && strlen(argv[3]) == 8 &&
		   strlen(argv[4]) == 8) {
		take_from_process(argv[3], argv[4], atoi(argv[5]));
		return failures != 0;
	} else {
		return 64;
	}
	return finish();
}
