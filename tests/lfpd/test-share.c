/* SPDX-License-Identifier: Apache-2.0 */
/* test-share.c - no user gets everything that users share */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/sock/paused.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/sharing.h"
#include "tests/lfpd/suspension.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int asked, answers; /* look-ups that wait have an answer from `answers` on */

/* Instead of libc's. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **list)
{
	(void)service;
	(void)hints;
	*list = NULL;
	if (strcmp(node, "SLOW") != 0)
		return EAI_NONAME;
	pthread_mutex_lock(&lock);
	asked++;
	while (!answers)
		pthread_cond_wait(&changed, &lock);
	answers--;
	pthread_mutex_unlock(&lock);
	return EAI_FAIL;
}

static void answer(unsigned int nr)
{
	pthread_mutex_lock(&lock);
	answers += nr;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static unsigned int nr_asked(void)
{
	unsigned int nr;

	pthread_mutex_lock(&lock);
	nr = asked;
	pthread_mutex_unlock(&lock);
	return nr;
}

static struct lfp_addr listen_for(uint32_t task)
{
	struct lfp_frame frame = {.code = LFP_BIND, .bind.local = vse_addr("127.0.0.1", 0)};

	assert_int_equal(sharing_make(task), 0);
	frame.sock = sharing_last_id;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){
		.code = LFP_LISTEN, .sock = sharing_last_id, .listen.backlog = 16};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_ACCEPT, .sock = sharing_last_id, .accept.count = 9};
	vse_send(&vse, &frame);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = sharing_last_id};
	return vse_ask(&vse, frame).name.addr;
}

static int connect_native(const struct lfp_addr *addr)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(addr->port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(&in.sin_addr, addr->ip, 4);
	assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	return fd;
}

static struct lfp_frame expect_accepted(uint64_t listener)
{
	struct lfp_frame frame = vse_expect(&vse, LFP_ACCEPTED);

	assert_true(frame.sock == listener);
	return frame;
}

static void sockets(void **state)
{
	struct lfp_frame taken = {.code = LFP_TAKEN, .task = 3};

	(void)state;
	sharing_log();
	host.config.max_sockets = 12;
	host.config.max_vse_tasks = 8;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	assert_int_equal(sharing_begin(3, USER_B), 0);
	for (int i = 0; i < 9; i++)
		assert_int_equal(sharing_make(2), 0);
	assert_int_equal(sharing_make(2), EDQUOT);
	assert_int_equal(sharing_make(2), EDQUOT);
	assert_int_equal(sharing_logged("VLFD160W User 65534 has too many open sockets, all of "
					"MAX_SOCKETS_USER (9)"),
			 1);
	/* Another task of the same user. */
	assert_int_equal(sharing_begin(4, USER_A), 0);
	assert_int_equal(sharing_make(4), EDQUOT);
	assert_int_equal(sharing_make(3), 0);
	assert_int_equal(host.inst.counters.refused_users[SHARE_SOCKETS], 3);
	/* They outlive their task; so does the count. */
	sharing_end(2);
	assert_int_equal(sharing_make(4), EDQUOT);
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 9);
	/* One is taken by the other user. */
	taken.sock = 1;
	vse_send(&vse, &taken);
	assert_int_equal(sharing_make(4), 0);
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 9);
	assert_int_equal(sharing_has(USER_B, SHARE_SOCKETS), 2);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(sharing_has(USER_B, SHARE_SOCKETS), 1);
	assert_int_equal(sharing_make(4), EDQUOT);
	assert_int_equal(vse_close_socket(&vse, 5, 0, 0), 0);
	assert_int_equal(sharing_make(4), 0);
	/* root has all that is left. */
	assert_int_equal(sharing_make(1), 0);
	assert_int_equal(sharing_make(1), 0);
	assert_int_equal(sharing_make(1), ENFILE);
	assert_int_equal(host.inst.nr_sockets, 12);
	vse_close(&vse);
	sharing_log_end();
}

static void tasks(void **state)
{
	(void)state;
	sharing_log();
	host.config.max_vse_tasks = 8;
	host.config.max_tasks_user = 2;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	assert_int_equal(sharing_begin(3, USER_A), 0);
	assert_int_equal(sharing_begin(4, USER_A), EAGAIN);
	assert_int_equal(sharing_logged("VLFD161W User 65534 has too many tasks, all of "
					"MAX_TASKS_USER (2)"),
			 1);
	assert_int_equal(sharing_begin(5, USER_B), 0);
	for (uint32_t task = 6; task < 10; task++)
		assert_int_equal(sharing_begin(task, 0), 0);
	assert_int_equal(sharing_begin(10, 0), EAGAIN);
	assert_int_equal(sharing_logged("VLFD117W"), 1);
	sharing_end(2);
	assert_int_equal(sharing_begin(11, USER_A), 0);
	assert_int_equal(host.inst.counters.refused_users[SHARE_TASKS], 1);
	vse_close(&vse);
	sharing_log_end();
}

