/* SPDX-License-Identifier: Apache-2.0 */
/* test-service.c - lfpd-ctl's work on one instance, with a stand-in for lfpd */

/*
 * The stand-in is this program itself: a link called lfpd in a directory that is all of PATH. As
 * lfpd does, it leaves a daemon behind that holds the lock on its pid file, and ends when that is
 * ready.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/commands.h"
#include "lfpd-ctl/service.h"
#include "tests/qemu-user.h"

#define PATIENCE_MS 60000

static char root[] = "/tmp/test-service-XXXXXX";

static volatile sig_atomic_t ended;

static void on_sigterm(int signal_nr)
{
	(void)signal_nr;
	ended = 1;
}

static void daemon_body(struct lfp_pidfile *pf, int ready, const char *mode)
{
	struct sigaction action = {.sa_handler = on_sigterm};
	sigset_t term, before;

	/* A session of its own, so that a test that fails does not wait for it. */
	setsid();
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	sigaction(SIGTERM, &action, NULL);
	if (!strcmp(mode, "stubborn"))
		signal(SIGTERM, SIG_IGN);
	lfp_pidfile_write(pf);
	if (write(ready, "", 1) != 1)
		_exit(1);
	alarm(150);
	while (!ended)
		sigsuspend(&before);
	lfp_pidfile_remove(pf);
	_exit(0);
}

