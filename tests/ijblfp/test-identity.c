/* SPDX-License-Identifier: Apache-2.0 */
/* test-identity.c - lfpd is told of each change of a process: exec, user, groups, a number that is
 * used again */
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "obeying.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ijblfp/link/link.h"
#include "lfp/log.h"
#include "tests/qemu-user.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define OTHER_ID 4711u

static void ask_who(struct host *host, unsigned int parts)
{
	unsigned int before = host->inst->link->asks_serial;
	struct lfp_frame frame = {.code = LFP_ASK_WHO, .ask_who.parts = (uint16_t)parts};

	host_send(host, frame);
	host_until(host, host->inst->link->asks_serial == before + 1);
}

static void user_alone(void **state)
{
	const struct got_who *who;

	ask_who(((struct obeying *)*state)->host, 0);
	who = obeying_who(*state);
	assert_non_null(who);
	assert_int_equal(who->uid, geteuid());
	assert_string_equal(who->program, "");
	for (int i = 0; i < 3; i++)
		assert_null(obeying_who(*state));
}

/* Before Linux 6.5 the program of a process is unknown. */
static void needs_peer_pidfd(void)
{
	socklen_t len = sizeof(int);
	int ends[2], pidfd, rc;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	rc = getsockopt(ends[0], SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len);
	close(ends[0]);
	close(ends[1]);
	if (!rc)
		close(pidfd);
	if (rc) {
		print_message("skipped: no SO_PEERPIDFD\n");
		skip();
	}
}

/* The same process goes on with another program, on the same connection. */
static void executes(void **state)
{
	struct obeying *program = *state;
	const struct got_who *who;

	needs_peer_pidfd();
	for (unsigned int more = 0; more <= LFP_WHO_GROUPS; more += LFP_WHO_GROUPS) {
		ask_who(program->host, LFP_WHO_PROGRAM | more);
		who = obeying_who(program);
		assert_non_null(who);
		assert_int_equal(who->known, LFP_WHO_PROGRAM | more);
		assert_string_equal(who->program, program->own);
		assert_null(obeying_who(program));
		for (enum act act = EXECUTE; act <= EXECUTE_IN_THREAD; act++) {
			obeying_order(program, act, 0, program->other);
			who = obeying_who(program);
			assert_non_null(who);
			assert_int_equal(who->known, LFP_WHO_PROGRAM | more);
			assert_string_equal(who->program, program->other);
			assert_null(obeying_who(program));
			obeying_order(program, act, 0, program->own);
			who = obeying_who(program);
			assert_non_null(who);
			assert_string_equal(who->program, program->own);
		}
	}
}

/* Another file is at the path now. */
static void is_replaced(void **state)
{
	struct obeying *program = *state;
	const struct got_who *who;
	char away[160];

	needs_peer_pidfd();
	ask_who(program->host, LFP_WHO_PROGRAM);
	obeying_order(program, EXECUTE, 0, program->other);
	who = obeying_who(program);
	assert_non_null(who);
	assert_string_equal(who->program, program->other);
	snprintf(away, sizeof(away), "%s.away", program->other);
	assert_int_equal(rename(program->other, away), 0);
	obeying_copy(program->own, program->other);
	who = obeying_who(program);
	assert_non_null(who);
	assert_int_equal(who->known, LFP_WHO_PROGRAM);
	assert_string_equal(who->program, away);
	assert_int_equal(unlink(away), 0);
	who = obeying_who(program);
	assert_non_null(who);
	assert_int_equal(who->known, 0);
}

static void needs_root(void)
{
	if (!geteuid())
		return;
	print_message("skipped: only root changes its user and its groups\n");
	skip();
}

static void changes_user(void **state)
{
	const unsigned int parts[] = {0, LFP_WHO_PROGRAM, LFP_WHO_GROUPS,
				      LFP_WHO_PROGRAM | LFP_WHO_GROUPS};
	struct obeying *program = *state;
	const struct got_who *who;

	needs_root();
	for (unsigned int i = 0; i < 4; i++) {
		ask_who(program->host, parts[i]);
		who = obeying_who(program);
		assert_non_null(who);
		assert_int_equal(who->uid, i ? OTHER_ID : 0);
		assert_null(obeying_who(program));
		if (i)
			continue;
		obeying_order(program, USER, OTHER_ID, "");
		who = obeying_who(program);
		assert_non_null(who);
		assert_int_equal(who->uid, OTHER_ID);
		assert_null(obeying_who(program));
	}
}

