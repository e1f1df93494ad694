/* SPDX-License-Identifier: Apache-2.0 */
/* test-config.c - the configuration file of an lfpd instance */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfpd/config.h"

static char dir[] = "/tmp/test-config-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/lfpd-LINR02.conf", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void put_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int read_text(struct lfpd_config *config, const char *text, struct lfp_reader_error *err)
{
	put_file(text, strlen(text));
	return lfpd_config_read(config, path, NULL, err);
}

/* The file of IBM's presentation, to the letter. */
static const char sample[] = "# lfpd configuration file\n"
			     "IUCV_SRC_APPNAME = LINR02\n"
			     "# ensure that only TESTV from VSER05 can connect\n"
			     "PEER_IUCV_VMID = VSER05\n"
			     "PEER_IUCV_APPNAME = TESTV\n"
			     "IUCV_MSGLIMIT = 1024\n"
			     "MTU_SIZE = 8192\n"
			     "MAX_SOCKETS = 1024\n"
			     "INITIAL_IO_BUFS = 128\n"
			     "WINDOW_SIZE = 65535\n"
			     "WINDOW_THRESHOLD = 25\n"
			     "VSE_CODEPAGE = EBCDIC-US\n"
			     "VSE_HOSTID = 10.0.0.1\n"
			     "RESTRICT_TO_HOSTID = yes\n"
			     "LOG_INFO_MSG = no\n";

static void assert_is_sample(const struct lfpd_config *c)
{
	assert_string_equal(c->iucv_src_appname, "LINR02");
	assert_string_equal(c->peer_iucv_vmid, "VSER05");
	assert_string_equal(c->peer_iucv_appname, "TESTV");
	assert_int_equal(c->iucv_msglimit, 1024);
	assert_int_equal(c->mtu_size, 8192);
	assert_int_equal(c->max_sockets, 1024);
	assert_int_equal(c->max_vse_tasks, 512);
	assert_int_equal(c->initial_io_bufs, 128);
	assert_int_equal(c->window_size, 65535);
	assert_int_equal(c->window_threshold, 25);
	assert_string_equal(c->vse_codepage, "EBCDIC-US");
	assert_true(c->has_vse_hostid);
	assert_int_equal(c->vse_hostid.s_addr, inet_addr("10.0.0.1"));
	assert_true(c->restrict_to_hostid);
	assert_false(c->log_info_msg);
}

static void sample_is_read(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	assert_int_equal(read_text(&c, sample, &err), 0);
	assert_string_equal(err.text, "");
	assert_is_sample(&c);
	assert_int_equal(lfpd_window_bytes(&c), 65536);
	assert_int_equal(lfpd_window_threshold_bytes(&c), 16384);
	assert_int_equal(lfpd_config_read(&c, path, "LINR02", &err), 0);
	assert_int_equal(lfpd_config_read(&c, path, "", &err), 0);
}

static void what_is_printed_can_be_read(void **state)
{
	static const char *const texts[] = {
		sample,
		"IUCV_SRC_APPNAME = LINR02\n",
		"IUCV_SRC_APPNAME = LINR02\nPEER_IUCV_VMID = \"A#B\"\nPEER_IUCV_APPNAME = '#'\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct lfpd_config first, second;
		struct lfp_reader_error err;
		char *printed;
		size_t len;
		FILE *out;

		assert_int_equal(read_text(&first, texts[i], &err), 0);
		out = open_memstream(&printed, &len);
		assert_non_null(out);
		lfpd_config_print(&first, out);
		fclose(out);
		assert_int_equal(read_text(&second, printed, &err), 0);
		assert_memory_equal(&first, &second, sizeof(first));
		free(printed);
	}
}

static void defaults_are_those_of_the_table(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	assert_int_equal(read_text(&c, "IUCV_SRC_APPNAME=LINR02", &err), 0);
	assert_string_equal(c.peer_iucv_vmid, "");
	assert_string_equal(c.peer_iucv_appname, "");
	assert_int_equal(c.iucv_msglimit, 1024);
	assert_int_equal(c.mtu_size, 8192);
	assert_int_equal(c.max_sockets, 1024);
	assert_int_equal(c.max_vse_tasks, 512);
	assert_int_equal(c.initial_io_bufs, 128);
	assert_int_equal(c.window_size, 65535);
	assert_int_equal(c.window_threshold, 25);
	assert_string_equal(c.vse_codepage, "EBCDIC-US");
	assert_false(c.has_vse_hostid);
	assert_false(c.restrict_to_hostid);
	assert_true(c.log_info_msg);
}

