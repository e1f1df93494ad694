/* SPDX-License-Identifier: Apache-2.0 */
/* test-admin.c - asking a daemon, with a thread as the daemon */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfp/admin.h"

/* A daemon that answers one command. */
struct daemon {
	char dir[32], path[64];
	int fd;
	pthread_t thread;
	const char *answer;
	size_t len;   /* of the answer */
	size_t piece; /* written at once */
	char request[LFP_ADMIN_REQUEST_MAX + 2];
};

static int setup(void **state)
{
	struct daemon *d = calloc(1, sizeof(*d));
	struct sockaddr_un sun = {.sun_family = AF_UNIX};

	if (!d)
		return -1;
	strcpy(d->dir, "/tmp/test-admin-XXXXXX");
	if (!mkdtemp(d->dir))
		return -1;
	snprintf(d->path, sizeof(d->path), "%s/admin", d->dir);
	strcpy(sun.sun_path, d->path);
	d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (d->fd < 0 || bind(d->fd, (struct sockaddr *)&sun, sizeof(sun)) < 0 ||
	    listen(d->fd, 1) < 0)
		return -1;
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	struct daemon *d = *state;

	close(d->fd);
	unlink(d->path);
	rmdir(d->dir);
	free(d);
	return 0;
}

/* The line to the newline; then the answer in pieces. */
static void *serve(void *arg)
{
	struct daemon *d = arg;
	int fd = accept(d->fd, NULL, NULL);
	size_t got = 0, sent = 0;

	while (got < sizeof(d->request) && !memchr(d->request, '\n', got)) {
		ssize_t n = read(fd, d->request + got, sizeof(d->request) - got);

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	while (sent < d->len) {
		size_t left = d->len - sent;
		ssize_t n =
			send(fd, d->answer + sent, left < d->piece ? left : d->piece, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	close(fd);
	return NULL;
}

static int ask(struct daemon *d, const char *request, const char *said, size_t len, size_t piece,
	       char **answer)
{
	int rc;

	d->answer = said;
	d->len = len;
	d->piece = piece;
	memset(d->request, 0, sizeof(d->request));
	assert_int_equal(pthread_create(&d->thread, NULL, serve, d), 0);
	rc = lfp_admin_ask(d->path, request, answer);
	pthread_join(d->thread, NULL);
	return rc;
}

static void test_ask(void **state)
{
	static const char said[] = "ok\nsockets\t3\nname\tLINR02\n";
	struct daemon *d = *state;

	for (size_t piece = 1; piece < sizeof(said); piece += 5) {
		char *answer = NULL;

		assert_int_equal(ask(d, "STATUS all", said, strlen(said), piece, &answer), 0);
		assert_string_equal(answer, said);
		assert_string_equal(d->request, "STATUS all\n");
		free(answer);
	}
}

static void test_error_line(void **state)
{
	static const char said[] = "error\tno such socket\n";
	char *answer = NULL, text[64];

	assert_int_equal(ask(*state, "X", said, strlen(said), 100, &answer), 0);
	assert_int_equal(lfp_admin_value(answer, "error", text, sizeof(text)), 0);
	assert_string_equal(text, "no such socket");
	assert_int_equal(lfp_admin_value(answer, "ok", text, sizeof(text)), -ENOENT);
	free(answer);
}

/* A daemon that ends before the end of its answer. */
static void test_cut_off(void **state)
{
	char *answer = NULL;

	assert_int_equal(ask(*state, "X", "", 0, 1, &answer), -ECONNRESET);
	assert_int_equal(ask(*state, "X", "ok\nsock", 7, 7, &answer), -ECONNRESET);
	assert_null(answer);
}

static void test_bad_answer(void **state)
{
	char *answer = NULL;

	assert_int_equal(ask(*state, "X", "ok\n\0x\n", 6, 6, &answer), -EPROTO);
	assert_null(answer);
}

static void test_long_answer(void **state)
{
	size_t len = LFP_ADMIN_ANSWER_MAX;
	char *said = malloc(len + 1), *answer = NULL;

	assert_non_null(said);
	memset(said, '\n', len + 1);
	assert_int_equal(ask(*state, "X", said, len, 65536, &answer), 0);
	assert_int_equal(strlen(answer), len);
	free(answer);
	answer = NULL;
	assert_int_equal(ask(*state, "X", said, len + 1, 65536, &answer), -EMSGSIZE);
	assert_null(answer);
	free(said);
}

static void test_request(void **state)
{
	struct daemon *d = *state;
	char request[LFP_ADMIN_REQUEST_MAX + 2], *answer = NULL;

	memset(request, 'x', sizeof(request));
	request[LFP_ADMIN_REQUEST_MAX + 1] = '\0';
	assert_int_equal(lfp_admin_ask(d->path, request, &answer), -EINVAL);
	assert_int_equal(lfp_admin_ask(d->path, "two\nlines", &answer), -EINVAL);
	request[LFP_ADMIN_REQUEST_MAX] = '\0';
	assert_int_equal(ask(d, request, "ok\n", 3, 3, &answer), 0);
	assert_memory_equal(d->request, request, LFP_ADMIN_REQUEST_MAX);
	assert_int_equal(d->request[LFP_ADMIN_REQUEST_MAX], '\n');
	free(answer);
}

static void test_nobody(void **state)
{
	struct daemon *d = *state;
	char *answer = NULL, path[200];

	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(lfp_admin_ask(path, "X", &answer), -ENAMETOOLONG);
	assert_int_equal(lfp_admin_ask("/tmp/test-admin-none/admin", "X", &answer), -ENOENT);
	close(d->fd);
	d->fd = -1;
	assert_int_equal(lfp_admin_ask(d->path, "X", &answer), -ECONNREFUSED);
	assert_null(answer);
}

static void test_value(void **state)
{
	static const char answer[] = "ok\nkey\tvalue\tmore\nkey\tsecond\nkeys\t\n\nlast\tend";
	char out[32] = "untouched";

	(void)state;
	assert_int_equal(lfp_admin_value(answer, "none", out, sizeof(out)), -ENOENT);
	assert_int_equal(lfp_admin_value(answer, "ke", out, sizeof(out)), -ENOENT);
	assert_int_equal(lfp_admin_value(answer, "value", out, sizeof(out)), -ENOENT);
	assert_string_equal(out, "untouched");
	assert_int_equal(lfp_admin_value(answer, "key", out, sizeof(out)), 0);
	assert_string_equal(out, "value\tmore");
	assert_int_equal(lfp_admin_value(answer, "key", out, 4), 0);
	assert_string_equal(out, "val");
	assert_int_equal(lfp_admin_value(answer, "keys", out, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(lfp_admin_value(answer, "ok", out, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(lfp_admin_value(answer, "last", out, sizeof(out)), 0);
	assert_string_equal(out, "end");
	assert_int_equal(lfp_admin_value("", "key", out, sizeof(out)), -ENOENT);
}

static void test_each(void **state)
{
	static const char *const lines[][2] = {
		{"ok", ""}, {"a", "1"}, {"", ""}, {"b", "2 3"}, {"longer", "value"}};
	const char *at = "ok\na\t1\n\nb\t2 3\nlonger\tvalue\n";
	char key[16], value[16];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(lfp_admin_each(&at, key, sizeof(key), value, sizeof(value)), 1);
		assert_string_equal(key, lines[i][0]);
		assert_string_equal(value, lines[i][1]);
	}
	assert_int_equal(lfp_admin_each(&at, key, sizeof(key), value, sizeof(value)), 0);
	assert_int_equal(lfp_admin_each(&at, key, sizeof(key), value, sizeof(value)), 0);

	at = "longer\tvalue";
	assert_int_equal(lfp_admin_each(&at, key, 4, value, 1), 1);
	assert_string_equal(key, "lon");
	assert_string_equal(value, "");
	assert_int_equal(lfp_admin_each(&at, key, 4, value, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ask, setup, teardown),
		cmocka_unit_test_setup_teardown(test_error_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_off, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_request, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nobody, setup, teardown),
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
