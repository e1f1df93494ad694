/* SPDX-License-Identifier: Apache-2.0 */
/* test-fces-server.c - a key server and its clients: good ends, wrong ends, many at once, and
 * hostile ones */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/fces/tls.h"
#include "tests/devemu/fces-rig.h"

static struct fces_rig rig;

static int setup(void **state)
{
	(void)state;
	fces_rig_start(&rig, NULL, 0);
	return 0;
}

static int impatient(void **state)
{
	(void)state;
	fces_rig_start(&rig, NULL, 700);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fces_rig_finish(&rig);
	return 0;
}

static bool same(const struct fces_shared *a, const struct fces_shared *b)
{
	return a->id == b->id && !memcmp(a->key, b->key, FCES_KEY);
}

static void two_ends_get_one_key(void **state)
{
	struct fces_shared one, two, again;

	(void)state;
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &one), 0);
	assert_int_equal(fces_rig_get(&rig, 1, "ONE", one.id, &two), 0);
	assert_true(same(&one, &two));
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &again), 0);
	assert_true(same(&one, &again));
	assert_int_equal(fces_rig_get(&rig, 1, "ONE", one.id + 1, &two), -ENOKEY);
	fces_rig_stop(&rig);
	assert_int_equal(rig.served, 3);
	assert_int_equal(rig.refused, 1);
	assert_string_equal(rig.why, "the server no longer has the key with that id");
}

static void others_get_none(void **state)
{
	struct fces_shared shared;

	(void)state;
	assert_int_equal(fces_rig_get(&rig, 2, "ONE", 0, &shared), -EACCES);
	assert_int_equal(fces_rig_get(&rig, 0, "THREE", 0, &shared), -EACCES);
	assert_int_equal(fces_rig_get(&rig, 0, "NOBODY", 0, &shared), -EACCES);
	assert_int_equal(fces_rig_get(&rig, 0, "ONE", 0, &shared), -EACCES);
	assert_int_equal(fces_rig_get(&rig, 0, "not a name", 0, &shared), -EINVAL);
	fces_rig_stop(&rig);
	assert_int_equal(rig.served, 0);
	assert_int_equal(rig.refused, 4);
}

static void keys_are_made_anew(void **state)
{
	struct fces_shared one, two, old;

	(void)state;
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &one), 0);
	assert_int_equal(write(rig.wake[1], "n", 1), 1);
	do
		assert_int_equal(fces_rig_get(&rig, 1, "ONE", 0, &two), 0);
	while (two.id == one.id);
	assert_memory_not_equal(one.key, two.key, FCES_KEY);
	assert_int_equal(fces_rig_get(&rig, 1, "ONE", one.id, &old), 0);
	assert_true(same(&one, &old));
}

static void a_key_of_the_file_stays(void **state)
{
	static const char *const key =
		"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";
	struct fces_shared one;

	(void)state;
	fces_rig_finish(&rig);
	fces_rig_start(&rig, key, 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &one), 0);
		assert_int_equal(one.id, 1);
		for (int n = 0; n < FCES_KEY; n++)
			assert_int_equal(one.key[n], n);
		assert_int_equal(write(rig.wake[1], "n", 1), 1);
	}
}

static void a_wrong_secret_is_refused(void **state)
{
	struct key_client client = {.name = "ONE",
				    .secret = fces_rig_secret[1],
				    .address = &rig.address,
				    .patience = 30000};
	struct fces_shared shared = {0};

	(void)state;
	assert_int_equal(key_client_get(&client, "TWO", 0, &shared), -EKEYREJECTED);
	client.name = "NOBODY";
	assert_int_equal(key_client_get(&client, "TWO", 0, &shared), -EKEYREJECTED);
	assert_int_equal(shared.id, 0);
	fces_rig_stop(&rig);
	assert_int_equal(rig.closed, 2);
	assert_string_equal(rig.why, "it does not have the secret of that end");
}