#define N "IUCV_SRC_APPNAME = LINR02\n"

/* Forms that are fine, all with MTU_SIZE 1500. */
static void lenient_where_nothing_is_lost(void **state)
{
	static const char *const texts[] = {
		N "MTU_SIZE = 1500\n",
		N "MTU_SIZE=1500",
		N "  MTU_SIZE\t =\t1500 \t\n",
		N "mtu_size = 1500\n",
		N "MTU_SIZE = 01500\n",
		N "MTU_SIZE = \"1500\"\n",
		N "MTU_SIZE = '1500'\n",
		"IUCV_SRC_APPNAME = LINR02\r\nMTU_SIZE = 1500\r\n",
		("\n \n\t\n" N "\n# = \"; [x] \xc3\xa4\n  # blanks before\nMTU_SIZE = 1500\n#"),
		"MTU_SIZE = 1500\n" N,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct lfp_reader_error err;
		struct lfpd_config c;

		if (read_text(&c, texts[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(c.mtu_size, 1500);
	}
}

struct bad_case {
	const char *text;
	int line;
	const char *key;
	const char *reason; /* a part of the text */
};

#define X10   "xxxxxxxxxx"
#define X100  X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
#define X1000 X100 X100 X100 X100 X100 X100 X100 X100 X100 X100

static const struct bad_case bad_cases[] = {
	/* Form of a line */
	{N "MTU_SIZE 1500\n", 2, "", "'=' is missing"},
	{N "MTU_SIZE\n", 2, "", "'=' is missing"},
	{N "MTU_SIZE : 1500\n", 2, "", "'=' is missing"},
	{N "= 1500\n", 2, "", "no key before '='"},
	{N " = \n", 2, "", "no key before '='"},
	{N "=\n", 2, "", "no key before '='"},
	{N "MTU_SIZE =\n", 2, "MTU_SIZE", "has no value"},
	{N "MTU_SIZE = \"\"\n", 2, "MTU_SIZE", "has no value"},
	{N "MTU_SIZE = ''\n", 2, "MTU_SIZE", "has no value"},
	{N "MTU_SIZE = # 1500\n", 2, "MTU_SIZE", "a comment a line of its own"},
	{N "MTU_SIZE = 1500 # bytes\n", 2, "MTU_SIZE", "'#' needs quotes"},
	{N "MTU_SIZE = 1500;x\n", 2, "MTU_SIZE", "';' needs quotes"},
	{N "PEER_IUCV_APPNAME = LFP#1\n", 2, "PEER_IUCV_APPNAME", "'#' needs quotes"},
	{N "MTU_SIZE = \"1500\n", 2, "MTU_SIZE", "must end with its quote"},
	{N "MTU_SIZE = \"\n", 2, "MTU_SIZE", "must end with its quote"},
	{N "MTU_SIZE = \"1500'\n", 2, "MTU_SIZE", "must end with its quote"},
	{N "MTU_SIZE = \"1500\" # bytes\n", 2, "MTU_SIZE", "must end with its quote"},
	{N "MTU_SIZE = \"1500\" 8192\n", 2, "MTU_SIZE", "must end with its quote"},
	{N "MTU_SIZE = \"1500\" \"8192\"\n", 2, "MTU_SIZE", "may not hold quotes"},
	{N "MTU_SIZE = 1500\"\n", 2, "MTU_SIZE", "enclose the whole value"},
	{N "MTU_SIZE = 15'00'\n", 2, "MTU_SIZE", "enclose the whole value"},
	{N "MTU_SIZE = \\\n1500\n", 2, "", "backslash"},
	{N "MTU_SIZE = 1500 \\ \t\n", 2, "", "backslash"},
	{N "# comment \\\nMTU_SIZE = 1500\n", 2, "", "backslash"},
	{N "MTU_SIZE = 1500\\", 2, "", "backslash"},
	{N "\\\n", 2, "", "backslash"},
	{N "; comment\n", 2, "", "starts with '#'"},
	{"[lfpd]\n" N, 1, "", "no sections"},
	{N "[MTU_SIZE]\n", 2, "", "no sections"},
	{N "  [lfpd\n", 2, "", "no sections"},
	{N "[a] = 1\n", 2, "", "no sections"},
	{"\xef\xbb\xbf" N, 1, "", "byte-order mark"},
	{N "MTU_SIZE = 1500\f\n", 2, "", "control character 0x0c in column 16"},
	{N "MTU_SIZE = \x1b[1m1500\n", 2, "", "control character 0x1b"},
	{"IUCV_SRC_APPNAME = LINR02\rMTU_SIZE = 1500\r", 1, "", "control character 0x0d"},
	{N "# \x7f\n", 2, "", "control character 0x7f"},
	{N "MTU_SIZE = 1500\r\r\n", 2, "", "control character 0x0d"},
	{N "# " X1000 "\n", 2, "", "longer than 1000"},
	{N "MTU_SIZE = " X1000 "\n", 2, "", "longer than 1000"},
	/* Keys */
	{N "MTU = 1500\n", 2, "MTU", "is no key"},
	{N "MTU_SIZE_ = 1500\n", 2, "MTU_SIZE_", "is no key"},
	{N "MTU SIZE = 1500\n", 2, "MTU SIZE", "is no key"},
	{N ":MTU_SIZE = 1500\n", 2, ":MTU_SIZE", "is no key"},
	{N "a:MTU_SIZE = 1500\n", 2, "a:MTU_SIZE", "is no key"},
	{N "\"MTU_SIZE\" = 1500\n", 2, "\"MTU_SIZE\"", "is no key"},
	{N "LOCAL_IUCV_APPNAME = LINR02\n", 2, "LOCAL_IUCV_APPNAME", "is no key"},
	{N "\xc2\xa0MTU_SIZE = 1500\n", 2, "\xc2\xa0MTU_SIZE", "is no key"},
	{N "MTU_SIZE = 1500\n\nMTU_SIZE = 1500\n", 4, "MTU_SIZE", "already in line 2"},
	{N "MTU_SIZE = 1500\nmtu_size = 8192\n", 3, "MTU_SIZE", "already in line 2"},
	{N N, 2, "IUCV_SRC_APPNAME", "already in line 1"},
	{N X100 " = 1\n", 2, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "is no key"},
	/* Numbers */
	{N "MTU_SIZE = abc\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = 1500x\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = 0x2000\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = -8192\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = +8192\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = 8K\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = 8 192\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = = 8192\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = \" 8192\"\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = 1e4\n", 2, "MTU_SIZE", "decimal digits"},
	{N "MTU_SIZE = 1023\n", 2, "MTU_SIZE", "1023 is not within 1024..65536"},
	{N "MTU_SIZE = 65537\n", 2, "MTU_SIZE", "not within 1024..65536"},
	{N "MTU_SIZE = 4294975488\n", 2, "MTU_SIZE", "not within 1024..65536"},
	{N "MTU_SIZE = 99999999999999999999\n", 2, "MTU_SIZE", "not within 1024..65536"},
	{N "IUCV_MSGLIMIT = 0\n", 2, "IUCV_MSGLIMIT", "not within 1..65535"},
	{N "IUCV_MSGLIMIT = 65536\n", 2, "IUCV_MSGLIMIT", "not within 1..65535"},
	{N "MAX_SOCKETS = 0\n", 2, "MAX_SOCKETS", "not within 1..1000000"},
	{N "MAX_SOCKETS = 1000001\n", 2, "MAX_SOCKETS", "not within 1..1000000"},
	{N "MAX_VSE_TASKS = 65537\n", 2, "MAX_VSE_TASKS", "not within 1..65536"},
	{N "INITIAL_IO_BUFS = 0\n", 2, "INITIAL_IO_BUFS", "not within 1..65536"},
	{N "WINDOW_SIZE = 4095\n", 2, "WINDOW_SIZE", "not within 4096..16777216"},
	{N "WINDOW_SIZE = 16777217\n", 2, "WINDOW_SIZE", "not within 4096..16777216"},
	{N "WINDOW_THRESHOLD = 0\n", 2, "WINDOW_THRESHOLD", "not within 1..100"},
	{N "WINDOW_THRESHOLD = 101\n", 2, "WINDOW_THRESHOLD", "not within 1..100"},
	{N "WINDOW_THRESHOLD = 25%\n", 2, "WINDOW_THRESHOLD", "decimal digits"},
	/* Other values */
	{N "PEER_IUCV_VMID = VSER05789\n", 2, "PEER_IUCV_VMID", "1 to 8"},
	{N "PEER_IUCV_VMID = vser05\n", 2, "PEER_IUCV_VMID", "A-Z"},
	{N "PEER_IUCV_APPNAME = TEST V\n", 2, "PEER_IUCV_APPNAME", "1 to 8"},
	{N "PEER_IUCV_APPNAME = \" \"\n", 2, "PEER_IUCV_APPNAME", "1 to 8"},
	{N "PEER_IUCV_APPNAME = ../etc\n", 2, "PEER_IUCV_APPNAME", "1 to 8"},
	{N "LOG_INFO_MSG = Yes\n", 2, "LOG_INFO_MSG", "yes or no"},
	{N "LOG_INFO_MSG = on\n", 2, "LOG_INFO_MSG", "yes or no"},
	{N "LOG_INFO_MSG = 1e3\n", 2, "LOG_INFO_MSG", "yes or no"},
	{N "LOG_INFO_MSG = yesno\n", 2, "LOG_INFO_MSG", "yes or no"},
	{N "RESTRICT_TO_HOSTID = true\n", 2, "RESTRICT_TO_HOSTID", "yes or no"},
	{N "VSE_HOSTID = 10.0.0\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = 10.0.0.256\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = 10.0.0.1/8\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = 0x0a000001\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = 10.0.0.010\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = localhost\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = fe80::1\n", 2, "VSE_HOSTID", "dotted decimal"},
	{N "VSE_HOSTID = 0.0.0.0\n", 2, "VSE_HOSTID", "one host"},
	{N "VSE_HOSTID = 255.255.255.255\n", 2, "VSE_HOSTID", "one host"},
	{N "VSE_HOSTID = 224.0.0.1\n", 2, "VSE_HOSTID", "one host"},
	{N "VSE_CODEPAGE = EBCDIC-XX\n", 2, "VSE_CODEPAGE", "iconv"},
	{N "VSE_CODEPAGE = EBCDIC-US//IGNORE\n", 2, "VSE_CODEPAGE", "iconv"},
	{N "VSE_CODEPAGE = " X100 "\n", 2, "VSE_CODEPAGE", "longer than 31"},
	/* The whole */
	{"", 0, "IUCV_SRC_APPNAME", "is mandatory and missing"},
	{"# nothing\n", 0, "IUCV_SRC_APPNAME", "is mandatory and missing"},
	{"MTU_SIZE = 8192\n", 0, "IUCV_SRC_APPNAME", "is mandatory and missing"},
	{N "RESTRICT_TO_HOSTID = yes\n", 0, "VSE_HOSTID", "mandatory with RESTRICT_TO_HOSTID"},
	{"IUCV_SRC_APPNAME = LINR03\n", 1, "IUCV_SRC_APPNAME", "the file name lfpd-LINR03.conf"},
	{"IUCV_SRC_APPNAME = linr02\n", 1, "IUCV_SRC_APPNAME", "1 to 8 of A-Z"},
	{"IUCV_SRC_APPNAME = LINR02789\n", 1, "IUCV_SRC_APPNAME", "1 to 8 of A-Z"},
	/* The first wrong value is told, and form comes first */
	{N "LOG_INFO_MSG = x\nMTU_SIZE = x\n", 2, "LOG_INFO_MSG", "yes or no"},
	{N "LOG_INFO_MSG = x\nMTU_SIZE\n", 3, "", "'=' is missing"},
};

static void bad_files_are_refused(void **state)
{
	size_t nr = sizeof(bad_cases) / sizeof(bad_cases[0]);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		const struct bad_case *bad = &bad_cases[i];
		struct lfp_reader_error err;
		struct lfpd_config c;
		char start[128];
		int rc = read_text(&c, bad->text, &err);

		if (bad->line)
			snprintf(start, sizeof(start), "%s:%d: ", path, bad->line);
		else
			snprintf(start, sizeof(start), "%s: ", path);
		if (rc != -EINVAL || err.line != bad->line || strcmp(err.key, bad->key) ||
		    !strstr(err.text, bad->reason) || strncmp(err.text, start, strlen(start)))
			fail_msg("case %zu: rc %d, line %d, key '%s', text '%s', not '%s'", i, rc,
				 err.line, err.key, err.text, bad->reason);
	}
	assert_true(nr >= 100);
}

static void name_can_be_given(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	put_file(sample, strlen(sample));
	assert_int_equal(lfpd_config_read(&c, path, "LINR03", &err), -EINVAL);
	assert_int_equal(err.line, 2);
	assert_non_null(strstr(err.text, "LINR02 does not match the instance LINR03"));
}

static void files_that_are_none(void **state)
{
	static char big[65537];
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	assert_int_equal(lfpd_config_read(&c, "/nowhere/lfpd-A.conf", NULL, &err), -ENOENT);
	assert_string_equal(err.text,
			    "/nowhere/lfpd-A.conf: cannot be opened: No such file or directory");
	assert_int_equal(lfpd_config_read(&c, dir, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a regular file"));
	assert_int_equal(lfpd_config_read(&c, "/dev/null", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a regular file"));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(lfpd_config_read(&c, path, NULL, &err), -EINVAL);
	unlink(path);

	memset(big, '\n', sizeof(big));
	put_file(big, sizeof(big));
	assert_int_equal(lfpd_config_read(&c, path, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is larger than 65536 bytes"));
	memcpy(big, sample, strlen(sample));
	put_file(big, sizeof(big) - 1);
	assert_int_equal(lfpd_config_read(&c, path, NULL, &err), 0);

	put_file("IUCV_SRC_APPNAME = LIN\0R02\n", 26);
	assert_int_equal(lfpd_config_read(&c, path, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "control character 0x00 in column 23"));

	if (geteuid() != 0) {
		put_file(sample, strlen(sample));
		assert_int_equal(chmod(path, 0), 0);
		assert_int_equal(lfpd_config_read(&c, path, NULL, &err), -EACCES);
		unlink(path);
	}
}

static void ranges_include_their_ends(void **state)
{
	const struct lfp_field *fields;
	size_t nr;

	(void)state;
	fields = lfpd_config_fields(&nr);
	for (size_t i = 0; i < nr; i++) {
		const unsigned int values[] = {fields[i].min, fields[i].max};

		assert_true(strlen(fields[i].doc) > 0);
		for (int k = 0; fields[i].kind == LFP_FIELD_NUMBER && k < 2; k++) {
			struct lfp_reader_error err;
			struct lfpd_config c;
			char text[128];

			snprintf(text, sizeof(text), N "%s = %u\n", fields[i].key, values[k]);
			assert_int_equal(read_text(&c, text, &err), 0);
			assert_int_equal(*(unsigned int *)((char *)&c + fields[i].offset),
					 values[k]);
		}
	}
}

static void window_is_rounded_up(void **state)
{
	static const unsigned int pairs[][2] = {
		{4096, 4096}, {4097, 8192}, {65535, 65536}, {65536, 65536}, {16777216, 16777216}};
	struct lfpd_config c = {.window_threshold = 25};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		c.window_size = pairs[i][0];
		assert_int_equal(lfpd_window_bytes(&c), pairs[i][1]);
	}
	c.window_threshold = 100;
	assert_int_equal(lfpd_window_threshold_bytes(&c), 16777216);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_is_read),
		cmocka_unit_test(what_is_printed_can_be_read),
		cmocka_unit_test(defaults_are_those_of_the_table),
		cmocka_unit_test(lenient_where_nothing_is_lost),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(name_can_be_given),
		cmocka_unit_test(files_that_are_none),
		cmocka_unit_test(ranges_include_their_ends),
		cmocka_unit_test(window_is_rounded_up),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
