/* SPDX-License-Identifier: Apache-2.0 */
/* test-speak.c - the right of a process to call for another */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/speak.h"
#include "ijblfp/ctl/task.h"

#define SUPERVISOR 0x7fff0000 /* as the kernel reports for the connection; no process has it */
#define NOBODY     65534u

static struct tasks tasks;
static struct instance inst = {.tasks = &tasks};
static pid_t program; /* of this user */

static int begin(void **state)
{
	(void)state;
	tasks_init(inst.tasks, NULL, &credit_watch);
	program = fork();
	if (program == 0) {
		pause();
		_exit(0);
	}
	return program < 0;
}

static int end(void **state)
{
	(void)state;
	kill(program, SIGKILL);
	return waitpid(program, NULL, 0) != program;
}

static struct ctl_conn conn_of(uid_t uid)
{
	return (struct ctl_conn){.inst = &inst, .pid = SUPERVISOR, .uid = uid};
}

static int speak(struct ctl_conn *conn, pid_t task, pid_t speaker)
{
	struct lfp_ctl_request request = {.task = task, .speaker = speaker};

	return speak_for(conn, &request);
}

static void test_allowed(void **state)
{
	struct ctl_conn conn = conn_of(getuid());

	(void)state;
	assert_int_equal(speak(&conn, program, SUPERVISOR), 0);
	assert_int_equal(conn.pid, program);
	assert_int_equal(conn.uid, geteuid());
	assert_true(conn.spoken);
	conn = conn_of(0);
	assert_int_equal(speak(&conn, program, SUPERVISOR), 0);
	assert_int_equal(conn.pid, program);
	assert_int_equal(conn.uid, geteuid());
}

static void test_refused(void **state)
{
	struct ctl_conn conn = conn_of(NOBODY);

	(void)state;
	assert_int_equal(speak(&conn, program, SUPERVISOR), getuid() == NOBODY ? 0 : EPERM);
	/* There is no such process, or the number is no process id. */
	conn = conn_of(0);
	assert_int_equal(speak(&conn, INT32_MAX, SUPERVISOR), EPERM);
	assert_int_equal(speak(&conn, -1, SUPERVISOR), EPERM);
	assert_int_equal(speak(&conn, program, 0), EPERM);
	assert_int_equal(speak(&conn, program, -1), EPERM);
	assert_int_equal(conn.pid, SUPERVISOR);
	assert_int_equal(conn.uid, 0);
}

/* A supervisor in another pid namespace means another process. */
static void test_other_namespace(void **state)
{
	struct ctl_conn conn = conn_of(0);

	(void)state;
	assert_int_equal(speak(&conn, program, SUPERVISOR + 1), 0);
	assert_int_equal(conn.pid, SUPERVISOR);
	assert_false(conn.spoken);
}

/* The task keeps the right once it is checked, for that user. */
static void test_task(void **state)
{
	struct task task = {.inst = &inst, .pid = program, .uid = 12, .pidfd = -1};
	struct ctl_conn conn = conn_of(0);

	(void)state;
	lfp_table_add(&inst.tasks->by_pid, &task.link, (uint32_t)program);
	assert_int_equal(speak(&conn, program, SUPERVISOR), 0);
	assert_true(task.spoken);
	assert_int_equal(task.speaker, 0);
	conn = conn_of(0);
	assert_int_equal(speak(&conn, program, SUPERVISOR), 0);
	assert_int_equal(conn.uid, 12);
	conn = conn_of(NOBODY);
	assert_int_equal(speak(&conn, program, SUPERVISOR), getuid() == NOBODY ? 0 : EPERM);
	lfp_table_remove(&inst.tasks->by_pid, &task.link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_other_namespace),
		cmocka_unit_test(test_task),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
