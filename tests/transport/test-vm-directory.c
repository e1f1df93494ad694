/* SPDX-License-Identifier: Apache-2.0 */
/* test-vm-directory.c - the directory of the pretend z/VM, and the paths that it counts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/vm-directory.h"
#include "transport/vm.h"

static char root[] = "/tmp/test-vm-XXXXXX";

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	return setenv("LFP_ROOT", root, 1);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static int read_text(const char *text, struct vm_directory **dir, struct lfp_reader_error *err)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = vm_directory_read(in, "vm", dir, err);
	fclose(in);
	return rc;
}

static struct vm_verdict ask(const char *text, const char *from, const char *to)
{
	struct lfp_reader_error err;
	struct vm_verdict verdict;
	struct vm_directory *dir;

	if (read_text(text, &dir, &err))
		fail_msg("%s", err.text);
	vm_directory_ask(dir, from, to, &verdict);
	vm_directory_free(dir);
	return verdict;
}

static void each_statement_gives_its_right(void **state)
{
	struct vm_verdict verdict;

	(void)state;
	verdict = ask("USER VSER05\nUSER LINLFP\nIUCV ALLOW\n", "VSER05", "LINLFP");
	assert_int_equal(verdict.error, 0);
	assert_int_equal(verdict.msglimit, 65535);
	verdict = ask("USER VSER05\nIUCV ANY\nUSER LINLFP\n", "VSER05", "LINLFP");
	assert_int_equal(verdict.error, 0);
	verdict = ask("user vser05\n iucv linlfp\nUSER LINLFP\n", "VSER05", "LINLFP");
	assert_int_equal(verdict.error, 0);

	/* ALLOW is the target's, ANY and a name are the source's. */
	verdict = ask("USER VSER05\nIUCV ALLOW\nUSER LINLFP\nIUCV ANY\n", "VSER05", "LINLFP");
	assert_int_equal(verdict.error, -EACCES);
	assert_string_equal(verdict.why, "the entry of VSER05 has neither IUCV ANY nor IUCV "
					 "LINLFP, and that of LINLFP no IUCV ALLOW");
	verdict = ask("USER VSER05\nIUCV OTHER\nUSER LINLFP\n", "VSER05", "LINLFP");
	assert_int_equal(verdict.error, -EACCES);
}

static void the_most_special_message_limit_holds(void **state)
{
	static const char text[] = "USER VSER05\nIUCV ANY MSGLIMIT 20\nIUCV LINLFP MSGLIMIT 10\n"
				   "USER LINLFP\nIUCV ALLOW MSGLIMIT 30\n"
				   "USER OTHER\nIUCV ALLOW MSGLIMIT 40\n"
				   "USER THIRD\n";

	(void)state;
	assert_int_equal(ask(text, "VSER05", "LINLFP").msglimit, 10);
	assert_int_equal(ask(text, "VSER05", "OTHER").msglimit, 20);
	assert_int_equal(ask(text, "THIRD", "LINLFP").msglimit, 30);
}

static void missing_guests_are_named(void **state)
{
	struct vm_verdict verdict = ask("USER VSER05\nIUCV ANY\n", "VSER05", "LINLFP");

	(void)state;
	assert_int_equal(verdict.error, -ENETUNREACH);
	assert_string_equal(verdict.why, "USER LINLFP is missing");
	verdict = ask("* comment\n\nUSER LINLFP\nIUCV ALLOW\n", "VSER05", "LINLFP");
	assert_int_equal(verdict.error, -EACCES);
	assert_string_equal(verdict.why, "USER VSER05 is missing");
}

static void bad_lines_are_named(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"IUCV ANY\n", "vm:1: IUCV: stands before the first USER"},
		{"USER\n", "vm:1: USER: a z/VM user id of 1 to 8 characters is missing"},
		{"USER TOOLONGID\n", "vm:1: USER: a z/VM user id of 1 to 8 characters is missing"},
		{"USER A B\n", "vm:1: USER: unexpected word 'B'"},
		{"USER A\nUSER B\nUSER A\n", "vm:3: USER: A has an entry already, in line 1"},
		{"USER A\nMDISK 191\n",
		 "vm:2: 'MDISK' is not USER, IUCV or OPTION, nor MACHINE, LEVEL or MODE"},
		{"USER A\nIUCV\n", "vm:2: IUCV: ALLOW, ANY or a z/VM user id is missing"},
		{"USER A\nIUCV ANY\nIUCV ANY\n", "vm:3: IUCV: ANY is given twice to A"},
		{"USER A\nIUCV B\nIUCV B\n", "vm:3: IUCV: B is given twice to A"},
		{"USER A\nIUCV B LIMIT 3\n",
		 "vm:2: IUCV: 'LIMIT' is not supported, only MSGLIMIT and a number"},
		{"USER A\nIUCV B MSGLIMIT\n", "vm:2: MSGLIMIT: a number is missing"},
		{"USER A\nIUCV B MSGLIMIT 0\n", "vm:2: MSGLIMIT: '0' is not a number from 1 to "
						"65535"},
		{"USER A\nIUCV B MSGLIMIT 65536\n",
		 "vm:2: MSGLIMIT: '65536' is not a number from 1 to 65535"},
		{"USER A\nIUCV B MSGLIMIT 6 7\n",
		 "vm:2: IUCV: '7' is not supported, only MSGLIMIT and a number"},
		{"USER A\nIUCV B/C\n",
		 "vm:2: IUCV: 'B/C' is neither ALLOW nor ANY nor a z/VM user id"},
		{"USER A\nOPTION\n", "vm:2: OPTION: only MAXCONN is supported"},
		{"USER A\nOPTION MAXCONN\n", "vm:2: MAXCONN: a number is missing"},
		{"USER A\nOPTION MAXCONN 1\nOPTION MAXCONN 2\n",
		 "vm:3: MAXCONN: is given twice to A"},
		{"USER A\nOPTION MAXCONN x\n",
		 "vm:2: MAXCONN: 'X' is not a number from 1 to 65535"},
		{"USER A\nIUCV \x01\n", "vm:2: control character 0x01 in column 6"},
	};
	struct lfp_reader_error err;
	struct vm_directory *dir;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_text(cases[i].text, &dir, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].message);
	}
}