/* On a UNIX socket a connection that has to wait for its place is refused by the kernel at once. */
static void a_server_that_is_busy_is_waited_for(void **state)
{
	struct fces_shared shared;
	struct key_client client = {.name = "ONE",
				    .secret = fces_rig_secret[0],
				    .address = &rig.address,
				    .patience = 50};
	int listener, waiting, more;

	(void)state;
	fces_rig_stop(&rig);
	listener = key_address_listen(&rig.address);
	assert_true(listener >= 0);
	assert_int_equal(listen(listener, 0), 0);
	waiting = fces_rig_connect(&rig);
	assert_int_equal(key_client_get(&client, "TWO", 0, &shared), -ETIMEDOUT);
	more = accept(listener, NULL, NULL);
	assert_true(more >= 0);
	close(more);
	close(waiting);
	close(listener);
}

static void nobody_is_there(void **state)
{
	struct fces_shared shared;

	(void)state;
	fces_rig_stop(&rig);
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &shared), -ECONNREFUSED);
	unlink(rig.socket);
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &shared), -ENOENT);
}

struct impostor {
	int fd;
	const char *says; /* NULL: nothing, and does not close */
};

static void *pretend(void *context)
{
	struct impostor *impostor = context;
	struct pollfd pfd = {.fd = impostor->fd, .events = POLLIN};
	char bytes[512];
	int fd;

	if (poll(&pfd, 1, 30000) != 1)
		return impostor;
	fd = accept(impostor->fd, NULL, NULL);
	if (fd < 0)
		return impostor;
	if (impostor->says &&
	    (recv(fd, bytes, sizeof(bytes), 0) <= 0 ||
	     (send(fd, impostor->says, strlen(impostor->says), MSG_NOSIGNAL) < 0 &&
	      errno != EPIPE)))
		return impostor; /* EPIPE: the client has stopped waiting */
	while (!impostor->says && recv(fd, bytes, sizeof(bytes), 0) > 0)
		;
	close(fd);
	return NULL;
}

static int ask_impostor(const char *says, int patience)
{
	struct key_client client = {.name = "ONE",
				    .secret = fces_rig_secret[0],
				    .address = &rig.address,
				    .patience = patience};
	struct impostor impostor = {.says = says};
	struct fces_shared shared;
	pthread_t thread;
	void *failed;
	int rc;

	impostor.fd = key_address_listen(&rig.address);
	assert_true(impostor.fd >= 0);
	assert_int_equal(pthread_create(&thread, NULL, pretend, &impostor), 0);
	rc = key_client_get(&client, "TWO", 0, &shared);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	close(impostor.fd);
	return rc;
}

static void what_answers_is_no_key_server(void **state)
{
	int rc, patience = 300;

	(void)state;
	fces_rig_stop(&rig);
	assert_int_equal(ask_impostor("HTTP/1.1 400 Bad Request\r\n\r\n", 30000), -EPROTO);
	/* On a slow machine it takes more patience to see that it ends connections. */
	do
		rc = ask_impostor("", patience);
	while (rc == -ETIMEDOUT && (patience *= 2) < 60000);
	assert_int_equal(rc, -ECONNRESET);
	assert_int_equal(ask_impostor(NULL, 200), -ETIMEDOUT);
}

enum { THREADS = 8, EACH = 25 };

static void *ask_often(void *context)
{
	struct fces_shared *all = context;

	for (int i = 0; i < EACH; i++) {
		struct fces_shared shared;

		if (fces_rig_get(&rig, i % 2, i % 2 ? "ONE" : "TWO", 0, &shared) < 0)
			return context;
		if (i && !same(&shared, all))
			return context;
		*all = shared;
	}
	return NULL;
}

static void many_at_once(void **state)
{
	struct fces_shared all[THREADS];
	pthread_t thread[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, ask_often, &all[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		assert_int_equal(pthread_join(thread[i], &failed), 0);
		assert_null(failed);
		assert_true(same(&all[0], &all[i]));
	}
	fces_rig_stop(&rig);
	assert_int_equal(rig.served, THREADS * EACH);
	assert_int_equal(rig.closed, 0);
}

static void garbage_is_thrown_out(void **state)
{
	static const char http[] = "GET / HTTP/1.0\r\n\r\n";
	uint8_t zeros[1000] = {0}, hello[64] = {22, 3, 1, 0xff, 0xff, 1, 0, 0xff, 0xff};
	struct fces_shared shared;
	int fd[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		fd[i] = fces_rig_connect(&rig);
	assert_true(send(fd[0], http, sizeof(http), MSG_NOSIGNAL) > 0);
	assert_true(send(fd[1], zeros, sizeof(zeros), MSG_NOSIGNAL) > 0);
	assert_true(send(fd[2], hello, sizeof(hello), MSG_NOSIGNAL) > 0);
	for (int i = 0; i < 3; i++) {
		assert_true(fces_rig_is_closed(fd[i]));
		close(fd[i]);
	}
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &shared), 0);
	fces_rig_stop(&rig);
	assert_int_equal(rig.closed, 3);
}

