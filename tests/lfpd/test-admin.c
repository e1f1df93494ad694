/* SPDX-License-Identifier: Apache-2.0 */
/* test-admin.c - questions to an instance: lists, and slow or hostile clients */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/admin.h"
#include "lfp/places.h"
#include "lfpd/restart/reload.h"
#include "lfpd/state/session.h"
#include "lfpd/watch/server.h"
#include "tests/lfpd/one-path.h"

static char answer[1024 * 1024];

static int set_up(void **state)
{
	(void)state;
	host_init(&host);
	host.config.max_sockets = 1000;
	return 0;
}

static int connect_admin(void)
{
	char place[LFP_PLACE_MAX];
	struct sockaddr_un addr;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(lfp_place_lfpd(place, "TEST", "admin"), 0);
	assert_int_equal(lfp_unix_addr(&addr, place), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* To the end of file; the length, or -1 if the connection was reset. */
static ssize_t read_all(int fd)
{
	size_t len = 0;

	for (int turn = 0; turn < 100000; turn++) {
		ssize_t n;

		host_turn(&host);
		n = recv(fd, answer + len, sizeof(answer) - 1 - len, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n < 0)
			return -1;
		len += (size_t)n;
		answer[len] = '\0';
		if (!n)
			return (ssize_t)len;
	}
	fail_msg("no end of the answer");
	return -1;
}

static void ask(const char *question)
{
	int fd = connect_admin();

	assert_int_equal(send(fd, question, strlen(question), 0), strlen(question));
	assert_true(read_all(fd) > 0);
	close(fd);
}

static unsigned int count(const char *part)
{
	unsigned int nr = 0;

	for (const char *at = answer; (at = strstr(at, part)); at++)
		nr++;
	return nr;
}

static void lists(void **state)
{
	(void)state;
	host_start(&host);
	ask("tasks\n");
	assert_int_equal(count("\nrow\t"), 0);
	vse_open(&vse, &host);
	/* More than one piece of an answer. */
	for (uint64_t id = 1; id <= 700; id++)
		assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	ask("sockets\n");
	assert_int_equal(strncmp(answer, "ok\ncolumns\tkind:s\tstate:s\t", 25), 0);
	assert_int_equal(count("\nrow\ttcp\tnew\t"), 700);
	assert_non_null(strstr(answer, "\t0x2bc\t\t\t\n"));
	ask("tasks\n");
	assert_int_equal(count("\nrow\t"), 1);
	assert_non_null(strstr(answer, "\t700\n"));
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	ask("tasks\n");
	assert_non_null(strstr(answer, "\t699\n"));
	vse_close(&vse);
}

static bool reloads_again; /* each one that ends asks for another one */

static void on_reloaded(void *data, int rc, char *text, size_t len)
{
	assert_int_equal(rc, 0);
	assert_true(len >= 3);
	free(text);
	if (reloads_again)
		assert_int_equal(reload(&host.inst, on_reloaded, data), 0);
	else
		++*(unsigned int *)data;
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* Reloads wait for one another, but not without a bound. */
static void reloads(void **state)
{
	char conf[128], rules[128], text[256];
	unsigned int done = 0;

	(void)state;
	snprintf(rules, sizeof(rules), "%s-rules", host.root);
	snprintf(conf, sizeof(conf), "%s-conf", host.root);
	snprintf(text, sizeof(text), "IUCV_SRC_APPNAME = TEST\nPOLICY_FILE = %s\n", rules);
	write_text(conf, text);
	write_text(rules, "default allow\n");
	host_start(&host);
	host.inst.config_path = conf;
	reloads_again = true;
	for (unsigned int i = 0; i < 1 + RELOADS_WAITING_MAX; i++)
		assert_int_equal(reload(&host.inst, on_reloaded, &done), 0);
	ask("reload\n");
	assert_string_equal(answer, "error\t16 reloads are waiting already\n");
	ask("reload-cut\n");
	assert_string_equal(answer, "error\t16 reloads are waiting already\n");
	reloads_again = false;
	while (done < 1 + RELOADS_WAITING_MAX)
		host_turn(&host);
	ask("reload\n");
	assert_int_equal(strncmp(answer, "ok\n", 3), 0);
	assert_int_equal(unlink(rules), 0);
	assert_int_equal(unlink(conf), 0);
}

/* Objects may end while the list is sent. */
static void sockets_vanish(void **state)
{
	int fd;

	(void)state;
	host_start(&host);
	vse_open(&vse, &host);
	for (uint64_t id = 1; id <= 900; id++)
		assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	fd = connect_admin();
	assert_int_equal(send(fd, "sockets\n", 8, 0), 8);
	for (int i = 0; i < 3; i++)
		host_turn(&host);
	vse_close(&vse);
	for (int i = 0; i < 100000 && host.inst.session; i++)
		host_turn(&host);
	assert_null(host.inst.session);
	vse_open(&vse, &host);
	assert_true(read_all(fd) > 0);
	assert_int_equal(answer[strlen(answer) - 1], '\n');
	close(fd);
	vse_close(&vse);
}

static void hostile_questions(void **state)
{
	static const char *const texts[] = {"\n",
					    "nonsense\n",
					    "status\ttasks\n",
					    "trace-start kind=X\n",
					    "\x01\x02\xff\n",
					    "status\nstatus\n"};
	char many[LFP_ADMIN_REQUEST_MAX + 100];
	int fd;

	(void)state;
	host_start(&host);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) - 1; i++) {
		ask(texts[i]);
		assert_int_equal(strncmp(answer, "error\t", 6), 0);
	}
	ask(texts[5]); /* the second line is thrown away */
	assert_int_equal(strncmp(answer, "ok\n", 3), 0);
	assert_int_equal(count("\nconnected\t"), 1);

	/* One that has no end. */
	memset(many, 'x', sizeof(many));
	fd = connect_admin();
	assert_true(send(fd, many, sizeof(many), 0) > 0);
	assert_true(read_all(fd) <= 0);
	close(fd);

	/* One that does not wait for its answer. */
	for (int i = 0; i < 50; i++) {
		fd = connect_admin();
		assert_int_equal(send(fd, "status\n", 7, 0), 7);
		close(fd);
		host_turn(&host);
	}
	ask("status\n");
}

/* Silent clients make room for others. */
static void silent_clients_make_room(void **state)
{
	int fds[3 * SERVER_CLIENTS];

	(void)state;
	host_start(&host);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		fds[i] = connect_admin();
		host_turn(&host);
		host_turn(&host);
	}
	ask("status\n");
	assert_int_equal(strncmp(answer, "ok\n", 3), 0);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
}

/* A client that does not read its answer delays no other. */
static void answer_not_taken(void **state)
{
	int fd, small = 1;

	(void)state;
	host_start(&host);
	vse_open(&vse, &host);
	for (uint64_t id = 1; id <= 900; id++)
		assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	fd = connect_admin();
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	assert_int_equal(send(fd, "sockets\n", 8, 0), 8);
	for (int i = 0; i < 20; i++)
		host_turn(&host);
	ask("status\n");
	assert_int_equal(vse_socket(&vse, 901, LFP_AF_INET), 0);
	assert_true(read_all(fd) > 0);
	assert_int_equal(count("\nrow\ttcp\t"), 900);
	close(fd);
	vse_close(&vse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(reloads, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(sockets_vanish, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(hostile_questions, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(silent_clients_make_room, set_up,
						one_path_tear_down),
		cmocka_unit_test_setup_teardown(answer_not_taken, set_up, one_path_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