static void changes_groups(void **state)
{
	struct obeying *program = *state;
	const struct got_who *who;

	needs_root();
	ask_who(program->host, LFP_WHO_GROUPS);
	assert_non_null(obeying_who(program));
	for (uint32_t group = OTHER_ID; group < OTHER_ID + 3; group++) {
		obeying_order(program, GROUP, group, "");
		who = obeying_who(program);
		assert_non_null(who);
		assert_int_equal(who->known, LFP_WHO_GROUPS);
		assert_int_equal(who->nr_groups, 2);
		assert_int_equal(who->group, group);
		assert_null(obeying_who(program));
	}
	obeying_order(program, USER, OTHER_ID, "");
	who = obeying_who(program);
	assert_non_null(who);
	assert_int_equal(who->uid, OTHER_ID);
}

/* Starts a process that has a certain number. Returns false if the kernel does not let it. */
static bool start_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1};
	long rc = syscall(SYS_clone3, &args, sizeof(args));

	if (!rc)
		for (;;)
			pause();
	if (rc < 0)
		print_message("skipped: no process with a number of choice: %s\n", strerror(errno));
	return rc > 0;
}

/* A child asks on the connection of a process that is gone. Another process, root's, has the number
 * now. */
static void number_again(void **state)
{
	struct obeying *program = *state;
	const struct got_who *who;
	unsigned int seen;
	bool started;

	needs_peer_pidfd();
	needs_root();
	ask_who(program->host, LFP_WHO_PROGRAM | LFP_WHO_GROUPS);
	obeying_order(program, USER, OTHER_ID, "");
	assert_non_null(obeying_who(program));
	ask_who(program->host, program->pid % 2 ? LFP_WHO_PROGRAM : 0);
	assert_non_null(obeying_who(program));
	obeying_order(program, LEAVE_TO_CHILD, 0, "");
	assert_int_equal(waitpid(program->pid, NULL, 0), program->pid);
	started = start_as(program->pid);
	if (!started)
		skip();
	ask_who(program->host, LFP_WHO_PROGRAM | LFP_WHO_GROUPS);
	seen = program->host->seen;
	who = obeying_who(program);
	assert_int_equal(kill(program->pid, SIGKILL), 0);
	if (who) {
		assert_int_equal(who->uid, OTHER_ID);
		assert_int_equal(who->known, 0);
	}
	/* It was told, or the call was refused. */
	for (; seen < program->host->seen; seen++)
		assert_true(who || program->host->got[seen].code != LFP_SOCKET);
}

/* Makes the kernel refuse a call if one of its arguments has a certain value. */
static int refuse(int call, unsigned int argument, unsigned int value, int error)
{
	const unsigned int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 (unsigned int)offsetof(struct seccomp_data, args) + 8 * argument + low),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* Before Linux 6.13: PIDFD_GET_INFO */
static int grow_old(void **state)
{
	(void)state;
	return refuse(SYS_ioctl, 1, 0xc040ff0b, ENOTTY);
}

/* Before Linux 6.5: SO_PEERPIDFD */
static int grow_older(void **state)
{
	(void)state;
	return refuse(SYS_getsockopt, 2, 77, ENOPROTOOPT);
}

/* Without SO_PEERPIDFD nobody can be sure of a program. */
static void program_is_unknown(void **state)
{
	struct obeying *program = *state;
	const struct got_who *who;

	ask_who(program->host, LFP_WHO_PROGRAM);
	who = obeying_who(program);
	assert_non_null(who);
	assert_int_equal(who->uid, geteuid());
	assert_int_equal(who->known & LFP_WHO_PROGRAM, 0);
	assert_null(obeying_who(program));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, obeying_set_up, obeying_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(user_alone),   TEST(executes),       TEST(is_replaced),
		TEST(changes_user), TEST(changes_groups), TEST(number_again),
	};
	const struct CMUnitTest old[] = {
		TEST(user_alone),
		TEST(executes),
		TEST(changes_user),
		TEST(number_again),
	};
	const struct CMUnitTest older[] = {
		TEST(program_is_unknown),
		TEST(changes_user),
		TEST(changes_groups),
	};

	QEMU_USER_CANNOT("a /proc/PID/exe that is the program's");
	obeying_main(argc, argv);
	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL) +
	       cmocka_run_group_tests(old, grow_old, NULL) +
	       cmocka_run_group_tests(older, grow_older, NULL);
}
