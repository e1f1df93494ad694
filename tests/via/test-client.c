/* SPDX-License-Identifier: Apache-2.0 */
/* test-client.c - which controller makes room for another one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "via/client.h"
#include "via/loop.h"

#define STALL 1100 /* ms: longer than a client may take nothing, where others need its place */

static long ms; /* the time, which goes on only when a test says so: the machine may be slow */

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = 1000 + ms / 1000;
	now->tv_nsec = ms % 1000 * 1000000;
	return 0;
}

static struct via_client *asking[VIA_CLIENTS_MAX];
static unsigned int nr_asking;

static bool may_ask(const struct via_controller *peer, const char *who)
{
	(void)peer;
	(void)who;
	return true;
}

/* The answer is made later. */
static void on_request(struct via_client *client, const struct via_request *request)
{
	(void)request;
	assert_true(nr_asking < VIA_CLIENTS_MAX);
	asking[nr_asking++] = client;
}

static bool make(int ends[2])
{
	struct via_client_from from = {.may_ask = may_ask, .on_request = on_request};
	bool made;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	from.fd = ends[0];
	made = via_client_make(&from);
	if (!made)
		close(ends[0]);
	return made;
}

/* All places have clients that wait for their answers. */
static void fill(int ends[VIA_CLIENTS_MAX][2])
{
	nr_asking = 0;
	for (unsigned int i = 0; i < VIA_CLIENTS_MAX; i++) {
		assert_true(make(ends[i]));
		assert_int_equal(send(ends[i][1], "QUERY\n", 6, 0), 6);
		while (nr_asking == i)
			via_loop_turn();
	}
}

static void leave(int ends[VIA_CLIENTS_MAX][2])
{
	for (unsigned int i = 0; i < VIA_CLIENTS_MAX; i++)
		close(ends[i][1]);
	while (!via_clients_gone())
		via_loop_turn();
}

/* An answer that was long in the making has been there for a moment only. */
static void a_late_answer_can_be_taken(void **state)
{
	int ends[VIA_CLIENTS_MAX][2], more[2];
	char answer[16] = "";

	(void)state;
	fill(ends);
	ms += STALL;
	via_client_line(asking[0], "late", 4);
	assert_false(make(more));
	close(more[1]);
	via_loop_turn();
	assert_int_equal(recv(ends[0][1], answer, sizeof(answer) - 1, 0), 10);
	assert_string_equal(answer, "-0000late\n");
	leave(ends);
}

static void who_takes_nothing_goes(void **state)
{
	int ends[VIA_CLIENTS_MAX][2], more[2];
	char line[900], answer[1024];

	(void)state;
	fill(ends);
	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 300; i++)
		via_client_line(asking[1], line, sizeof(line));
	via_loop_turn(); /* sends what the socket takes */
	assert_false(make(more));
	close(more[1]);
	ms += STALL;
	assert_true(make(more));
	close(more[1]);
	while (recv(ends[1][1], answer, sizeof(answer), 0) > 0)
		;
	assert_int_equal(recv(ends[1][1], answer, sizeof(answer), 0), 0);
	leave(ends);
}

/* Takes some of the answer. Returns the number of bytes. */
static size_t take(int end)
{
	char answer[4096];
	size_t bytes = 0;
	ssize_t n;

	while ((n = recv(end, answer, sizeof(answer), 0)) > 0)
		bytes += (size_t)n;
	via_loop_turn(); /* sends more */
	return bytes;
}

static void who_takes_little_goes(void **state)
{
	int ends[VIA_CLIENTS_MAX][2], more[2], room = 4096;
	char line[900];

	(void)state;
	fill(ends);
	assert_int_equal(setsockopt(ends[2][0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 400; i++)
		via_client_line(asking[2], line, sizeof(line));
	via_loop_turn();
	for (int second = 1; second < 10; second++) {
		ms += 1000;
		assert_true(take(ends[2][1]) > 0);
		assert_false(make(more));
		close(more[1]);
	}
	ms += 1000;
	assert_true(take(ends[2][1]) > 0);
	assert_true(make(more));
	close(more[1]);
	leave(ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_answer_can_be_taken),
		cmocka_unit_test(who_takes_nothing_goes),
		cmocka_unit_test(who_takes_little_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
