/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - which instance, which phase, which task
 *
 *	places first [TCPNAME]	ERRNO of INITAPI; "0 NN" if it is good, NN from GETIBMOPT
 *	places tasks		CICS-style tasks, with EZATRUE and without
 *	places share		the same with LFP$CIC=SHARE
 *	places give		gives to another process: this program again, as
 *	places take CLIENT S
 */
#include <sys/wait.h>
#include <unistd.h>

#include "vsesock.h"

#include "eza.h"

static void first(const char *tcpname)
{
	char ident[17];
	unsigned char buf[88];
	long maxsno;

	snprintf(ident, sizeof(ident), "%-16s", tcpname);
	EZA("INITAPI", H(50), X(ident, 16), X("        ", 8), FO(&maxsno));
	printf("%ld", error);
	if (!retcode) {
		GOOD(EZA("GETIBMOPT", F(1), X(buf, 88)));
		printf(" %.2s", buf + 14);
		BAD(EZA("GETIBMOPT", F(2), X(buf, 88)), 121);
		term();
	}
	printf("\n");
}

static void tasks(void)
{
	int one = vse_task_begin("ONE"), two;
	long s = 0;

	CHECK(one > 0);
	/* ENOTRUE, ours; and its TCPNAME does not count later. */
	BAD(EZA("INITAPI", H(50), X("SOCKET77        ", 16), X("        ", 8), FO(&s)), 1190);
	BAD(EZA("SOCKET", F(2), F(1), F(0)), 1190);
	CHECK(vse_true_start() == 0);
	s = make_socket(1);
	CHECK(s == 0);
	two = vse_task_begin("TWO");
	/* Its own INITAPI, and its own descriptors. */
	BAD(EZA("LISTEN", H(0), F(1)), 1000);
	init();
	BAD(EZA("LISTEN", H(0), F(1)), 113);
	CHECK(make_socket(1) == 0);
	CHECK(vse_task_end(two) == 0);
	CHECK(vse_task_switch(one) == 0);
	GOOD(EZA("CLOSE", H(s)));
	term();
	CHECK(vse_true_stop() == 0);
	BAD(EZA("SOCKET", F(2), F(1), F(0)), 1190);
	CHECK(vse_task_end(one) == 0);
}

/* With LFP$CIC=SHARE a task uses another's socket, and each may say INITAPI. */
static void share(void)
{
	int one = vse_task_begin(NULL), two;
	long ends[2];

	CHECK(vse_true_start() == 0);
	init();
	make_pair(ends);
	two = vse_task_begin(NULL);
	init();
	CHECK(EZA("SEND", H(ends[0]), F(0), F(1), X("x", 1)) == 1);
	close_pair(ends);
	term();
	CHECK(vse_task_end(two) == 0 && vse_task_end(one) == 0);
	CHECK(vse_true_stop() == 0);
}

static void give(const char *program)
{
	unsigned char me[40], any[40];
	long ends[2], m[3] = {0, 0, 0}, zero = 0;
	char s[12], buf[8], hex[81];
	int status = -1;

	init();
	make_pair(ends);
	memset(me, 0, 40);
	memset(any, ' ', 40);
	put_word(any, 2);
	GOOD(EZA("GETCLIENTID", X(me, 40)));
	GOOD(EZA("GIVESOCKET", H(ends[1]), X(any, 40)));
	for (int i = 0; i < 40; i++)
		snprintf(hex + 2 * i, 3, "%02x", me[i]);
	snprintf(s, sizeof(s), "%ld", ends[1]);
	if (!fork()) {
		execl(program, program, "take", hex, s, (char *)NULL);
		_exit(127);
	}
	/* The exception says that it was taken. */
	m[2] = 1L << ends[1];
	CHECK(EZA("SELECT", F(32), OMITTED, F(0), F(0), F(m[2]), FO(&zero), FO(&zero), FO(&m[2])) ==
	      1);
	CHECK(m[2] == 1L << ends[1]);
	GOOD(EZA("CLOSE", H(ends[1])));
	CHECK(EZA("RECV", H(ends[0]), F(0), F(8), X(buf, 8)) == 5 && !memcmp(buf, "taken", 5));
	CHECK(wait(&status) > 0 && status == 0);
	term();
}

static void take(const char *hex, const char *s)
{
	unsigned char giver[40];
	unsigned int byte;

	for (int i = 0; i < 40; i++) {
		CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
		giver[i] = (unsigned char)byte;
	}
	/* TAKESOCKET may come first. */
	GOOD(EZA("TAKESOCKET", H(atol(s)), X(giver, 40)));
	CHECK(retcode == 0);
	CHECK(EZA("SEND", H(0), F(0), F(5), X("taken", 5)) == 5);
	term();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(what, "first"))
		return first(argc > 2 ? argv[2] : ""), failures != 0;
	if (!strcmp(what, "tasks"))
		tasks();
	else if (!strcmp(what, "share"))
		share();
	else if (!strcmp(what, "give"))
		give(argv[0]);
	else if (!strcmp(what, "take") && argc == 4)
		return take(argv[2], argv[3]), failures != 0;
	else
		return 64;
	return finish();
}
