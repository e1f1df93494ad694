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

#include "tests/lfpd/config-file.h"
#include "transport/choice.h"

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
	assert_int_equal(config_read_text(&c, sample, &err), 0);
	assert_string_equal(err.text, "");
	assert_is_sample(&c);
	assert_int_equal(lfpd_window_bytes(&c), 65536);
	assert_int_equal(lfpd_window_threshold_bytes(&c), 16384);
	assert_int_equal(lfpd_config_read(&c, config_path, "LINR02", &err), 0);
	assert_int_equal(lfpd_config_read(&c, config_path, "", &err), 0);
}

static void what_is_printed_can_be_read(void **state)
{
	static const char *const texts[] = {
		sample,
		"IUCV_SRC_APPNAME = LINR02\n",
		"IUCV_SRC_APPNAME = LINR02\nPEER_IUCV_VMID = \"A#B\"\nPEER_IUCV_APPNAME = '#'\n",
		"IUCV_SRC_APPNAME = LINR02\nVSE_HOSTID6 = 2001:db8::1\nPEER_USER = "
		"root\nADMIN_GROUP = "
		"12\nLOG_LEVEL = warning\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct lfpd_config first, second;
		struct lfp_reader_error err;
		char *printed;
		size_t len;
		FILE *out;

		assert_int_equal(config_read_text(&first, texts[i], &err), 0);
		out = open_memstream(&printed, &len);
		assert_non_null(out);
		lfpd_config_print(&first, out);
		fclose(out);
		assert_int_equal(config_read_text(&second, printed, &err), 0);
		assert_memory_equal(&first, &second, sizeof(first));
		free(printed);
	}
}

static void defaults_are_those_of_the_table(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	assert_int_equal(config_read_text(&c, "IUCV_SRC_APPNAME=LINR02", &err), 0);
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
	assert_true(IN6_IS_ADDR_UNSPECIFIED(&c.vse_hostid6));
	assert_false(c.allow_loopback);
	assert_ptr_equal(transport_chosen(&c.transport), &transport_unix);
	assert_string_equal(c.peer_user.name, "");
	assert_string_equal(c.peer_group.name, "");
	assert_string_equal(c.admin_group.name, "");
	assert_int_equal(c.max_lookups, 1024);
	assert_int_equal(c.close_timeout, 120);
	assert_int_equal(c.log_level, LFPD_LOG_INFO);
}

/* The longest packet of each size of frames; as many of them as Linux has, if nothing is said. */
static void hipersockets_have_their_own(void **state)
{
	static const unsigned int sizes[][2] = {
		{8192, 8074}, {16384, 16266}, {32768, 32650}, {57344, 57226}};
	struct lfp_reader_error err;
	struct lfpd_config c;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(text, sizeof(text),
			 "IUCV_SRC_APPNAME = LINR02\nTRANSPORT = hipersockets\nHS_MTU = %u\n"
			 "MTU_SIZE = %u\n%s",
			 sizes[i][0], sizes[i][1], i % 2 ? "IUCV_MSGLIMIT = 1024\n" : "");
		assert_int_equal(config_read_text(&c, text, &err), 0);
		assert_int_equal(c.mtu_size, sizes[i][1]);
		assert_int_equal(c.iucv_msglimit, i % 2 ? 1024 : 128);
	}
}

/* Keys that are not IBM's. */
static void our_keys(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	assert_int_equal(
		config_read_text(&c,
				 "IUCV_SRC_APPNAME = LINR02\nVSE_HOSTID6 = 2001:db8::1\n"
				 "ALLOW_LOOPBACK = yes\nPEER_USER = root\nPEER_GROUP = 4711\n"
				 "ADMIN_GROUP = root\nLOG_LEVEL = debug\n",
				 &err),
		0);
	assert_int_equal(c.vse_hostid6.s6_addr[0], 0x20);
	assert_int_equal(c.vse_hostid6.s6_addr[15], 1);
	assert_true(c.allow_loopback);
	assert_string_equal(c.peer_user.name, "root");
	assert_int_equal(c.peer_user.id, 0);
	assert_string_equal(c.peer_group.name, "4711");
	assert_int_equal(c.peer_group.id, 4711);
	assert_int_equal(c.admin_group.id, 0);
	assert_int_equal(c.log_level, LFPD_LOG_DEBUG);
}