/* A client that sends nothing, or part of a handshake and then nothing, or disconnects. */
static void who_stops_halfway_is_closed(void **state)
{
	uint8_t beginning[] = {22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3, 1, 2, 3};
	struct fces_shared shared;
	unsigned int slow = 0;
	int silent = fces_rig_connect(&rig), half = fces_rig_connect(&rig);
	int gone = fces_rig_connect(&rig);

	(void)state;
	/* On a slow machine the server may have lost its patience with them before. */
	assert_true(send(half, beginning, sizeof(beginning), MSG_NOSIGNAL) > 0 || errno == EPIPE);
	assert_true(send(gone, beginning, sizeof(beginning), MSG_NOSIGNAL) > 0 || errno == EPIPE);
	close(gone);
	/* Meanwhile others are served, unless this machine makes them slow, too. */
	while (fces_rig_get(&rig, 0, "TWO", 0, &shared) < 0)
		slow++;
	assert_true(fces_rig_is_closed(silent));
	assert_true(fces_rig_is_closed(half));
	close(silent);
	close(half);
	fces_rig_stop(&rig);
	assert_true(rig.closed >= 3); /* and each try of a slow one */
	assert_in_range(rig.served, 1, 1 + slow);
}

/* Through the handshake with a good secret, one step at a time, and @len bytes behind it; again if
 * the server has no patience with a slow machine. */
static struct tls *shake(struct tls_context *context, int *fd, const uint8_t *says, size_t len)
{
	struct tls *tls;
	short events;
	int rc, tries = 60;

again:
	*fd = fces_rig_connect(&rig);
	tls = tls_create(context, *fd);
	assert_non_null(tls);
	do {
		struct pollfd pfd = {.fd = *fd};

		rc = tls_handshake(tls, &pfd.events);
		if (rc == -EAGAIN)
			assert_int_equal(poll(&pfd, 1, 30000), 1);
	} while (rc == -EAGAIN);
	if (rc == 1 && len)
		rc = tls_write(tls, says, len, &events);
	if ((rc == -ECONNRESET || rc == -EPIPE) && --tries) {
		tls_destroy(tls);
		close(*fd);
		goto again;
	}
	assert_int_equal(rc, len ? len : 1);
	return tls;
}

/* An end with a good secret that asks byte by byte, or for nothing, or nonsense. */
static void an_end_that_misbehaves_is_closed(void **state)
{
	static const uint8_t nonsense[] = "KS\1\3........................";
	static const uint8_t half[] = {'K', 'S', 1, 1, 0, 0};
	const uint8_t *const says[] = {nonsense, half};
	const size_t lens[] = {sizeof(nonsense), sizeof(half)};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tls_context *context = tls_client_context("ONE", fces_rig_secret[0]);
		struct tls *tls;
		int fd;

		assert_non_null(context);
		tls = shake(context, &fd, says[i], lens[i]);
		assert_true(fces_rig_is_closed(fd));
		tls_destroy(tls);
		close(fd);
		tls_context_destroy(context);
	}
	fces_rig_stop(&rig);
	assert_true(rig.closed >= 2);
	assert_string_equal(rig.why, "it is too slow");
}

/* Silent clients hold all places; a good end is still served at once. */
static void who_takes_all_places_does_not_keep_them(void **state)
{
	int fd[KEY_SERVER_PLACES + 20];
	struct fces_shared shared;

	(void)state;
	for (int i = 0; i < KEY_SERVER_PLACES + 20; i++)
		fd[i] = fces_rig_connect(&rig);
	assert_int_equal(fces_rig_get(&rig, 0, "TWO", 0, &shared), 0);
	/* The first ones have lost theirs. */
	for (int i = 0; i < 20; i++)
		assert_true(fces_rig_is_closed(fd[i]));
	for (int i = 0; i < KEY_SERVER_PLACES + 20; i++)
		close(fd[i]);
}

