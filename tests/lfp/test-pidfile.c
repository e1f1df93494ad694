/* SPDX-License-Identifier: Apache-2.0 */
/* test-pidfile.c - the pid file and its lock */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/pidfile.h"

static char dir[] = "/tmp/test-pidfile-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/pid", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void life_of_a_daemon(void **state)
{
	struct lfp_pidfile mine, other;
	struct stat st;
	pid_t pid;

	(void)state;
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_NONE);
	assert_int_equal(lfp_pidfile_create(&mine, path), 0);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, 0);
	assert_int_equal(lfp_pidfile_write(&mine), 0);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, getpid());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);

	assert_int_equal(lfp_pidfile_create(&other, path), -EBUSY);
	lfp_pidfile_remove(&other);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);

	lfp_pidfile_remove(&mine);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_NONE);
	lfp_pidfile_remove(&mine);
	assert_int_equal(lfp_pidfile_write(&mine), -EBADF);
}

static void lock_goes_with_the_child(void **state)
{
	struct lfp_pidfile pf;
	int gate[2], done[2];
	pid_t child, pid;
	char c = 0;

	(void)state;
	assert_int_equal(pipe(gate), 0);
	assert_int_equal(pipe(done), 0);
	assert_int_equal(lfp_pidfile_create(&pf, path), 0);
	child = fork();
	if (!child) {
		int rc = lfp_pidfile_write(&pf);

		close(gate[1]);
		if (rc || write(done[1], &c, 1) != 1 || read(gate[0], &c, 1) != 0)
			_exit(1);
		/* An unplanned end: the file stays. */
		raise(SIGKILL);
	}
	lfp_pidfile_close(&pf);
	assert_int_equal(read(done[0], &c, 1), 1);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, child);

	close(gate[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_DEAD);
	assert_int_equal(pid, child);

	assert_int_equal(lfp_pidfile_create(&pf, path), 0);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, 0);
	lfp_pidfile_remove(&pf);
	close(gate[0]);
	close(done[0]);
	close(done[1]);
}

static void rubbish_is_no_process(void **state)
{
	static const char *const texts[] = {"",      "12",     "-1\n",         "0\n",
					    "12x\n", "1\n2\n", "99999999999\n"};
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(texts[i], f);
		fclose(f);
		assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_DEAD);
		assert_int_equal(pid, 0);
	}
	unlink(path);
}

static void owners_name_processes_of_their_own(void **state)
{
	struct lfp_pidfile mine;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(lfp_pidfile_create(&mine, path), 0);
	assert_int_equal(lfp_pidfile_write(&mine), 0);
	if (chown(path, 1, (gid_t)-1)) {
		lfp_pidfile_remove(&mine); /* root of a namespace with no other users */
		skip();
	}
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, 0);
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, getpid());
	lfp_pidfile_remove(&mine);
}

static bool is_later(const struct stat *now, const struct stat *then)
{
	return now->st_mtim.tv_sec != then->st_mtim.tv_sec ||
	       now->st_mtim.tv_nsec != then->st_mtim.tv_nsec;
}

/* The file system's clock ticks now and then only. */
static void wait_for_another_time(const struct stat *then)
{
	char other[80];
	struct stat now;

	snprintf(other, sizeof(other), "%s.time", path);
	do {
		int fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &now), 0);
		close(fd);
		unlink(other);
		poll(NULL, 0, 1);
	} while (!is_later(&now, then));
}

static void outlives_exec(void **state)
{
	struct lfp_pidfile before, after, other;
	struct stat then, now;
	pid_t pid;
	int fd;

	(void)state;
	assert_int_equal(lfp_pidfile_create(&before, path), 0);
	assert_int_equal(lfp_pidfile_write(&before), 0);
	assert_int_equal(stat(path, &then), 0);
	fd = lfp_pidfile_keep(&before);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);

	wait_for_another_time(&then);
	assert_int_equal(lfp_pidfile_adopt(&after, path, fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(now.st_ino, then.st_ino);
	assert_true(is_later(&now, &then));
	assert_int_equal(lfp_pidfile_create(&other, path), -EBUSY);
	assert_int_equal(lfp_pidfile_query(path, &pid), LFP_PIDFILE_HELD);
	assert_int_equal(pid, getpid());

	/* Not the file of that name any more. */
	unlink(path);
	assert_int_equal(lfp_pidfile_adopt(&other, path, fd), -ESTALE);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	lfp_pidfile_remove(&other);
}

static void errors_are_told(void **state)
{
	struct lfp_pidfile pf;
	char longer[2 * LFP_PLACE_MAX];
	pid_t pid;

	(void)state;
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(lfp_pidfile_create(&pf, longer), -ENAMETOOLONG);
	assert_int_equal(lfp_pidfile_create(&pf, "/nowhere/pid"), -ENOENT);
	assert_int_equal(symlink("/tmp/target", path), 0);
	/* The owner of the directory, whom root does not trust, may have made it. */
	assert_int_equal(lfp_pidfile_query(path, &pid), -ELOOP);
	assert_int_equal(lfp_pidfile_create(&pf, path), -ELOOP);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_daemon),
		cmocka_unit_test(lock_goes_with_the_child),
		cmocka_unit_test(rubbish_is_no_process),
		cmocka_unit_test(owners_name_processes_of_their_own),
		cmocka_unit_test(outlives_exec),
		cmocka_unit_test(errors_are_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