static void long_lines_are_refused(void **state)
{
	struct lfp_reader_error err;
	struct vm_directory *dir;
	char text[700] = "USER A\n";

	(void)state;
	memset(text + 7, ' ', sizeof(text) - 8);
	assert_int_equal(read_text(text, &dir, &err), -EINVAL);
	assert_string_equal(err.text, "vm:2: the line is longer than 511 bytes");
}

static void write_directory(const char *text)
{
	char file[256];
	FILE *out;

	snprintf(file, sizeof(file), "%s/etc", root);
	mkdir(file, 0755);
	snprintf(file, sizeof(file), "%s/etc/vselfp", root);
	mkdir(file, 0755);
	snprintf(file, sizeof(file), "%s/etc/vselfp/vm-directory", root);
	out = fopen(file, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void without_a_directory_everything_is_allowed(void **state)
{
	struct vm_path path;
	char why[300];

	(void)state;
	assert_int_equal(vm_connect(&path, "VSER05", "LINLFP", why, sizeof(why)), 0);
	assert_int_equal(path.msglimit, 65535);
	vm_disconnect(&path);
}

static void paths_are_counted_at_both_guests(void **state)
{
	struct vm_path first, second, third;
	char why[300];

	(void)state;
	write_directory("USER VSER05\nIUCV ANY MSGLIMIT 7\nOPTION MAXCONN 2\n"
			"USER LINLFP\nUSER LINTWO\nOPTION MAXCONN 1\n");
	assert_int_equal(vm_connect(&first, "VSER05", "LINTWO", why, sizeof(why)), 0);
	assert_int_equal(first.msglimit, 7);
	assert_int_equal(vm_connect(&second, "VSER05", "LINTWO", why, sizeof(why)), -EAGAIN);
	assert_string_equal(why, "LINTWO has as many paths as its OPTION MAXCONN allows, 1");
	/* A refused path takes no place. */
	assert_int_equal(vm_connect(&second, "VSER05", "LINLFP", why, sizeof(why)), 0);
	assert_int_equal(vm_connect(&third, "VSER05", "LINLFP", why, sizeof(why)), -EAGAIN);
	assert_string_equal(why, "VSER05 has as many paths as its OPTION MAXCONN allows, 2");
	vm_disconnect(&first);
	assert_int_equal(vm_connect(&third, "VSER05", "LINLFP", why, sizeof(why)), 0);
	vm_disconnect(&second);
	vm_disconnect(&third);
}

static void the_end_of_a_process_ends_its_paths(void **state)
{
	struct vm_path path;
	char why[300];
	int status;
	pid_t pid;

	(void)state;
	write_directory("USER VSER05\nIUCV ANY\nOPTION MAXCONN 1\nUSER LINLFP\n");
	pid = fork();
	if (!pid)
		_exit(vm_connect(&path, "VSER05", "LINLFP", why, sizeof(why)) ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(vm_connect(&path, "VSER05", "LINLFP", why, sizeof(why)), 0);
	vm_disconnect(&path);
}

static void a_faulty_directory_allows_nothing(void **state)
{
	struct vm_path path;
	char why[300];

	(void)state;
	write_directory("USER VSER05\nIUVC ANY\n");
	assert_int_equal(vm_connect(&path, "VSER05", "LINLFP", why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "etc/vselfp/vm-directory:2: 'IUVC' is not USER"));
	assert_int_equal(path.slot[0], -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_statement_gives_its_right),
		cmocka_unit_test(the_most_special_message_limit_holds),
		cmocka_unit_test(missing_guests_are_named),
		cmocka_unit_test(bad_lines_are_named),
		cmocka_unit_test(long_lines_are_refused),
		cmocka_unit_test(without_a_directory_everything_is_allowed),
		cmocka_unit_test(paths_are_counted_at_both_guests),
		cmocka_unit_test(the_end_of_a_process_ends_its_paths),
		cmocka_unit_test(a_faulty_directory_allows_nothing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
