/* SPDX-License-Identifier: Apache-2.0 */
/* test-statements.c - the statements that START reads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ijblfp/base/statements.h"

static int read_text(struct ijblfp_statements *st, const char *text, struct lfp_reader_error *err)
{
	/* fmemopen() refuses to open an empty text. */
	FILE *in = *text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r")
			 : fopen("/dev/null", "r");
	int rc;

	assert_non_null(in);
	rc = ijblfp_statements_read(st, in, "SYSIPT", err);
	fclose(in);
	return rc;
}

/* The statements of IBM's presentation, to the letter. */
static const char sample[] = "ID = 01\n"
			     "MTU = 8192\n"
			     "IucvMsgLimit = 1024\n"
			     "InitialBufferSpace = 512K\n"
			     "MaxBufferSpace = 4M\n"
			     "IucvSrcAppName = TESTV\n"
			     "IucvDestAppName = LINR02\n"
			     "IucvDestVMId = LINLFP\n"
			     "WindowSize = 65535\n"
			     "WindowThreshold = 25\n"
			     "/*\n";

#define MUST "ID = 01\nIucvSrcAppName = TESTV\nIucvDestAppName = LINR02\nIucvDestVMId = LINLFP\n"

static void assert_is_sample(const struct ijblfp_statements *st)
{
	assert_string_equal(st->id, "01");
	assert_int_equal(st->mtu, 8192);
	assert_int_equal(st->iucv_msg_limit, 1024);
	assert_int_equal(st->initial_buffer_space, 512 * 1024);
	assert_int_equal(st->max_buffer_space, 4 * 1024 * 1024);
	assert_string_equal(st->iucv_src_appname, "TESTV");
	assert_string_equal(st->iucv_dest_appname, "LINR02");
	assert_string_equal(st->iucv_dest_vmid, "LINLFP");
	assert_int_equal(st->window_size, 65535);
	assert_int_equal(st->window_threshold, 25);
}

static void sample_is_read(void **state)
{
	struct lfp_reader_error err;
	struct ijblfp_statements st;

	(void)state;
	assert_int_equal(read_text(&st, sample, &err), 0);
	assert_string_equal(err.text, "");
	assert_is_sample(&st);
	/* Its other values are the defaults. */
	assert_int_equal(read_text(&st, MUST, &err), 0);
	assert_is_sample(&st);
}

static void what_is_printed_can_be_read(void **state)
{
	struct ijblfp_statements first, second;
	struct lfp_reader_error err;
	char *printed;
	size_t len;
	FILE *out;

	(void)state;
	assert_int_equal(read_text(&first, MUST "MaxBufferSpace=1023M\n", &err), 0);
	out = open_memstream(&printed, &len);
	assert_non_null(out);
	ijblfp_statements_print(&first, out);
	fclose(out);
	assert_int_equal(read_text(&second, printed, &err), 0);
	assert_memory_equal(&first, &second, sizeof(first));
	free(printed);
}

/* The longest packet of each size of frames; as many of them as Linux has, if nothing is said. */
static void hipersockets_have_their_own(void **state)
{
	static const unsigned int sizes[][2] = {
		{8192, 8074}, {16384, 16266}, {32768, 32650}, {57344, 57226}};
	struct lfp_reader_error err;
	struct ijblfp_statements st;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(text, sizeof(text), MUST "Transport=hipersockets\nHsMTU=%u\nMTU=%u\n%s",
			 sizes[i][0], sizes[i][1], i % 2 ? "IucvMsgLimit = 1024\n" : "");
		assert_int_equal(read_text(&st, text, &err), 0);
		assert_int_equal(st.mtu, sizes[i][1]);
		assert_int_equal(st.iucv_msg_limit, i % 2 ? 1024 : 128);
	}
}