/* Many users at their limits do not fill the log. */
static void many_users(void **state)
{
	(void)state;
	sharing_log();
	host.config.max_vse_tasks = 100;
	host.config.max_tasks_user = 1;
	one_path_start();
	for (uint32_t user = 1; user <= 20; user++) {
		assert_int_equal(sharing_begin(10 * user, user), 0);
		assert_int_equal(sharing_begin(10 * user + 1, user), EAGAIN);
		assert_int_equal(sharing_begin(10 * user + 2, user), EAGAIN);
	}
	assert_int_equal(sharing_logged("VLFD161W"), 8);
	assert_int_equal(sharing_logged("VLFD161W User 8 has"), 1);
	assert_int_equal(host.inst.counters.refused_users[SHARE_TASKS], 40);
	vse_close(&vse);
	sharing_log_end();
}

/* @end ends the first listener that waits. */
static void listeners_with(const struct lfp_frame *end)
{
	struct lfp_frame close_ = {.code = LFP_CLOSE, .request = 99};
	struct lfp_addr one, two, other;
	int fds[5];

	host.config.max_sockets = 12;
	host.config.max_sockets_user = 4;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	assert_int_equal(sharing_begin(3, USER_B), 0);
	one = listen_for(2);
	two = listen_for(2);
	other = listen_for(3);
	/* Two are accepted, and count for their listener's user. */
	fds[0] = connect_native(&one);
	close_.sock = expect_accepted(1).accepted.id;
	sharing_end(2);
	fds[1] = connect_native(&one);
	expect_accepted(1);
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 4);
	fds[2] = connect_native(&one);
	sharing_turns();
	fds[3] = connect_native(&two);
	sharing_turns();
	assert_int_equal(host.inst.nr_sockets, 5);
	/* Those of others go on. */
	fds[4] = connect_native(&other);
	expect_accepted(3);
	assert_int_equal(host.inst.nr_sockets, 6);
	assert_true(lfp_list_empty(&host.inst.paused));
	/* Room for one: the first that waits ends meanwhile, so it is the second one's. */
	vse_send(&vse, &close_);
	vse_send(&vse, end);
	assert_int_equal(vse_expect(&vse, LFP_CLOSE | 0x80).status, 0);
	if (end->request)
		assert_int_equal(vse_expect(&vse, end->code | 0x80).status, 0);
	expect_accepted(2);
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 4);
	for (int i = 0; i < 5; i++)
		close(fds[i]);
	vse_close(&vse);
}

static void listeners(void **state)
{
	(void)state;
	listeners_with(
		&(struct lfp_frame){.code = LFP_SHUTDOWN, .sock = 1, .shutdown.how = SHUT_RDWR});
}

static void listeners_that_dissolve(void **state)
{
	(void)state;
	listeners_with(&(struct lfp_frame){.code = LFP_CONNECT, .sock = 1, .request = 98});
}

/* A listener that has nothing more to accept lets the next one go on; so does a larger share. */
static void listeners_in_turn(void **state)
{
	struct lfp_addr one, two;
	int fds[4];

	(void)state;
	host.config.max_sockets = 12;
	host.config.max_sockets_user = 3;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	one = listen_for(2);
	two = listen_for(2);
	fds[0] = connect_native(&one);
	expect_accepted(1);
	fds[1] = connect_native(&one);
	sharing_turns();
	fds[2] = connect_native(&two);
	sharing_turns();
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 3);
	host.inst.config.max_sockets_user = 5;
	paused_go_on_all(&host.inst);
	expect_accepted(1);
	expect_accepted(2);
	fds[3] = connect_native(&two);
	sharing_turns();
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 5);
	/* One that waits is taken by root, who may have more. */
	assert_int_equal(
		vse_ask(&vse, (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 2}).status, 0);
	vse_send(&vse, &(struct lfp_frame){.code = LFP_TAKEN, .sock = 2, .task = 1});
	expect_accepted(2);
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 4);
	assert_int_equal(sharing_has(0, SHARE_SOCKETS), 2);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	vse_close(&vse);
}

static void look_up(uint32_t task, const uint8_t *name, uint16_t len)
{
	struct lfp_frame frame = {.code = LFP_GETADDRINFO, .task = task};

	frame.request = ++vse.request;
	frame.getaddrinfo.given = 1;
	frame.getaddrinfo.node = (struct lfp_text){name, len};
	vse_send(&vse, &frame);
}

