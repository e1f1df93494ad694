/* SPDX-License-Identifier: Apache-2.0 */
/* test-config-bad.c - configuration files that are refused, each with its line, key and reason */
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

#define N "IUCV_SRC_APPNAME = LINR02\n"

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
	{N "MTU_SIZE = # 1500\n", 2, "MTU_SIZE", "a comment needs a line of its own"},
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
	{N "MTU = 1500\n", 2, "MTU", "is not a key"},
	{N "MTU_SIZE_ = 1500\n", 2, "MTU_SIZE_", "is not a key"},
	{N "MTU SIZE = 1500\n", 2, "MTU SIZE", "is not a key"},
	{N ":MTU_SIZE = 1500\n", 2, ":MTU_SIZE", "is not a key"},
	{N "a:MTU_SIZE = 1500\n", 2, "a:MTU_SIZE", "is not a key"},
	{N "\"MTU_SIZE\" = 1500\n", 2, "\"MTU_SIZE\"", "is not a key"},
	{N "LOCAL_IUCV_APPNAME = LINR02\n", 2, "LOCAL_IUCV_APPNAME", "is not a key"},
	{N "\xc2\xa0MTU_SIZE = 1500\n", 2, "\xc2\xa0MTU_SIZE", "is not a key"},
	{N "MTU_SIZE = 1500\n\nMTU_SIZE = 1500\n", 4, "MTU_SIZE", "already in line 2"},
	{N "MTU_SIZE = 1500\nmtu_size = 8192\n", 3, "MTU_SIZE", "already in line 2"},
	{N N, 2, "IUCV_SRC_APPNAME", "already in line 1"},
	{N X100 " = 1\n", 2, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "is not a key"},
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
	{N "VSE_HOSTID6 = 10.0.0.1\n", 2, "VSE_HOSTID6", "must be an IPv6 address"},
	{N "VSE_HOSTID6 = fd00::1/64\n", 2, "VSE_HOSTID6", "must be an IPv6 address"},
	{N "VSE_HOSTID6 = fe80::1%eth0\n", 2, "VSE_HOSTID6", "must be an IPv6 address"},
	{N "VSE_HOSTID6 = fe80::1\n", 2, "VSE_HOSTID6", "not link-local"},
	{N "VSE_HOSTID6 = ::\n", 2, "VSE_HOSTID6", "one host"},
	{N "VSE_HOSTID6 = ff02::1\n", 2, "VSE_HOSTID6", "one host"},
	{N "VSE_HOSTID6 = ::ffff:10.0.0.1\n", 2, "VSE_HOSTID6", "one host"},
	{N "ALLOW_LOOPBACK = 1\n", 2, "ALLOW_LOOPBACK", "yes or no"},
	{N "TRANSPORT = tcp\n", 2, "TRANSPORT", "must be one of: unix shm local"},
	{N "TRANSPORT = vsock\n", 0, "PEER_CID", "mandatory with this transport"},
	{N "TRANSPORT = vsock\nPEER_CID = 0\n", 3, "PEER_CID", "mandatory with this transport"},
	{N "PEER_CID = 4294967295\n", 2, "PEER_CID", "is not within 0..4294967294"},
	{N "UNIX_STREAM = vs\n", 2, "UNIX_STREAM", "absolute"},
	{N "UNIX_PORT = 1\n", 2, "UNIX_PORT", "has no meaning without UNIX_STREAM"},
	{N "UNIX_STREAM = /" X100 "/1\nUNIX_PORT = 10000\n", 2, "UNIX_STREAM",
	 "with _10000 behind it, it is longer than 107 bytes"},
	{N "TRANSPORT = UNIX\n", 2, "TRANSPORT", "must be one of"},
	{N "TRANSPORT = unix shm\n", 2, "TRANSPORT", "must be one of"},

	/* A packet and the headers of AF_IUCV fit a frame of the device */
	{N "MAX_SOCKETS_USER = 1025\n", 2, "MAX_SOCKETS_USER",
	 "1025 is more than MAX_SOCKETS, which is 1024"},
	{N "MAX_TASKS_USER = 20\nMAX_VSE_TASKS = 19\n", 2, "MAX_TASKS_USER",
	 "20 is more than MAX_VSE_TASKS, which is 19"},
	{N "TRANSPORT = hipersockets\nHS_MTU = 8192\n", 0, "MTU_SIZE",
	 "8192 is more than 8074, the most with HS_MTU 8192"},
	{N "TRANSPORT = hipersockets\nHS_MTU = 8192\nMTU_SIZE = 8075\n", 4, "MTU_SIZE",
	 "8075 is more than 8074, the most with HS_MTU 8192"},
	{N "TRANSPORT = hipersockets\nMTU_SIZE = 16267\n", 3, "MTU_SIZE",
	 "16267 is more than 16266, the most with HS_MTU 16384"},
	{N "TRANSPORT = hipersockets\nMTU_SIZE = 32651\nHS_MTU = 32768\n", 3, "MTU_SIZE",
	 "32651 is more than 32650, the most with HS_MTU 32768"},
	{N "TRANSPORT = hipersockets\nHS_MTU = 57344\nMTU_SIZE = 65536\n", 4, "MTU_SIZE",
	 "65536 is more than 57226, the most with HS_MTU 57344"},
	{N "TRANSPORT = hipersockets\nHS_CQ = no\n", 3, "HS_CQ",
	 "LFP requires the completion queue; no is for tests, with HS_CQ_TEST = yes"},
	{N "TRANSPORT = hipersockets\nHS_MTU = 9000\n", 3, "HS_MTU",
	 "9000 is not 8192, 16384, 32768 or 57344"},
	{N "LOG_LEVEL = inf\n", 2, "LOG_LEVEL", "must be one of: error warning info debug"},
	{N "LOG_LEVEL = information\n", 2, "LOG_LEVEL", "must be one of"},
	{N "PEER_USER = no-such-user\n", 2, "PEER_USER", "is not a user of this host"},
	{N "PEER_USER = -1\n", 2, "PEER_USER", "is not a user of this host"},
	{N "PEER_USER = a b\n", 2, "PEER_USER", "name or the number of a user"},
	{N "PEER_USER = " X100 "\n", 2, "PEER_USER", "name or the number of a user"},
	{N "PEER_GROUP = no-such-group\n", 2, "PEER_GROUP", "is not a group of this host"},
	{N "ADMIN_GROUP = no-such-group\n", 2, "ADMIN_GROUP", "is not a group of this host"},
	{N "PEER_GROUP = 4294967295\n", 2, "PEER_GROUP", "is not a group of this host"},
	{N "MAX_LOOKUPS = 0\n", 2, "MAX_LOOKUPS", "not within 1..65536"},
	{N "CLOSE_TIMEOUT = 0\n", 2, "CLOSE_TIMEOUT", "not within 1..86400"},
	/* The whole */
	{"", 0, "IUCV_SRC_APPNAME", "is mandatory and missing"},
	{"# nothing\n", 0, "IUCV_SRC_APPNAME", "is mandatory and missing"},
	{"MTU_SIZE = 8192\n", 0, "IUCV_SRC_APPNAME", "is mandatory and missing"},
	{N "RESTRICT_TO_HOSTID = yes\n", 0, "VSE_HOSTID", "mandatory with RESTRICT_TO_HOSTID"},
	{"IUCV_SRC_APPNAME = LINR03\n", 1, "IUCV_SRC_APPNAME", "the file name lfpd-LINR03.conf"},
	{"IUCV_SRC_APPNAME = linr02\n", 1, "IUCV_SRC_APPNAME", "1 to 8 of A-Z"},
	{"IUCV_SRC_APPNAME = LINR02789\n", 1, "IUCV_SRC_APPNAME", "1 to 8 of A-Z"},
	/* The first by its line */
	{N "LOG_INFO_MSG = x\nMTU_SIZE = x\n", 2, "LOG_INFO_MSG", "yes or no"},
	{N "LOG_INFO_MSG = x\nMTU_SIZE\n", 2, "LOG_INFO_MSG", "yes or no"},
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
		int rc = config_read_text(&c, bad->text, &err);

		if (bad->line)
			snprintf(start, sizeof(start), "%s:%d: ", config_path, bad->line);
		else
			snprintf(start, sizeof(start), "%s: ", config_path);
		if (rc != -EINVAL || err.line != bad->line || strcmp(err.key, bad->key) ||
		    !strstr(err.text, bad->reason) || strncmp(err.text, start, strlen(start)))
			fail_msg("case %zu: rc %d, line %d, key '%s', text '%s', not '%s'", i, rc,
				 err.line, err.key, err.text, bad->reason);
	}
	assert_true(nr >= 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_files_are_refused),
	};

	return cmocka_run_group_tests(tests, config_set_up, config_tear_down);
}