static void lenient_where_nothing_is_lost(void **state)
{
	static const char *const texts[] = {
		MUST "MTU=1500",
		MUST "mtu = 1500\n",
		MUST "  MTU \t= 1500\t \n",
		MUST "MTU = 01500\r\n",
		"* $$ JOB JNM=LFPSTART\n# comment\n\n  * = #\n" MUST "MTU = 1500\n",
		MUST "MTU = 1500\n/*\nMTU = 8192\n/&\n",
		MUST "MTU = 1500\n/* end",
		("iucvdestvmid = LINLFP\nIUCVDESTAPPNAME = LINR02\nMtu = 1500\n"
		 "IucvSrcAppname = LFP#1\nid = 00\n"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct lfp_reader_error err;
		struct ijblfp_statements st;

		if (read_text(&st, texts[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(st.mtu, 1500);
	}
}

/* Text behind the end belongs to another reader: a pipe is left there. */
static void reading_stops_at_the_end(void **state)
{
	struct lfp_reader_error err;
	struct ijblfp_statements st;
	FILE *in = tmpfile();
	char rest[16];

	(void)state;
	assert_non_null(in);
	fputs(MUST "/*\nrest\n", in);
	rewind(in);
	assert_int_equal(ijblfp_statements_read(&st, in, "SYSIPT", &err), 0);
	assert_non_null(fgets(rest, sizeof(rest), in));
	assert_string_equal(rest, "rest\n");
	fclose(in);
}

struct bad_case {
	const char *text;
	int line;
	const char *key;
	const char *reason; /* a part of the text */
};

#define X10  "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10

static const struct bad_case bad_cases[] = {
	/* Form */
	{"ID 01\n", 1, "", "'=' is missing"},
	{"ID\n", 1, "", "'=' is missing"},
	{"// EXEC IJBLFPOP\n", 1, "", "'=' is missing"},
	{"// EXEC IJBLFPOP,PARM='START DD:SYSIPT LOGALL'\n", 1, "// EXEC IJBLFPOP,PARM",
	 "is not a keyword"},
	{"/&\n", 1, "", "'=' is missing"},
	{" /*\n", 1, "", "'=' is missing"},
	{"= 01\n", 1, "", "no keyword before '='"},
	{"ID =\n", 1, "ID", "has no value"},
	{"ID = 01\nMTU = \t\n", 2, "MTU", "has no value"},
	{"ID = 01\n" X100 X100 X100 "\n", 2, "", "longer than 255"},
	{"* " X100 X100 X100 "\n", 1, "", "longer than 255"},
	{"\x1b[1mID = 01\n", 1, "", "control character 0x1b in column 1"},
	{"ID = 01\rMTU = 8192\r", 1, "", "control character 0x0d"},
	{"\xef\xbb\xbfID = 01\n", 1, "\xef\xbb\xbfID", "is not a keyword"},
	/* Keywords */
	{"IDS = 01\n", 1, "IDS", "is not a keyword"},
	{"MTU_SIZE = 8192\n", 1, "MTU_SIZE", "is not a keyword"},
	{"Iucv MsgLimit = 8192\n", 1, "Iucv MsgLimit", "is not a keyword"},
	{"ID = 01\nMTU = 8192\nID = 01\n", 3, "ID", "already in line 1"},
	{"ID = 01\nMTU = 8192\nmtu = 1500\n", 3, "MTU", "already in line 2"},
	/* Values */
	{"ID = 1\n", 1, "ID", "two digits"},
	{"ID = 001\n", 1, "ID", "two digits"},
	{"ID = A1\n", 1, "ID", "two digits"},
	{"ID = '01'\n", 1, "ID", "two digits"},
	{"MTU = 1023\n", 1, "MTU", "1023 is not within 1024..65536"},
	{"MTU = 65537\n", 1, "MTU", "not within 1024..65536"},
	{"MTU = 8K\n", 1, "MTU", "decimal digits"},
	{"MTU = 8192 # bytes\n", 1, "MTU", "decimal digits"},
	{"MTU = 0x2000\n", 1, "MTU", "decimal digits"},
	{"MTU = -1\n", 1, "MTU", "decimal digits"},
	{"MTU = 99999999999999999999999\n", 1, "MTU", "not within"},
	{"MTU = = 8192\n", 1, "MTU", "decimal digits"},
	{"IucvMsgLimit = 0\n", 1, "IucvMsgLimit", "not within 1..65535"},
	{"IucvMsgLimit = 65536\n", 1, "IucvMsgLimit", "not within 1..65535"},
	{"InitialBufferSpace = 512KB\n", 1, "InitialBufferSpace", "K or M"},
	{"InitialBufferSpace = 4G\n", 1, "InitialBufferSpace", "K or M"},
	{"InitialBufferSpace = 512 K\n", 1, "InitialBufferSpace", "K or M"},
	{"InitialBufferSpace = 0.5M\n", 1, "InitialBufferSpace", "K or M"},
	{"InitialBufferSpace = 3K\n", 1, "InitialBufferSpace", "not within 4096..1073741824"},
	{"MaxBufferSpace = 1025M\n", 1, "MaxBufferSpace", "not within"},
	{"MaxBufferSpace = 17592186044416M\n", 1, "MaxBufferSpace", "not within"},
	{"IucvSrcAppName = testv\n", 1, "IucvSrcAppName", "1 to 8 of A-Z"},
	{"IucvSrcAppName = TESTV6789\n", 1, "IucvSrcAppName", "1 to 8"},
	{"IucvDestAppName = LIN R02\n", 1, "IucvDestAppName", "1 to 8"},
	{"IucvDestVMId = LIN/LFP\n", 1, "IucvDestVMId", "1 to 8"},
	{"WindowSize = 4095\n", 1, "WindowSize", "not within 4096..16777216"},
	{"WindowSize = 64K\n", 1, "WindowSize", "decimal digits"},
	{"WindowSize = 65,535\n", 1, "WindowSize", "decimal digits"},
	{"WindowThreshold = 25%\n", 1, "WindowThreshold", "decimal digits"},
	{"WindowThreshold = 101\n", 1, "WindowThreshold", "not within 1..100"},
	/* The whole */
	{"", 0, "ID", "is mandatory and missing"},
	{"/*\n" MUST, 0, "ID", "is mandatory and missing"},
	{"ID = 01\n", 0, "IucvSrcAppName", "is mandatory and missing"},
	{"ID = 01\nIucvSrcAppName = A\n", 0, "IucvDestAppName", "is mandatory and missing"},
	{"ID = 01\nIucvSrcAppName = A\nIucvDestAppName = A\n", 0, "IucvDestVMId",
	 "is mandatory and missing"},
	{MUST "InitialBufferSpace = 5M\n", 5, "MaxBufferSpace", "less than InitialBufferSpace"},
	{MUST "MaxBufferSpace = 511K\n", 5, "MaxBufferSpace", "less than InitialBufferSpace"},
	{MUST "InitialBufferSpace=4K\nMaxBufferSpace=8191\n", 6, "MaxBufferSpace", "too small for"},
	{MUST "MaxBufferSpace=8191\nInitialBufferSpace=4K\n", 5, "MaxBufferSpace", "too small for"},
	/* A packet and the headers of AF_IUCV fit a frame of the device */
	{MUST "Transport = hipersockets\nHsMTU = 8192\n", 0, "MTU",
	 "8192 is more than 8074, the most with HsMTU 8192"},
	{MUST "Transport = hipersockets\nMTU = 16267\n", 6, "MTU",
	 "16267 is more than 16266, the most with HsMTU 16384"},
	{MUST "Transport = hipersockets\nHsMTU = 32768\nMTU = 32651\n", 7, "MTU",
	 "32651 is more than 32650, the most with HsMTU 32768"},
	{MUST "Transport = hipersockets\nHsMTU = 57344\nMTU = 65536\n", 7, "MTU",
	 "65536 is more than 57226, the most with HsMTU 57344"},
	{MUST "Transport = hipersockets\nHsMTU = 9000\n", 6, "HsMTU",
	 "9000 is not 8192, 16384, 32768 or 57344"},
};

static void all_wrong_lines_are_told(void **state)
{
	static const char text[] = "ID = 1\nIucvDestVMid = LINLFP\nWindowSise = 5\nMTU\n/*\n?\n";
	struct lfp_reader_errors errs;
	struct ijblfp_statements st;
	FILE *in = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

	(void)state;
	assert_non_null(in);
	assert_int_equal(ijblfp_statements_read_all(&st, in, "SYSIPT", &errs), -EINVAL);
	fclose(in);
	assert_int_equal(errs.nr, 3);
	assert_string_equal(errs.list[0].key, "ID");
	assert_int_equal(errs.list[1].line, 3);
	assert_non_null(strstr(errs.list[1].text, "(perhaps WindowSize)"));
	assert_int_equal(errs.list[2].line, 4);
}

static void bad_statements_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_cases) / sizeof(bad_cases[0]); i++) {
		const struct bad_case *bad = &bad_cases[i];
		struct lfp_reader_error err;
		struct ijblfp_statements st;
		char start[32] = "SYSIPT: ";
		int rc = read_text(&st, bad->text, &err);

		if (bad->line)
			snprintf(start, sizeof(start), "SYSIPT:%d: ", bad->line);
		if (rc != -EINVAL || err.line != bad->line || strcmp(err.key, bad->key) ||
		    !strstr(err.text, bad->reason) || strncmp(err.text, start, strlen(start)))
			fail_msg("case %zu: rc %d, line %d, key '%s', text '%s', not '%s'", i, rc,
				 err.line, err.key, err.text, bad->reason);
	}
}

static void input_that_is_none(void **state)
{
	struct lfp_reader_error err;
	struct ijblfp_statements st;
	FILE *in = fopen("/", "r");

	(void)state;
	assert_non_null(in);
	assert_int_equal(ijblfp_statements_read(&st, in, "/", &err), -EISDIR);
	assert_string_equal(err.text, "/: cannot be read: Is a directory");
	fclose(in);

	in = tmpfile();
	assert_non_null(in);
	for (int i = 0; i <= 10000; i++)
		putc('\n', in);
	fputs(MUST, in);
	rewind(in);
	assert_int_equal(ijblfp_statements_read(&st, in, "long", &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 10000 lines"));
	fclose(in);

	in = tmpfile();
	assert_non_null(in);
	assert_int_equal(fwrite("ID = 0\0001\n", 1, 9, in), 9);
	rewind(in);
	assert_int_equal(ijblfp_statements_read(&st, in, "nul", &err), -EINVAL);
	assert_non_null(strstr(err.text, "control character 0x00 in column 7"));
	fclose(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_is_read),
		cmocka_unit_test(what_is_printed_can_be_read),
		cmocka_unit_test(lenient_where_nothing_is_lost),
		cmocka_unit_test(reading_stops_at_the_end),
		cmocka_unit_test(all_wrong_lines_are_told),
		cmocka_unit_test(bad_statements_are_refused),
		cmocka_unit_test(hipersockets_have_their_own),
		cmocka_unit_test(input_that_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
