/* SPDX-License-Identifier: Apache-2.0 */
/* test-places.c - where files and sockets live */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/places.h"

static char scratch[] = "/tmp/test-places-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return system(command);
}

static int fresh_environment(void **state)
{
	(void)state;
	unsetenv("LFP_ROOT");
	unsetenv("LFP_VMID");
	unsetenv("XDG_RUNTIME_DIR");
	return 0;
}

static void places_hang_off_the_root(void **state)
{
	char buf[LFP_PLACE_MAX];

	(void)state;
	setenv("LFP_ROOT", "/r/x//", 1);
	assert_string_equal(lfp_root(), "/r/x");
	assert_int_equal(lfp_place_conf_dir(buf, "enabled"), 0);
	assert_string_equal(buf, "/r/x/etc/opt/ibm/vselfpd/confs-enabled");
	assert_int_equal(lfp_place_conf(buf, "available", "LINR02"), 0);
	assert_string_equal(buf, "/r/x/etc/opt/ibm/vselfpd/confs-available/lfpd-LINR02.conf");
	assert_int_equal(lfp_place_vse_conf(buf, "01"), 0);
	assert_string_equal(buf, "/r/x/etc/vselfp/lfp-01.conf");
	assert_int_equal(lfp_place_vm_directory(buf), 0);
	assert_string_equal(buf, "/r/x/etc/vselfp/vm-directory");
	assert_int_equal(lfp_place_vm(buf, "VSER05", 12), 0);
	assert_string_equal(buf, "/r/x/run/vselfp/vm/VSER05/12");
	assert_int_equal(lfp_place_vm(buf, "../x", 12), -EINVAL);
	assert_int_equal(lfp_place_run_dir(buf), 0);
	assert_string_equal(buf, "/r/x/run");
	assert_int_equal(lfp_place_lfpd(buf, "LINR02", "path"), 0);
	assert_string_equal(buf, "/r/x/run/vselfpd/LINR02/path");
	assert_int_equal(lfp_place_vse(buf, "01", "ctl"), 0);
	assert_string_equal(buf, "/r/x/run/vselfp/01/ctl");
}

static void slash_is_the_systems_own_tree(void **state)
{
	char buf[LFP_PLACE_MAX];

	(void)state;
	setenv("LFP_ROOT", "/", 1);
	assert_string_equal(lfp_root(), "");
	assert_int_equal(lfp_place_lfpd(buf, "A", "pid"), 0);
	assert_string_equal(buf, "/run/vselfpd/A/pid");
}

static void relative_root_is_made_absolute(void **state)
{
	char expected[LFP_PLACE_MAX + 16];
	char cwd[LFP_PLACE_MAX];

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(expected, sizeof(expected), "%s/build/demo", cwd);
	setenv("LFP_ROOT", "build/demo", 1);
	assert_string_equal(lfp_root(), expected);
}

static void too_long_is_refused(void **state)
{
	char root[2 * LFP_PLACE_MAX];
	char buf[LFP_PLACE_MAX];

	(void)state;
	memset(root, 'x', sizeof(root));
	root[0] = '/';
	root[LFP_PLACE_MAX - 10] = '\0';
	setenv("LFP_ROOT", root, 1);
	assert_int_equal(lfp_place_lfpd(buf, "LINR02", "path"), -ENAMETOOLONG);
	assert_non_null(strstr(lfp_place_strerror(-ENAMETOOLONG), "107 bytes"));
	assert_string_equal(lfp_place_strerror(-EACCES), strerror(EACCES));
	root[LFP_PLACE_MAX - 10] = 'x';
	root[sizeof(root) - 1] = '\0';
	setenv("LFP_ROOT", root, 1);
	assert_int_equal(lfp_place_run_dir(buf), -ENAMETOOLONG);
	assert_int_equal(lfp_place_conf_dir(buf, "enabled"), -ENAMETOOLONG);
}

