/* SPDX-License-Identifier: Apache-2.0 */
/* test-park.c - the parked connection: a program that cannot find the path calls through it */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

#define HIGH 48 /* what is parked has this number at least */

static char path[200], hidden[200];

static void find_path(void)
{
	snprintf(path, sizeof(path), "%s/run/vselfp/00/ctl", getenv("LFP_ROOT"));
	snprintf(hidden, sizeof(hidden), "%s/run/vselfp/00/hidden", getenv("LFP_ROOT"));
}

/* The path of the instance is hidden, as after chroot(). */
static void hide_path(void)
{
	assert_int_equal(rename(path, hidden), 0);
}

static void show_path(void)
{
	assert_int_equal(rename(hidden, path), 0);
}

/* The parked descriptor, or -1; there must never be two. The loop variable must not live in
 * functions that call vfork(). */
static int __attribute__((noinline)) parked(void)
{
	int found = -1;

	for (int fd = HIGH; fd < 1024; fd++) {
		struct stat st;

		if (fstat(fd, &st) || !S_ISSOCK(st.st_mode))
			continue;
		assert_int_equal(found, -1);
		found = fd;
	}
	return found;
}

/* A call that always asks the instance. */
static int ask(int fd)
{
	const struct sockaddr_in addr = {.sin_family = AF_INET};

	return bind(fd, (const struct sockaddr *)&addr, sizeof(addr));
}

static void test_first_call_parks(void **state)
{
	int low = open("/dev/null", O_RDONLY), fd, before;

	(void)state;
	close(low);
	assert_int_equal(parked(), -1);
	fd = near_connected();
	assert_int_equal(fd, low);
	assert_true(parked() >= HIGH);
	assert_int_equal(fcntl(parked(), F_GETFD), FD_CLOEXEC);
	before = fake_ask(fd, FAKE_PARKED);
	assert_int_equal(ask(fd), 0);
	assert_int_equal(fake_ask(fd, FAKE_PARKED), before + 2);
	/* and its answers came on the same connection */
	before = fake_ask(fd, FAKE_DIRECT);
	assert_true(before > 0);
	assert_int_equal(ask(fd), 0);
	assert_int_equal(fake_ask(fd, FAKE_DIRECT), before + 2);
	/* the lowest number that is free is the program's, before and after */
	assert_int_equal(open("/dev/null", O_RDONLY), low + 1);
	close(low + 1);
	close(fd);
}

