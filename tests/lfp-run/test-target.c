/* SPDX-License-Identifier: Apache-2.0 */
/* test-target.c - the supervisor's view of a program: memory, descriptors, signals */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lfp-run/target.h"
#include "tests/lfp-run/held.h"

/* Two pages of which only the first can be read. */
static char *edge(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + 4096, 4096, PROT_NONE), 0);
	return pages + 4096;
}

static void test_text(void **state)
{
	struct trap trap = held_as(*state, gettid());
	char *end = edge(), text[64];

	strcpy(end - 6, "/bin/");
	assert_int_equal(target_read_text(&trap, text, (uintptr_t)(end - 6), sizeof(text)), 5);
	assert_string_equal(text, "/bin/");
	end[-1] = 'x';
	assert_int_equal(target_read_text(&trap, text, (uintptr_t)(end - 6), sizeof(text)),
			 -EFAULT);
	assert_int_equal(target_read_text(&trap, text, (uintptr_t)(end - 6), 3), -ENAMETOOLONG);
	munmap(end - 4096, 8192);
}

static void test_addr(void **state)
{
	struct trap trap = held_as(*state, gettid());
	struct sockaddr_storage copy;
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = 80};
	uint8_t room[sizeof(addr)];
	int len = sizeof(addr);
	char *end = edge();

	assert_int_equal(target_read_addr(&trap, &copy, (uintptr_t)&addr, sizeof(addr)), 0);
	assert_memory_equal(&copy, &addr, sizeof(addr));
	assert_int_equal(target_read_addr(&trap, &copy, (uintptr_t)&addr, 0), 0);
	assert_int_equal(copy.ss_family, AF_UNSPEC);
	assert_int_equal(target_read_addr(&trap, &copy, (uintptr_t)&addr, -1), -EINVAL);
	assert_int_equal(target_read_addr(&trap, &copy, (uintptr_t)&addr, sizeof(copy) + 1),
			 -EINVAL);
	assert_int_equal(target_read_addr(&trap, &copy, (uintptr_t)end, 16), -EFAULT);

	memcpy(&copy, &addr, sizeof(addr));
	memset(room, 0x5a, sizeof(room));
	assert_int_equal(
		target_write_addr(&trap, (uintptr_t)room, (uintptr_t)&len, 4, &copy, sizeof(addr)),
		0);
	assert_memory_equal(room, &addr, 4);
	assert_int_equal(room[4], 0x5a);
	assert_int_equal(len, sizeof(addr));
	assert_int_equal(
		target_write_addr(&trap, (uintptr_t)end, (uintptr_t)&len, 4, &copy, sizeof(addr)),
		-EFAULT);
	len = -1;
	assert_int_equal(target_addr_room(&trap, (uintptr_t)&len, &(int){0}), -EINVAL);
	assert_int_equal(target_addr_room(&trap, (uintptr_t)end, &(int){0}), -EFAULT);
	munmap(end - 4096, 8192);
}

static void test_descriptors(void **state)
{
	struct trap trap = held_as(*state, gettid());
	int fds[2], copy;
	char c;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(target_check(&trap), 0);
	copy = target_take(&trap, fds[1]);
	assert_true(copy > fds[1]);
	assert_true(fcntl(copy, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(copy, "x", 1), 1);
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(target_take(&trap, 1000000), -EBADF);
	assert_int_equal(target_process(&trap), getpid());
	target_close(&trap);
	assert_int_equal(trap.pidfd, -1);
	close(copy);
	close(fds[0]);
	close(fds[1]);
}

/* A child that does @prepare, says so and waits. */
static pid_t child(void (*prepare)(void), int *say)
{
	int fds[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prepare();
		_exit(write(fds[1], "x", 1) != 1 || pause() == 0);
	}
	assert_int_equal(read(fds[0], &c, 1), 1);
	close(fds[0]);
	*say = fds[1];
	return pid;
}

static void end(pid_t pid, int say)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(say);
}

static void few_descriptors(void)
{
	struct rlimit limit = {16, 16};

	setrlimit(RLIMIT_NOFILE, &limit);
}

static void last_is_used(void)
{
	few_descriptors();
	dup2(0, 15);
}