static void names_are_checked(void **state)
{
	static const char *const good[] = {"A", "LINR02", "LFP#1", "$@_X", "12345678"};
	static const char *const bad[] = {"",     "123456789", "linr02", "A B",
					  "../A", "A.",        "A-",     "\xc4"};
	char buf[LFP_PLACE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(lfp_check_name(good[i]), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(lfp_check_name(bad[i]), -EINVAL);
		assert_int_equal(lfp_place_conf(buf, "enabled", bad[i]), -EINVAL);
		assert_int_equal(lfp_place_lfpd(buf, bad[i], "path"), -EINVAL);
	}
	assert_int_equal(lfp_check_vmid("VM-1:+"), 0);
	assert_int_equal(lfp_check_vmid("vm"), -EINVAL);
	assert_int_equal(lfp_check_nn("00"), 0);
	assert_int_equal(lfp_check_nn("1"), -EINVAL);
	assert_int_equal(lfp_check_nn("001"), -EINVAL);
	assert_int_equal(lfp_check_nn("0a"), -EINVAL);
	assert_int_equal(lfp_place_vse(buf, "1", "ctl"), -EINVAL);
	assert_int_equal(lfp_place_vse_conf(buf, "/1"), -EINVAL);
}

/* The places of a user without root. The exit code is the failed line. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(__LINE__ % 200 + 1);                                                 \
	} while (0)

static void as_other_user(void)
{
	char own[LFP_PLACE_MAX], buf[LFP_PLACE_MAX], expected[64];
	unsigned int other = 62000 + (unsigned int)getpid() % 3000; /* an unused user id, not used
								     * by other tests */
	struct stat st;

	if (geteuid() == 0)
		CHECK(setgid(other) == 0 && setuid(other) == 0);
	CHECK(!strcmp(lfp_root(), "-"));
	CHECK(lfp_place_conf_dir(buf, "enabled") == 0);
	CHECK(!strcmp(buf, "/etc/opt/ibm/vselfpd/confs-enabled"));

	snprintf(expected, sizeof(expected), "/tmp/vselfp-%lu", (unsigned long)geteuid());
	CHECK(lfp_place_run_dir(buf) == 0);
	CHECK(!strcmp(buf, expected));
	CHECK(stat(buf, &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(chmod(buf, 0755) == 0);
	CHECK(lfp_place_run_dir(own) == -EPERM);
	CHECK(chmod(buf, 0700) == 0);

	setenv("XDG_RUNTIME_DIR", buf, 1);
	CHECK(lfp_place_lfpd(own, "A", "path") == 0);
	strcat(expected, "/vselfpd/A/path");
	CHECK(!strcmp(own, expected));
	setenv("XDG_RUNTIME_DIR", "/", 1);
	CHECK(lfp_place_run_dir(own) == -EPERM);
	setenv("XDG_RUNTIME_DIR", "/does/not/exist", 1);
	CHECK(lfp_place_run_dir(own) == 0);
	/* Not if it is in use. */
	rmdir(own);
	_exit(0);
}

static void user_has_a_directory_of_his_own(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid)
		as_other_user();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void parents_are_made(void **state)
{
	char path[LFP_PLACE_MAX];
	struct stat st;
	mode_t old;

	(void)state;
	old = umask(077);
	snprintf(path, sizeof(path), "%s/a/b/c/pid", scratch);
	assert_int_equal(lfp_place_make_parent(path), 0);
	assert_int_equal(lfp_place_make_parent(path), 0);
	umask(old);
	assert_int_not_equal(stat(path, &st), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);

	snprintf(path, sizeof(path), "%s/file", scratch);
	fclose(fopen(path, "w"));
	strcat(path, "/x/pid");
	assert_int_equal(lfp_place_make_parent(path), -ENOTDIR);
}

static void unix_address_has_107_bytes(void **state)
{
	struct sockaddr_un addr;
	char path[200];

	(void)state;
	memset(path, 'p', sizeof(path));
	path[107] = '\0';
	assert_int_equal(lfp_unix_addr(&addr, path), 0);
	assert_int_equal(addr.sun_family, AF_UNIX);
	assert_string_equal(addr.sun_path, path);
	path[107] = 'p';
	path[108] = '\0';
	assert_int_equal(lfp_unix_addr(&addr, path), -ENAMETOOLONG);
}

static void vmid_has_three_sources(void **state)
{
	char host[256];
	char vmid[9];

	(void)state;
	assert_int_equal(lfp_vmid(vmid, NULL), 0);
	assert_int_equal(lfp_check_vmid(vmid), 0);
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	if (strspn(host, "abcdefghijklmnopqrstuvwxyz") >= 1)
		assert_int_equal(vmid[0], host[0] - 'a' + 'A');

	setenv("LFP_VMID", "linlfp", 1);
	assert_int_equal(lfp_vmid(vmid, NULL), 0);
	assert_string_equal(vmid, "LINLFP");
	assert_int_equal(lfp_vmid(vmid, "VSER05"), 0);
	assert_string_equal(vmid, "VSER05");
	assert_int_equal(lfp_vmid(vmid, "12345678"), 0);
	assert_int_equal(lfp_vmid(vmid, "123456789"), -EINVAL);
	assert_int_equal(lfp_vmid(vmid, "A B"), -EINVAL);
	setenv("LFP_VMID", "not a name", 1);
	assert_int_equal(lfp_vmid(vmid, NULL), -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_environment)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(places_hang_off_the_root),
		TEST(slash_is_the_systems_own_tree),
		TEST(relative_root_is_made_absolute),
		TEST(too_long_is_refused),
		TEST(names_are_checked),
		TEST(user_has_a_directory_of_his_own),
		TEST(parents_are_made),
		TEST(unix_address_has_107_bytes),
		TEST(vmid_has_three_sources),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
