/* SPDX-License-Identifier: Apache-2.0 */
/* test-near-living.c - near ends without a path: which of them a program holds, and how many */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/near/near-living.h"
#include "lfp/rights.h"

#define COOKIE 1000 /* of the first near end; no kernel is asked */

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct near_living));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	near_living_finish(*state);
	free(*state);
	return 0;
}

/* Returns a near end without a peer, as one whose connection waits. */
static int unpaired(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	return fd;
}

static void pair_of(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

static void send_fd(int to, int fd)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};

	assert_int_equal(lfp_rights_send(to, &iov, 1, &fd, 1), 0);
}

/* A copy of the descriptor keeps the near end: by dup(), in a child, and in a message. */
static void every_copy_holds_it(void **state)
{
	struct near_living *living = *state;
	int near = unpaired(), copy, box[2], run[2];
	unsigned int set = near_living_add(living, near, 1, COOKIE);
	pid_t child;
	char c;

	assert_int_equal(set, 1);
	assert_false(near_living_is_gone(living, set, COOKIE));
	copy = dup(near);
	close(near);
	assert_false(near_living_is_gone(living, set, COOKIE));
	pair_of(box);
	send_fd(box[0], copy);
	close(copy);
	assert_false(near_living_is_gone(living, set, COOKIE));
	close(box[0]);
	assert_false(near_living_is_gone(living, set, COOKIE));
	close(box[1]); /* nobody can receive it any more */
	assert_true(near_living_is_gone(living, set, COOKIE));

	near = unpaired();
	assert_int_equal(near_living_add(living, near, 1, COOKIE + 1), set);
	pair_of(run);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(run[0]);
		_exit(read(run[1], &c, 1) != 0);
	}
	close(near);
	close(run[1]);
	assert_false(near_living_is_gone(living, set, COOKIE + 1));
	close(run[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(near_living_is_gone(living, set, COOKIE + 1));
}

/* Both directions have ended, at either end or at both: the near end is still held. */
static void ended_but_held(void **state)
{
	struct near_living *living = *state;
	int fds[2];
	unsigned int set;

	for (uint64_t i = 0; i < 4; i++) {
		pair_of(fds);
		set = near_living_add(living, fds[0], 1, COOKIE + i);
		assert_int_equal(set, 1);
		if (i == 0)
			shutdown(fds[0], SHUT_RDWR);
		if (i == 1)
			shutdown(fds[1], SHUT_RDWR);
		if (i == 2) {
			shutdown(fds[0], SHUT_WR);
			shutdown(fds[1], SHUT_WR);
		}
		if (i == 3) {
			close(fds[1]);
			fds[1] = -1;
		}
		assert_false(near_living_is_gone(living, set, COOKIE + i));
		close(fds[0]);
		assert_true(near_living_is_gone(living, set, COOKIE + i));
		if (fds[1] >= 0)
			close(fds[1]);
	}
}

/* The number of a closed descriptor comes again for another near end. */
static void numbers_come_again(void **state)
{
	struct near_living *living = *state;
	int first = unpaired(), copy = dup(first), second;
	unsigned int set = near_living_add(living, first, 1, COOKIE);

	close(first);
	second = unpaired();
	assert_int_equal(second, first);
	assert_int_equal(near_living_add(living, second, 1, COOKIE + 1), set);
	assert_false(near_living_is_gone(living, set, COOKIE));
	assert_false(near_living_is_gone(living, set, COOKIE + 1));
	/* Neither takes the other's entry out. */
	near_living_remove(living, second, set);
	assert_false(near_living_is_gone(living, set, COOKIE));
	assert_true(near_living_is_gone(living, set, COOKIE + 1));
	close(copy);
	assert_true(near_living_is_gone(living, set, COOKIE));
	close(second);
}

/* One look answers several questions, and the next look knows what has been closed. */
static void one_look_for_several(void **state)
{
	enum { NR = 200 }; /* more than one piece of memory */
	struct near_living *living = *state;
	int fds[NR];
	unsigned int set = 0;

	for (int i = 0; i < NR; i++) {
		fds[i] = unpaired();
		set = near_living_add(living, fds[i], 1, COOKIE + (uint64_t)i * 7919 % NR);
		assert_int_equal(set, 1);
	}
	near_living_begin(living);
	for (uint64_t i = 0; i < NR; i++)
		assert_false(near_living_is_gone(living, set, COOKIE + i));
	assert_true(near_living_is_gone(living, set, COOKIE + NR));
	near_living_end(living);
	for (int i = 0; i < NR; i += 2)
		close(fds[i]);
	near_living_begin(living);
	for (int i = 0; i < NR; i++)
		assert_int_equal(near_living_is_gone(living, set, COOKIE + (uint64_t)i * 7919 % NR),
				 i % 2 == 0);
	near_living_end(living);
	for (int i = 1; i < NR; i += 2)
		close(fds[i]);
}

/* Enters @nr near ends of user 1, with peers if @peers is not NULL. */
static void fill(struct near_living *living, int *fds, int *peers, int nr)
{
	struct rlimit limit;
	int ends[2];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < 2 * NEAR_LIVING_MAX + 100)
		skip();
	for (int i = 0; i < nr; i++) {
		if (peers) {
			pair_of(ends);
			peers[i] = ends[1];
		} else {
			ends[0] = unpaired();
		}
		fds[i] = ends[0];
		assert_int_equal(near_living_add(living, fds[i], 1, COOKIE + (uint64_t)i), 1);
	}
}

