/* SPDX-License-Identifier: Apache-2.0 */
/* test-give-end.c - the ends of a given socket: no task takes it, or its giver or its peer goes
 * away */
#include "crediting.h"
#include "giving.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ijblfp/ctl/give.h"
#include "tests/qemu-user.h"

static void closed_before_it_is_taken_it_is_reset(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver = client_id(host);
	uint64_t id;
	int fd = connected(host, &id), new;
	struct got got;

	assert_int_equal(give(host, fd, &any), 0);
	assert_int_equal(call(host, LFP_CTL_DROP, 0, 0, fd), 0);
	got = host_expect(host, LFP_CLOSE);
	assert_int_equal(got.sock, id);
	assert_int_equal(got.how, 1);
	assert_true(hangs(fd));
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EBADF);
	close(fd);
}

/* The instance's check of every second while there are gifts. */
static void look_twice(struct host *host)
{
	uv_timer_t *timer = &host->inst->gives->timer;

	assert_true(uv_is_active((uv_handle_t *)timer));
	timer->timer_cb(timer);
	timer->timer_cb(timer);
}

static void closed_without_a_word_it_is_reset_too(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected(host, &id);
	struct got got;

	assert_int_equal(give(host, fd, &any), 0);
	close(fd);
	look_twice(host);
	got = host_expect(host, LFP_CLOSE);
	assert_int_equal(got.sock, id);
	assert_int_equal(got.how, 1);
}

static void a_given_socket_outlives_its_giver(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, "GIVER   "), given, kept;
	struct lfp_ctl_client giver;
	int fds[2], new;

	host_as = first;
	giver = client_id(host);
	fds[0] = connected(host, &given);
	fds[1] = connected(host, &kept);
	assert_int_equal(give(host, fds[0], &any), 0);
	assert_int_equal(call(host, LFP_CTL_TASK, LFP_CTL_TASK_END, 0, -1), 0);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, kept);
	close(fds[0]);
	close(fds[1]);
	look_twice(host);
	host_as = begin(host, "TAKER   ");
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	assert_int_equal(send(new, "alive", 5, 0), 5);
	host_until(host, host->bytes >= 5);
	close(new);
}

static void it_can_be_taken_back(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver = client_id(host);
	uint64_t id;
	int fd = connected(host, &id), new;

	assert_int_equal(give(host, fd, &any), 0);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	close(fd);
	assert_int_equal(send(new, "back", 4, 0), 4);
	host_until(host, host->bytes >= 4);
	close(new);
}

static void what_nobody_takes_in_time_is_reset(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected(host, &id);

	assert_int_equal(give_for(host, fd, &any, 1), 0);
	assert_false(hangs(fd));
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
	assert_true(hangs(fd));
	assert_int_equal(is_taken(host, fd), 1);
	close(fd);
}

static void a_reset_ends_the_offer(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver = client_id(host);
	uint64_t id;
	int fd = connected(host, &id), new;

	assert_int_equal(give(host, fd, &any), 0);
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	host_until(host, hangs(fd));
	assert_int_not_equal(take_given(host, &giver, NUMBER, &new), 0);
	close(fd);
}

/* Nothing is known of an earlier task of that name, which has ended. */
static void a_name_is_somebody_elses_later(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver;
	uint64_t id;
	int fd, new;

	host_as = begin(host, "GIVER   ");
	giver = client_id(host);
	fd = connected(host, &id);
	assert_int_equal(give(host, fd, &any), 0);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	close(fd);
	close(new);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EBADF);
	assert_int_equal(call(host, LFP_CTL_TASK, LFP_CTL_TASK_END, 0, -1), 0);
	host_as = 0;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EBADF);
	host_as = begin(host, "GIVER   ");
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EACCES);
}

/* Makes a connected stream whose near end has no path. */
static int connected_nameless(struct host *host, uint64_t *id)
{
	struct lfp_addr peer = some_addr(80);
	struct got got[SPARES];
	int fd, conn;

	(void)earn_all(host, got);
	*id = got[0].sock;
	fd = fresh();
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = *id, .status = 0});
	host_until(host, poll_now(fd) & POLLOUT);
	assert_false(has_name(fd));
	return fd;
}

/* A given near end has a path: its giver may hold it for as long as it likes. */
static void without_a_path_it_gets_one(void **state)
{
	struct host *host = *state;
	struct got got;
	uint64_t id;
	int fd;

	QEMU_USER_LACKS("SO_MAX_PACING_RATE");
	fd = connected_nameless(host, &id);
	assert_int_equal(give(host, fd, &any), 0);
	assert_true(has_name(fd));
	look_twice(host);
	assert_int_equal(is_taken(host, fd), 0);
	close(fd);
	look_twice(host);
	got = host_expect(host, LFP_CLOSE);
	assert_int_equal(got.sock, id);
	assert_int_equal(got.how, 1);
}

/* A near end cannot get a path, here because it has another name. It is not given then, since the
 * instance would take it for closed. */
static void without_a_path_it_is_not_given(void **state)
{
	struct host *host = *state;
	struct sockaddr_un own = {.sun_family = AF_UNIX};
	uint64_t id;
	int fd;

	QEMU_USER_LACKS("SO_MAX_PACING_RATE");
	fd = connected_nameless(host, &id);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(sa_family_t)), 0);
	assert_int_equal(give(host, fd, &any), ENOBUFS);
	assert_true(lfp_list_empty(&host->inst->gives->all));
	/* The connection goes on. */
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	host_data(host, id, 0, "still here");
	host_until(host, poll_now(fd) & POLLIN);
	expect_text(fd, "still here");
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(closed_before_it_is_taken_it_is_reset),
		TEST(closed_without_a_word_it_is_reset_too),
		TEST(a_given_socket_outlives_its_giver),
		TEST(it_can_be_taken_back),
		TEST(what_nobody_takes_in_time_is_reset),
		TEST(a_reset_ends_the_offer),
		TEST(a_name_is_somebody_elses_later),
		TEST(without_a_path_it_gets_one),
		TEST(without_a_path_it_is_not_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