static void test_without_the_path(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(PORT_GOOD)};
	int fd = near_connected(), fresh;

	(void)state;
	hide_path();
	assert_int_equal(ask(fd), 0);
	fresh = near_new();
	assert_int_equal(connect(fresh, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(ask(fd), 0);
	near_fill(0);
	assert_int_equal(ask(fd), 0);
	near_unfill();
	/* a blocking connect that waits, too */
	close(fresh);
	fresh = near_new();
	assert_fails(near_connect(fresh, PORT_REFUSED), ECONNREFUSED);
	show_path();
	close(fresh);
	close(fd);
}

static void test_closed_by_the_program(void **state)
{
	int fd = near_connected(), before;

	(void)state;
	close(parked());
	assert_int_equal(parked(), -1);
	before = fake_ask(fd, FAKE_PARKED);
	assert_true(parked() >= HIGH);
	assert_int_equal(fake_ask(fd, FAKE_PARKED), before + 1);

	/* neither one nor the other */
	close(parked());
	hide_path();
	assert_fails(ask(fd), ENETDOWN);
	assert_fails(socket(AF_INET, SOCK_STREAM, 0), ENETDOWN);
	assert_int_equal(parked(), -1);
	show_path();
	assert_int_equal(ask(fd), 0);
	close(fd);
}

static void test_something_else_in_its_place(void **state)
{
	int fd = near_connected(), place = parked(), pair[2];
	char buf[8];

	(void)state;
	/* no socket at all */
	assert_int_equal(dup2(0, place), place);
	assert_int_equal(ask(fd), 0);
	assert_true(fcntl(place, F_GETFD) == 0); /* as the program made it */
	close(place);

	/* one of its own kind: nothing must be sent there */
	assert_int_equal(ask(fd), 0);
	place = parked();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(dup2(pair[0], place), place);
	assert_int_equal(ask(fd), 0);
	assert_int_equal(fcntl(place, F_GETFD), 0);
	assert_fails(recv(pair[1], buf, sizeof(buf), MSG_DONTWAIT), EAGAIN);
	close(place);
	close(pair[0]);
	close(pair[1]);
	assert_int_equal(ask(fd), 0);
	assert_true(parked() >= HIGH);
	close(fd);
}

static void test_closed_by_the_instance(void **state)
{
	int fd = near_connected(), before, place;

	(void)state;
	assert_int_equal(ask(fd), 0);
	place = parked();
	fake_tell(fd, FAKE_EVICT, 0);
	before = fake_ask(fd, FAKE_PARKED);
	/* the call came by the path, and parked another one */
	assert_int_equal(parked(), place);
	assert_int_equal(fake_ask(fd, FAKE_PARKED), before + 1);
	/* also when it is connect() that finds out */
	fake_tell(fd, FAKE_EVICT, 0);
	close(fd);
	fd = near_new();
	fake_tell(fd, FAKE_EVICT, 0);
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	assert_int_equal(ask(fd), 0);
	/* and with no descriptor free */
	fake_tell(fd, FAKE_EVICT, 0);
	near_fill(0);
	assert_int_equal(ask(fd), 0);
	near_unfill();
	assert_int_equal(ask(fd), 0);
	close(fd);
}

static void test_children_inherit_it(void **state)
{
	int fd = near_connected(), status;
	pid_t pid;

	(void)state;
	assert_int_equal(ask(fd), 0);
	hide_path();
	pid = fork();
	if (pid == 0) {
		int before = fake_ask(fd, FAKE_PARKED);

		_exit(ask(fd) || fake_ask(fd, FAKE_PARKED) < before + 2); /* and the parent's */
	}
	assert_int_equal(ask(fd), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(ask(fd), 0);
	show_path();
	/* a child that closes it does not take it from the parent */
	pid = fork();
	if (pid == 0) {
		closefrom(fd + 1);
		_exit(ask(fd) || parked() < HIGH);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	hide_path();
	assert_int_equal(ask(fd), 0);
	show_path();
	close(fd);
}

/* A child that shares the parent's memory, but not its descriptors. */
static void test_vfork(void **state)
{
	int fd = near_connected(), place, status;
	pid_t pid;

	(void)state;
	assert_int_equal(ask(fd), 0);
	place = parked();
	/* the parent still has the descriptor that the child closed */
	pid = vfork();
	if (pid == 0) {
		closefrom(fd + 1);
		_exit(socket(AF_INET, SOCK_STREAM, 0) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(ask(fd), 0);
	assert_int_equal(parked(), place);
	/* the parent must notice the end by itself, too */
	fake_tell(fd, FAKE_EVICT, 0);
	pid = vfork();
	if (pid == 0)
		_exit(socket(AF_INET, SOCK_STREAM, 0) < 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(ask(fd), 0);
	assert_true(parked() >= HIGH);
	/* nor does it park anything where the parent would look for it */
	close(parked());
	assert_int_equal(parked(), -1);
	pid = vfork();
	if (pid == 0)
		_exit(socket(AF_INET, SOCK_STREAM, 0) < 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(ask(fd), 0);
	assert_true(parked() >= HIGH);
	hide_path();
	assert_int_equal(ask(fd), 0);
	show_path();
	close(fd);
}

/* A child's calls are its own: it does not read its parent's answers. */
static void test_forked(void **state)
{
	int fd = near_connected(), direct = fake_ask(fd, FAKE_DIRECT), status;
	pid_t child;

	(void)state;
	child = fork();
	if (!child) {
		int failed = 0;

		for (int i = 0; i < 50; i++)
			failed += ask(fd) != 0;
		_exit(failed);
	}
	for (int i = 0; i < 50; i++)
		assert_int_equal(ask(fd), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(fake_ask(fd, FAKE_DIRECT), direct + 51);
	close(fd);
}

/* An answer that can't be stored is not taken for that of the next call. */
static void test_bad_pointer(void **state)
{
	static const int constant;
	int fd = near_connected(), calls = fake_ask(fd, FAKE_PARKED);
	socklen_t len = sizeof(int);

	(void)state;
	for (int i = 0; i < 3; i++) {
		/* an address of the kernel's, and one where nothing is */
		assert_fails(getsockopt(fd, FAKE, FAKE_PARKED, (void *)-4096L, &len), EFAULT);
		assert_int_equal(ask(fd), 0);
		assert_fails(getsockopt(fd, FAKE, FAKE_PARKED, (void *)8, &len), EFAULT);
		assert_int_equal(ask(fd), 0);
	}
	assert_true(fake_ask(fd, FAKE_PARKED) > calls);
	assert_true(parked() >= HIGH);
	/* Nor is the only way lost by that. */
	hide_path();
	assert_fails(getsockopt(fd, FAKE, FAKE_PARKED, (void *)-4096L, &len), EFAULT);
	assert_int_equal(ask(fd), 0);
	assert_fails(getsockopt(fd, FAKE, FAKE_PARKED, (void *)8, &len), EFAULT);
	assert_int_equal(ask(fd), 0);
	assert_fails(getsockopt(fd, FAKE, FAKE_PARKED, (void *)(uintptr_t)&constant, &len), EFAULT);
	assert_int_equal(ask(fd), 0);
	show_path();
	close(fd);
}

#define THREADS 4
#define CALLS   300

static void *ask_often(void *arg)
{
	int fd = *(int *)arg, failed = 0;

	for (int i = 0; i < CALLS; i++)
		failed += ask(fd) != 0;
	return (void *)(intptr_t)failed;
}

/* Threads call while the parked connection vanishes again and again; each gets its own answers. */
static void test_threads(void **state)
{
	int fd = near_connected();
	pthread_t threads[THREADS];
	void *failed;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &fd), 0);
	for (int i = 0; i < CALLS / 10; i++) {
		fake_tell(fd, FAKE_EVICT, 0);
		ask(fd);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_true(parked() >= HIGH);
	close(fd);
}

static void *connect_slowly(void *arg)
{
	near_connect(*(int *)arg, PORT_SLOW);
	return NULL;
}

/* A thread cancelled in connect() sends DETACH and leaves the connection to other threads. The
 * connection may be the only way, and children may share it. */
static void test_cancelled(void **state)
{
	int fd = near_connected(), fresh = near_new(), ends[2], detached;
	pthread_t thread;
	void *result;
	pid_t child;
	char c;

	(void)state;
	detached = fake_ask(fd, FAKE_DETACHED);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit((int)read(ends[0], &c, 1));
	}
	close(ends[0]);
	hide_path();
	assert_int_equal(pthread_create(&thread, NULL, connect_slowly, &fresh), 0);
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(ask(fd), 0);
	show_path();
	assert_in_range(fake_ask(fd, FAKE_DETACHED), detached, detached + 1);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(fresh);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_call_parks), /* before all others */
		cmocka_unit_test(test_without_the_path),
		cmocka_unit_test(test_closed_by_the_program),
		cmocka_unit_test(test_something_else_in_its_place),
		cmocka_unit_test(test_closed_by_the_instance),
		cmocka_unit_test(test_children_inherit_it),
		cmocka_unit_test(test_vfork),
		cmocka_unit_test(test_forked),
		cmocka_unit_test(test_bad_pointer),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_cancelled),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	find_path();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