static unsigned int one_more(struct near_living *living, uid_t uid)
{
	int near = unpaired();
	unsigned int set = near_living_add(living, near, uid, 1);

	if (set) {
		assert_false(near_living_is_gone(living, set, 1));
		near_living_leave(living, set);
	}
	close(near);
	return set;
}

/* The next near ends of user 1 get paths, those of user 2 do not. */
static void is_full(struct near_living *living)
{
	for (int i = 0; i < 3 * NEAR_LIVING_PAUSE; i++)
		assert_int_equal(one_more(living, 1), 0);
	assert_int_equal(one_more(living, 2), 2);
	assert_false(near_living_is_gone(living, 1, COOKIE));
}

/* After a while user 1 needs no paths again. */
static void has_room_again(struct near_living *living)
{
	int tries = 0;

	while (!one_more(living, 1))
		assert_true(++tries <= NEAR_LIVING_PAUSE);
}

/* A user that keeps near ends whose sockets are over makes looks slow, but not much. */
static void few_are_held(void **state)
{
	struct near_living *living = *state;
	static int fds[NEAR_LIVING_HELD];

	fill(living, fds, NULL, NEAR_LIVING_HELD);
	for (int i = 0; i < NEAR_LIVING_HELD; i++)
		near_living_leave(living, 1);
	assert_false(near_living_is_gone(living, 1, COOKIE));
	is_full(living);
	for (int i = 0; i < NEAR_LIVING_HELD; i++)
		close(fds[i]);
	has_room_again(living);
	assert_int_equal(living->sets[0].in_use, 0);
}

/* Connections fill a set that no look has found full. */
static void few_are_connected(void **state)
{
	struct near_living *living = *state;
	static int fds[NEAR_LIVING_MAX], peers[NEAR_LIVING_MAX];

	fill(living, fds, peers, NEAR_LIVING_MAX);
	shutdown(fds[0], SHUT_RDWR);
	is_full(living);
	for (int i = 0; i < NEAR_LIVING_MAX; i++) {
		close(peers[i]);
		if (i < NEAR_LIVING_MAX - 10) {
			close(fds[i]);
			near_living_leave(living, 1);
		}
	}
	has_room_again(living);
	assert_int_equal(living->sets[0].in_use, 10);
	for (int i = NEAR_LIVING_MAX - 10; i < NEAR_LIVING_MAX; i++)
		close(fds[i]);
}

/* Near ends that come and go do not fill a set, nor do those in use that are closed. */
static void closed_ones_do_not_count(void **state)
{
	struct near_living *living = *state;
	unsigned int refused = 0;

	for (uint64_t i = 0; i < 3 * NEAR_LIVING_MAX; i++) {
		int near = unpaired();
		unsigned int set = near_living_add(living, near, 1, COOKIE + i);

		refused += !set;
		if (set && i % 3 == 0)
			near_living_remove(living, near, set);
		else if (set)
			near_living_leave(living, set);
		close(near);
	}
	assert_int_equal(refused, 0);
	assert_int_equal(living->sets[0].in_use, 0);
}

static void more_users_than_sets(void **state)
{
	struct near_living *living = *state;
	int near;

	for (uid_t uid = 0; uid < NEAR_LIVING_SETS + 3; uid++) {
		near = unpaired();
		assert_int_equal(near_living_add(living, near, uid, COOKIE),
				 uid < NEAR_LIVING_SETS ? uid + 1 : 0);
		close(near);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_copy_holds_it, setup, teardown),
		cmocka_unit_test_setup_teardown(ended_but_held, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_come_again, setup, teardown),
		cmocka_unit_test_setup_teardown(one_look_for_several, setup, teardown),
		cmocka_unit_test_setup_teardown(closed_ones_do_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(more_users_than_sets, setup, teardown),
		cmocka_unit_test_setup_teardown(few_are_held, setup, teardown),
		cmocka_unit_test_setup_teardown(few_are_connected, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