/* A client that has proved its secret keeps its place against all later clients. */
static void an_end_keeps_its_place(void **state)
{
	static const uint8_t beginning[] = {22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3, 1, 2, 3};
	struct tls_context *context = tls_client_context("ONE", fces_rig_secret[0]);
	const struct key_request request = {.peer = "TWO"};
	uint8_t bytes[KEY_REQUEST_MAX];
	int fd, other[2 * KEY_SERVER_PLACES];
	size_t len;
	struct fces_shared shared;
	struct tls *tls;
	short events;

	(void)state;
	assert_non_null(context);
	tls = shake(context, &fd, NULL, 0);
	for (int i = 0; i < 2 * KEY_SERVER_PLACES; i++) {
		other[i] = fces_rig_connect(&rig);
		if (i % 2)
			send(other[i], beginning, sizeof(beginning), MSG_NOSIGNAL);
	}
	/* All of them have come, when one behind them has been served. */
	assert_int_equal(fces_rig_get(&rig, 1, "ONE", 0, &shared), 0);
	len = key_request_encode(&request, bytes);
	assert_int_equal(tls_write(tls, bytes, len, &events), len);
	for (int rc = -EAGAIN; rc == -EAGAIN;) {
		struct pollfd pfd = {.fd = fd};

		rc = tls_read(tls, bytes, 1, &pfd.events);
		if (rc == -EAGAIN)
			assert_int_equal(poll(&pfd, 1, 30000), 1);
		else
			assert_int_equal(rc, 1);
	}
	for (int i = 0; i < 2 * KEY_SERVER_PLACES; i++)
		close(other[i]);
	tls_destroy(tls);
	tls_context_destroy(context);
	close(fd);
}

/* Several requests on one connection, cut as a network might cut them. */
static void a_connection_may_ask_again(void **state)
{
	struct tls_context *context = tls_client_context("ONE", fces_rig_secret[0]);
	int fd;
	struct key_request request = {.peer = "TWO"};
	struct key_answer answer;
	uint8_t bytes[2 * KEY_REQUEST_MAX], back[2 * KEY_ANSWER];
	size_t len, have = 0;
	struct tls *tls;
	short events;

	(void)state;
	assert_non_null(context);
	tls = shake(context, &fd, NULL, 0);
	len = key_request_encode(&request, bytes);
	strcpy(request.peer, "THREE");
	len += key_request_encode(&request, bytes + len);
	assert_int_equal(tls_write(tls, bytes, 7, &events), 7);
	assert_int_equal(tls_write(tls, bytes + 7, len - 7, &events), len - 7);
	while (have < sizeof(back)) {
		struct pollfd pfd = {.fd = fd};
		const int rc = tls_read(tls, back + have, sizeof(back) - have, &pfd.events);

		if (rc == -EAGAIN) {
			assert_int_equal(poll(&pfd, 1, 30000), 1);
			continue;
		}
		assert_true(rc > 0);
		have += (size_t)rc;
	}
	assert_int_equal(key_answer_decode(back, have, &answer), KEY_ANSWER);
	assert_int_equal(answer.status, KEY_OK);
	assert_int_equal(key_answer_decode(back + KEY_ANSWER, KEY_ANSWER, &answer), KEY_ANSWER);
	assert_int_equal(answer.status, KEY_NOT_SHARED);
	tls_destroy(tls);
	tls_context_destroy(context);
	close(fd);
}

int main(void)
{
#define TEST(name)  cmocka_unit_test_setup_teardown(name, setup, teardown)
#define HURRY(name) cmocka_unit_test_setup_teardown(name, impatient, teardown)
	const struct CMUnitTest tests[] = {
		TEST(two_ends_get_one_key),
		TEST(others_get_none),
		TEST(keys_are_made_anew),
		TEST(a_key_of_the_file_stays),
		TEST(a_wrong_secret_is_refused),
		TEST(a_server_that_is_busy_is_waited_for),
		TEST(nobody_is_there),
		TEST(what_answers_is_no_key_server),
		TEST(many_at_once),
		TEST(garbage_is_thrown_out),
		HURRY(who_stops_halfway_is_closed),
		HURRY(an_end_that_misbehaves_is_closed),
		TEST(who_takes_all_places_does_not_keep_them),
		TEST(an_end_keeps_its_place),
		TEST(a_connection_may_ask_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