static int stand_in(int argc, char *argv[])
{
	const char *mode = getenv("STAND_IN");
	char path[LFP_PLACE_MAX], name[9] = "";
	struct lfp_pidfile pf;
	bool check = argc == 4 && !strcmp(argv[3], "-n");
	int ready[2];
	char c;

	if ((argc != 3 && !check) || strcmp(argv[1], "-f") ||
	    sscanf(basename(argv[2]), "lfpd-%8[A-Z0-9].conf", name) != 1)
		return 99;
	if (!strcmp(mode, "config"))
		return LFP_EXIT_CONFIG;
	if (check)
		return 0;
	if (!strcmp(mode, "unavailable"))
		return LFP_EXIT_UNAVAILABLE;
	if (!strcmp(mode, "crash"))
		raise(SIGKILL);
	if (!strcmp(mode, "gone"))
		return 0;
	if (lfp_place_lfpd(path, name, "pid") || lfp_place_make_parent(path) ||
	    lfp_pidfile_create(&pf, path) || pipe(ready))
		return 98;
	if (!fork())
		daemon_body(&pf, ready[1], mode);
	close(ready[1]);
	return read(ready[0], &c, 1) == 1 ? 0 : 97;
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
	char command[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	if (system(command))
		fail_msg("%s", command);
}

#define CONFS "etc/opt/ibm/vselfpd/confs"

static int setup(void **state)
{
	char self[PATH_MAX], bin[512];

	(void)state;
	if (!realpath(this_program(), self) || !mkdtemp(root))
		return -1;
	shell("mkdir -p %s/bin %s/" CONFS "-available %s/" CONFS "-enabled", root, root, root);
	shell("ln -s %s %s/bin/lfpd", self, root);
	shell("cd %s/" CONFS "-available && touch lfpd-ONE.conf lfpd-TWO.conf lfpd-three.conf "
	      "lfpd-.conf lfpd-NINELONGS.conf lfpd-ONE.conf.rpmsave README",
	      root);
	shell("cd %s/" CONFS "-enabled && ln -s ../confs-available/lfpd-ONE.conf . && "
	      "ln -s nowhere lfpd-LOST.conf",
	      root);
	snprintf(bin, sizeof(bin), "%s/bin", root);
	setenv("LFP_ROOT", root, 1);
	setenv("PATH", bin, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	setenv("PATH", "/usr/bin:/bin", 1);
	shell("rm -rf %s", root);
	return 0;
}

static int use_good_lfpd(void **state)
{
	(void)state;
	return setenv("STAND_IN", "good", 1);
}

static int stop_all(void **state)
{
	(void)state;
	service_stop("ONE", 100);
	return 0;
}

static void start_and_stop(void **state)
{
	pid_t first, second;

	(void)state;
	assert_int_equal(service_status("ONE"), LSB_STATUS_STOPPED);
	assert_int_equal(service_start("ONE"), LSB_OK);
	assert_int_equal(service_status("ONE"), LSB_STATUS_RUNNING);
	assert_int_equal(instance_query("ONE", &first), LFP_PIDFILE_HELD);
	assert_int_equal(service_start("ONE"), LSB_OK);
	assert_int_equal(instance_query("ONE", &second), LFP_PIDFILE_HELD);
	assert_int_equal(first, second);

	/* The stand-in does not handle the signal and ends: lfpd-ctl then starts it. */
	assert_int_equal(restart_instance("ONE"), LSB_OK);
	assert_int_equal(instance_query("ONE", &second), LFP_PIDFILE_HELD);
	assert_int_not_equal(first, second);

	assert_int_equal(service_stop("ONE", PATIENCE_MS), LSB_OK);
	assert_int_equal(service_status("ONE"), LSB_STATUS_STOPPED);
	assert_int_equal(service_stop("ONE", PATIENCE_MS), LSB_OK);
	assert_int_equal(restart_instance("ONE"), LSB_OK);
	assert_int_equal(service_status("ONE"), LSB_STATUS_RUNNING);
}

static void stubborn_instance_is_killed(void **state)
{
	(void)state;
	setenv("STAND_IN", "stubborn", 1);
	assert_int_equal(service_start("ONE"), LSB_OK);
	assert_int_equal(service_stop("ONE", 50), LSB_FAILURE);
	assert_int_equal(service_status("ONE"), LSB_STATUS_STOPPED);
	/* A killed instance is started again. */
	assert_int_equal(service_start("ONE"), LSB_OK);
	setenv("STAND_IN", "good", 1);
	assert_int_equal(restart_instance("ONE"), LSB_OK);
}

static void killed_instance_is_dead(void **state)
{
	pid_t pid;

	(void)state;
	assert_int_equal(service_start("ONE"), LSB_OK);
	assert_int_equal(instance_query("ONE", &pid), LFP_PIDFILE_HELD);
	kill(pid, SIGKILL);
	while (instance_query("ONE", &pid) == LFP_PIDFILE_HELD)
		usleep(1000);
	assert_int_equal(service_status("ONE"), LSB_STATUS_DEAD);
	assert_int_equal(service_start("ONE"), LSB_OK);
	assert_int_equal(instance_query("ONE", &pid), LFP_PIDFILE_HELD);
	kill(pid, SIGKILL);
	while (instance_query("ONE", &pid) == LFP_PIDFILE_HELD)
		usleep(1000);
	assert_int_equal(service_stop("ONE", PATIENCE_MS), LSB_OK);
	assert_int_equal(service_status("ONE"), LSB_STATUS_STOPPED);
}

static void start_tells_why_it_failed(void **state)
{
	(void)state;
	setenv("STAND_IN", "config", 1);
	assert_int_equal(service_start("ONE"), LSB_NOT_CONFIGURED);
	setenv("STAND_IN", "unavailable", 1);
	assert_int_equal(service_start("ONE"), LSB_FAILURE);
	setenv("STAND_IN", "crash", 1);
	assert_int_equal(service_start("ONE"), LSB_FAILURE);
	setenv("STAND_IN", "gone", 1);
	assert_int_equal(service_start("ONE"), LSB_FAILURE);
	assert_int_equal(service_start("TWO"), LSB_NOT_CONFIGURED);
	assert_int_equal(service_start("FOUR"), LSB_NOT_CONFIGURED);
	assert_int_equal(service_start("LOST"), LSB_NOT_CONFIGURED);
	assert_int_equal(restart_instance("TWO"), LSB_NOT_CONFIGURED);
	assert_int_equal(service_stop("FOUR", 50), LSB_OK);
}

static void lfpd_may_be_missing(void **state)
{
	char path[512];

	(void)state;
	QEMU_USER_LACKS("vfork(), by which posix_spawn() tells of a program that is missing");
	snprintf(path, sizeof(path), "%s", getenv("PATH"));
	setenv("PATH", root, 1);
	assert_int_equal(service_start("ONE"), LSB_NOT_INSTALLED);
	setenv("PATH", path, 1);
}

static void configured_instances_are_found(void **state)
{
	struct instance_list list;

	(void)state;
	assert_int_equal(instance_list_init(&list), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.items[0].name, "LOST");
	assert_true(list.items[0].enabled && !list.items[0].available);
	assert_string_equal(list.items[1].name, "ONE");
	assert_true(list.items[1].enabled && list.items[1].available);
	assert_string_equal(list.items[2].name, "TWO");
	assert_true(!list.items[2].enabled && list.items[2].available);
	instance_list_finish(&list);

	setenv("LFP_ROOT", "/nowhere", 1);
	assert_int_equal(instance_list_init(&list), 0);
	assert_int_equal(list.nr, 0);
	instance_list_finish(&list);
	setenv("LFP_ROOT", root, 1);
}

static void unit_names_are_escaped(void **state)
{
	char unit[LFP_UNIT_MAX];

	(void)state;
	instance_unit(unit, "LINR02");
	assert_string_equal(unit, "lfpd@LINR02.service");
	instance_unit(unit, "$#@_$#@_");
	assert_string_equal(unit, "lfpd@\\x24\\x23\\x40_\\x24\\x23\\x40_.service");
	assert_false(instance_by_systemd());
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, use_good_lfpd, stop_all)

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		TEST(start_and_stop),          TEST(stubborn_instance_is_killed),
		TEST(killed_instance_is_dead), TEST(start_tells_why_it_failed),
		TEST(lfpd_may_be_missing),     TEST(configured_instances_are_found),
		TEST(unit_names_are_escaped),
	};

	if (!strcmp(basename(argv[0]), "lfpd"))
		return stand_in(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