/* Every field of the table can be compared and copied. */
static void fields_are_compared_and_copied(void **state)
{
	static const char *const texts[] = {
		"IUCV_SRC_APPNAME = LINR02\nMTU_SIZE = 1500\nVSE_HOSTID = 10.0.0.1\n",
		"IUCV_SRC_APPNAME = LINR02\nPEER_IUCV_VMID = VSER05\nPEER_IUCV_APPNAME = TESTV\n"
		"VSE_CODEPAGE = IBM037\nVSE_HOSTID = 10.0.0.2\nRESTRICT_TO_HOSTID = yes\n"
		"VSE_HOSTID6 = fd00::1\nPEER_USER = 7\nPEER_GROUP = 8\nLOG_LEVEL = error\n",
	};
	struct lfpd_config one, two, copy;
	const struct lfp_field *fields;
	struct lfp_reader_error err;
	size_t nr, differ = 0;

	(void)state;
	assert_int_equal(config_read_text(&one, texts[0], &err), 0);
	assert_int_equal(config_read_text(&two, texts[1], &err), 0);
	fields = lfpd_config_fields(&nr);
	copy = two;
	for (size_t i = 0; i < nr; i++) {
		assert_true(lfp_field_equal(&fields[i], &one, &one));
		assert_true(lfp_field_equal(&fields[i], &copy, &two));
		differ += !lfp_field_equal(&fields[i], &one, &two);
		lfp_field_copy(&fields[i], &copy, &one);
		assert_true(lfp_field_equal(&fields[i], &copy, &one));
	}
	assert_int_equal(differ, 10);
	assert_memory_equal(&copy, &one, sizeof(one));
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

		if (config_read_text(&c, texts[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(c.mtu_size, 1500);
	}
}

static void name_can_be_given(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	config_put(sample, strlen(sample));
	assert_int_equal(lfpd_config_read(&c, config_path, "LINR03", &err), -EINVAL);
	assert_int_equal(err.line, 2);
	assert_non_null(strstr(err.text, "LINR02 does not match the instance LINR03"));
}

/* By their lines, though a syntax error is found before a wrong value. */
static void all_errors_are_told(void **state)
{
	static const char text[] = "MTU_SIZE = 12\n" N "MAX_SOKCETS = 5\nIUCV_MSGLIMIT 3\n"
				   "MTU_SIZE = 1500\nWINDOW_THRESHOLD = 101\n";
	static const struct {
		int line;
		const char *text;
	} expected[] = {
		{1, "MTU_SIZE: 12 is not within"},
		{3, "MAX_SOKCETS: is not a key of this file (perhaps MAX_SOCKETS)"},
		{4, "'=' is missing"},
		{5, "MTU_SIZE: is already in line 1"},
		{6, "WINDOW_THRESHOLD: 101 is not within"},
	};
	struct lfp_reader_errors errs;
	struct lfpd_config c;

	(void)state;
	config_put(text, strlen(text));
	assert_int_equal(lfpd_config_read_all(&c, config_path, "", &errs), -EINVAL);
	assert_int_equal(errs.nr, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(errs.list[i].line, expected[i].line);
		if (!strstr(errs.list[i].text, expected[i].text))
			fail_msg("%s", errs.list[i].text);
	}
}

static void many_errors_keep_the_first(void **state)
{
	struct lfp_reader_errors errs;
	struct lfpd_config c;
	char text[4096] = "MTU_SIZE = 1\n";
	size_t len = strlen(text);

	(void)state;
	for (int i = 0; i < 50; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "UNKNOWN%d = 1\n", i);
	config_put(text, len);
	assert_int_equal(lfpd_config_read_all(&c, config_path, "", &errs), -EINVAL);
	assert_int_equal(errs.nr, 51);
	assert_int_equal(lfp_reader_errors_listed(&errs), LFP_READER_ERRORS);
	for (int i = 0; i < LFP_READER_ERRORS; i++)
		assert_int_equal(errs.list[i].line, i + 1);
	assert_string_equal(errs.list[0].key, "MTU_SIZE");
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
	assert_int_equal(lfpd_config_read(&c, "/tmp", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a regular file"));
	assert_int_equal(lfpd_config_read(&c, "/dev/null", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a regular file"));
	unlink(config_path);
	assert_int_equal(mkfifo(config_path, 0600), 0);
	assert_int_equal(lfpd_config_read(&c, config_path, NULL, &err), -EINVAL);
	unlink(config_path);

	memset(big, '\n', sizeof(big));
	config_put(big, sizeof(big));
	assert_int_equal(lfpd_config_read(&c, config_path, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is larger than 65536 bytes"));
	memcpy(big, sample, strlen(sample));
	config_put(big, sizeof(big) - 1);
	assert_int_equal(lfpd_config_read(&c, config_path, NULL, &err), 0);

	config_put("IUCV_SRC_APPNAME = LIN\0R02\n", 26);
	assert_int_equal(lfpd_config_read(&c, config_path, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "control character 0x00 in column 23"));

	if (geteuid() != 0) {
		config_put(sample, strlen(sample));
		assert_int_equal(chmod(config_path, 0), 0);
		assert_int_equal(lfpd_config_read(&c, config_path, NULL, &err), -EACCES);
		unlink(config_path);
	}
}

/* A user may not have more than all users together. */
static const char *whole_of(const char *key)
{
	if (!strcmp(key, "MAX_SOCKETS_USER"))
		return "MAX_SOCKETS = 1000000\n";
	if (!strcmp(key, "UNIX_PORT"))
		return "UNIX_STREAM = /vs\n";
	return !strcmp(key, "MAX_TASKS_USER") ? "MAX_VSE_TASKS = 65536\n" : "";
}

static void shares_follow_the_whole(void **state)
{
	struct lfp_reader_error err;
	struct lfpd_config c;

	(void)state;
	assert_int_equal(config_read_text(&c, N, &err), 0);
	assert_int_equal(lfpd_sockets_user(&c), 768);
	assert_int_equal(lfpd_tasks_user(&c), 384);
	assert_int_equal(config_read_text(&c, N "MAX_SOCKETS = 1\nMAX_VSE_TASKS = 10\n", &err), 0);
	assert_int_equal(lfpd_sockets_user(&c), 1);
	assert_int_equal(lfpd_tasks_user(&c), 8);
	assert_int_equal(
		config_read_text(&c, N "MAX_SOCKETS_USER = 1024\nMAX_TASKS_USER = 1\n", &err), 0);
	assert_int_equal(lfpd_sockets_user(&c), 1024);
	assert_int_equal(lfpd_tasks_user(&c), 1);
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

			snprintf(text, sizeof(text), N "%s%s = %u\n", whole_of(fields[i].key),
				 fields[i].key, values[k]);
			assert_int_equal(config_read_text(&c, text, &err), 0);
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
		cmocka_unit_test(our_keys),
		cmocka_unit_test(hipersockets_have_their_own),
		cmocka_unit_test(fields_are_compared_and_copied),
		cmocka_unit_test(lenient_where_nothing_is_lost),
		cmocka_unit_test(name_can_be_given),
		cmocka_unit_test(all_errors_are_told),
		cmocka_unit_test(many_errors_keep_the_first),
		cmocka_unit_test(files_that_are_none),
		cmocka_unit_test(ranges_include_their_ends),
		cmocka_unit_test(shares_follow_the_whole),
		cmocka_unit_test(window_is_rounded_up),
	};

	return cmocka_run_group_tests(tests, config_set_up, config_tear_down);
}