static void no_descriptors(void)
{
	few_descriptors();
	for (int fd = 0; fd < 16; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			dup2(1, fd);
}

static void test_room(void **state)
{
	struct {
		void (*prepare)(void);
		bool room;
	} cases[] = {{few_descriptors, true}, {last_is_used, true}, {no_descriptors, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int say;
		pid_t pid = child(cases[i].prepare, &say);
		struct trap trap = held_as(*state, pid);

		assert_int_equal(target_has_room(&trap), cases[i].room);
		target_close(&trap);
		end(pid, say);
	}
}

/* Blocked here, so pending. */
static void test_signals(void **state)
{
	struct trap trap = held_as(*state, gettid());
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	assert_int_equal(target_signal(&trap), TARGET_NO_SIGNAL);
	target_raise(&trap, SIGUSR2);
	/* It waits, but interrupts nothing. */
	assert_int_equal(target_signal(&trap), TARGET_NO_SIGNAL);
	assert_int_equal(sigwaitinfo(&set, NULL), SIGUSR2);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

static void nothing(void)
{
}

/* A stopped process can't take signals: they stay pending. */
static void test_pending(void **state)
{
	int say, status;
	pid_t pid = child(nothing, &say);
	struct trap trap = held_as(*state, pid);

	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_int_equal(target_signal(&trap), TARGET_NO_SIGNAL);
	kill(pid, SIGUSR1);
	assert_int_equal(target_signal(&trap), TARGET_SIGNAL);
	end(pid, say);
	/* It is gone. */
	assert_int_equal(target_signal(&trap), TARGET_NO_SIGNAL);
	assert_int_equal(target_process(&trap), -ESRCH);
	assert_int_equal(target_open(&trap), -ESRCH);
}

/* The program was killed, and its thread's id has become that of a thread of another program. */
static void test_recycled(void **state)
{
	struct held *held = *state;
	struct trap trap = held_as(held, gettid());
	struct sockaddr_storage addr = {0};
	char secret[16] = "secret", copy[16] = "";
	struct iovec piece = {.iov_base = secret, .iov_len = sizeof(secret)};
	sigset_t set, old;
	int len = 4, room;

	/* All of that works while the program waits. */
	assert_true(trap_is_valid(&trap));
	assert_int_equal(target_read(&trap, copy, (uintptr_t)secret, 7), 0);
	assert_string_equal(copy, "secret");
	assert_int_equal(target_open(&trap), 0);
	held_kill(held);
	assert_false(trap_is_valid(&trap));

	memset(copy, 0, sizeof(copy));
	assert_int_equal(target_read(&trap, copy, (uintptr_t)secret, 7), -ESRCH);
	assert_int_equal(target_gather(&trap, copy, &piece, 1, 7), -ESRCH);
	assert_int_equal(target_read_text(&trap, copy, (uintptr_t)secret, 16), -ESRCH);
	assert_int_equal(target_read_addr(&trap, &addr, (uintptr_t)secret, 16), -ESRCH);
	assert_int_equal(target_addr_room(&trap, (uintptr_t)&len, &room), -ESRCH);
	assert_int_equal(target_write(&trap, (uintptr_t)secret, "public", 7), -ESRCH);
	assert_int_equal(target_scatter(&trap, &piece, 1, "public", 7), -ESRCH);
	assert_int_equal(target_write_addr(&trap, (uintptr_t)secret, (uintptr_t)&len, 4, &addr, 16),
			 -ESRCH);
	assert_string_equal(secret, "secret");
	assert_int_equal(len, 4);

	/* Its process was known already: the same process may execute another program. */
	assert_int_equal(target_take(&trap, 0), -ESRCH);
	target_close(&trap);
	trap.process = 0;
	assert_int_equal(target_open(&trap), -ESRCH);
	assert_int_equal(trap.pidfd, -1);
	assert_int_equal(target_take(&trap, 0), -ESRCH);
	assert_int_equal(target_check(&trap), -ESRCH);
	assert_int_equal(target_process(&trap), -ESRCH);
	assert_int_equal(trap.process, 0);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	trap.process = getpid();
	target_raise(&trap, SIGUSR2);
	assert_int_equal(sigtimedwait(&set, NULL, &(struct timespec){0}), -1);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_addr),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_pending),
		/* the last: it ends the held program */
		cmocka_unit_test(test_recycled),
	};

	return cmocka_run_group_tests(tests, held_setup, held_teardown);
}