/* "SLOW" and "FAST" in EBCDIC. */
static void ask_slow(uint32_t task)
{
	look_up(task, (const uint8_t *)"\xE2\xD3\xD6\xE6", 4);
}

static void ask_fast(uint32_t task)
{
	look_up(task, (const uint8_t *)"\xC6\xC1\xE2\xE3", 4);
}

static int32_t expect_answer(void)
{
	return vse_expect(&vse, LFP_GETADDRINFO | 0x80).getaddrinfo_reply.error;
}

static void until_asked(unsigned int nr)
{
	while (nr_asked() < nr)
		host_turn(&host);
}

/* Four threads: three for one user, and always one for a user that has none. */
static void threads(void **state)
{
	(void)state;
	host.config.max_vse_tasks = 8;
	asked = 0;
	host.config.max_lookups = 100;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	assert_int_equal(sharing_begin(3, USER_B), 0);
	for (int i = 0; i < 10; i++)
		ask_slow(2);
	until_asked(3);
	ask_fast(3);
	assert_int_equal(expect_answer(), EAI_NONAME);
	assert_int_equal(nr_asked(), 3);
	/* Users take turns. */
	ask_slow(3);
	ask_slow(3);
	until_asked(4);
	ask_slow(1);
	sharing_turns();
	assert_int_equal(sharing_has(USER_A, SHARE_LOOKUPS), 10);
	assert_int_equal(sharing_has(USER_B, SHARE_LOOKUPS), 2);
	assert_int_equal(host.inst.nr_looked_up, 4);
	answer(13);
	for (int i = 0; i < 13; i++)
		assert_int_equal(expect_answer(), EAI_FAIL);
	sharing_turns();
	assert_int_equal(sharing_has(USER_A, SHARE_LOOKUPS), 0);
	assert_true(lfp_list_empty(&host.inst.turns));
	vse_close(&vse);
}

static void lookups(void **state)
{
	(void)state;
	sharing_log();
	asked = 0;
	host.config.max_lookups = 8;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	assert_int_equal(sharing_begin(3, USER_B), 0);
	for (int i = 0; i < 6; i++)
		ask_slow(2);
	until_asked(3);
	ask_slow(2);
	assert_int_equal(expect_answer(), EAI_AGAIN);
	assert_int_equal(sharing_logged("VLFD162W User 65534 has too many pending look-ups, three "
					"quarters of MAX_LOOKUPS (6)"),
			 1);
	ask_fast(3);
	assert_int_equal(expect_answer(), EAI_NONAME);
	/* The path ends: those that wait go, those in threads stay until they are answered. */
	vse_close(&vse);
	while (host.inst.session)
		host_turn(&host);
	assert_int_equal(sharing_has(USER_A, SHARE_LOOKUPS), 3);
	vse_open(&vse, &host);
	assert_int_equal(sharing_begin(2, USER_A), 0);
	ask_fast(2);
	sharing_turns();
	assert_int_equal(sharing_has(USER_A, SHARE_LOOKUPS), 4);
	answer(3);
	assert_int_equal(expect_answer(), EAI_NONAME);
	vse_close(&vse);
	sharing_log_end();
}

static void restart(void **state)
{
	uint64_t session = start();
	int fd = connect_socket(1);

	(void)state;
	assert_int_equal(sharing_begin(2, USER_A), 0);
	sharing_last_id = 1;
	assert_int_equal(sharing_make(2), 0);
	assert_int_equal(sharing_make(2), 0);
	sharing_end(2);
	assert_int_equal(sharing_begin(3, USER_A), 0);
	hand_over(session);
	assert_int_equal(resume(1, 0, 0), 0);
	assert_int_equal(resume(2, 0, 0), 0);
	assert_int_equal(resume(3, 0, 0), 0);
	resumed();
	assert_int_equal(sharing_has(USER_A, SHARE_SOCKETS), 2);
	assert_int_equal(sharing_has(USER_A, SHARE_TASKS), 1);
	assert_int_equal(sharing_has(0, SHARE_SOCKETS), 1);
	host.inst.config.max_sockets_user = 3;
	assert_int_equal(sharing_make(3), 0);
	assert_int_equal(sharing_make(3), EDQUOT);
	assert_int_equal(vse_close_socket(&vse, 2, 0, 0), 0);
	assert_int_equal(sharing_make(3), 0);
	close(fd);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sharing_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sockets),
		TEST(tasks),
		TEST(many_users),
		TEST(listeners),
		TEST(listeners_that_dissolve),
		TEST(listeners_in_turn),
		TEST(threads),
		TEST(lookups),
		cmocka_unit_test_setup_teardown(restart, set_up, one_path_tear_down),
	};

	/* Before libuv makes its threads. */
	setenv("UV_THREADPOOL_SIZE", "4", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
