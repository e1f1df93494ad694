/* SPDX-License-Identifier: Apache-2.0 */
/* test-log.c - messages to people */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/log.h"

static int saved_stderr = -1;
static int ends[2];
static char text[8192];

/* Standard error becomes a socket with message boundaries: one write is one message. */
static int setup(void **state)
{
	(void)state;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
		return -1;
	fflush(stderr);
	saved_stderr = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	unsetenv("JOURNAL_STREAM");
	lfp_log_set_info(true);
	lfp_log_set_debug(false);
	return lfp_log_open("test", LFP_LOG_STDERR, NULL);
}

static int teardown(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(ends[0]);
	close(ends[1]);
	return 0;
}

/* The next write on standard error, "" if there was none. */
static const char *next(void)
{
	ssize_t len = recv(ends[0], text, sizeof(text) - 1, MSG_DONTWAIT);

	text[len > 0 ? len : 0] = '\0';
	return text;
}

static void message_is_one_line_in_one_write(void **state)
{
	(void)state;
	errno = ENOSPC;
	lfp_msg("VLFD012E", "%s: %d", "LINR02", 7);
	assert_int_equal(errno, ENOSPC);
	assert_string_equal(next(), "VLFD012E LINR02: 7\n");
	assert_string_equal(next(), "");
}

static void newest_error_is_kept(void **state)
{
	(void)state;
	lfp_msg("VLFD012E", "one%c", '\n');
	lfp_msg("VLFD012W", "a warning");
	assert_string_equal(lfp_log_error(), "VLFD012E one?");
	lfp_msg("VLFD013E", "two");
	assert_string_equal(lfp_log_error(), "VLFD013E two");
	next();
	next();
	next();
}

static void info_can_be_left_out(void **state)
{
	(void)state;
	lfp_log_set_info(false);
	lfp_msg("VLFD001I", "hello");
	assert_string_equal(next(), "");
	lfp_msg("VLFD001W", "hello");
	assert_string_equal(next(), "VLFD001W hello\n");
	lfp_log_set_info(true);
	lfp_msg("VLFD001I", "hello");
	assert_string_equal(next(), "VLFD001I hello\n");
}

static void warnings_can_be_left_out(void **state)
{
	(void)state;
	lfp_log_set_warnings(false);
	lfp_msg("VLFD001W", "hello");
	assert_string_equal(next(), "");
	lfp_msg("VLFD001E", "hello");
	assert_string_equal(next(), "VLFD001E hello\n");
	lfp_log_set_warnings(true);
	lfp_msg("VLFD001W", "hello");
	assert_string_equal(next(), "VLFD001W hello\n");
}

static void debug_is_shown_on_request(void **state)
{
	(void)state;
	lfp_debug("x %d", 1);
	assert_string_equal(next(), "");
	lfp_log_set_debug(true);
	errno = EPIPE;
	lfp_debug("x %d", 1);
	assert_int_equal(errno, EPIPE);
	assert_string_equal(next(), "x 1\n");
}

static void text_from_outside_cannot_forge_a_line(void **state)
{
	(void)state;
	lfp_msg("VLFD012E", "a%sb", "\nVLFD999E \x1b[2J\x7f");
	assert_string_equal(next(), "VLFD012E a?VLFD999E ?[2J?b\n");
}

static void long_text_is_cut(void **state)
{
	static char longer[5000];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	lfp_msg("VLFD012E", "%s", longer);
	assert_int_equal(strlen(next()), 2047);
	assert_memory_equal(text + 2045, "x\n", 3);
}

static void journal_gets_priorities(void **state)
{
	char stream[64];
	struct stat st;

	(void)state;
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	snprintf(stream, sizeof(stream), "%lu:%lu", (unsigned long)st.st_dev,
		 (unsigned long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_int_equal(lfp_log_open("test", LFP_LOG_STDERR, NULL), 0);
	lfp_log_set_debug(true);
	lfp_msg("VLFD001I", "i");
	assert_string_equal(next(), "<6>VLFD001I i\n");
	lfp_msg("VLFD001W", "w");
	assert_string_equal(next(), "<4>VLFD001W w\n");
	lfp_msg("VLFD001E", "e");
	assert_string_equal(next(), "<3>VLFD001E e\n");
	lfp_debug("d");
	assert_string_equal(next(), "<7>d\n");

	/* Standard error of this process is not the stream that systemd gave. */
	setenv("JOURNAL_STREAM", "1:1", 1);
	assert_int_equal(lfp_log_open("test", LFP_LOG_STDERR, NULL), 0);
	lfp_msg("VLFD001I", "i");
	assert_string_equal(next(), "VLFD001I i\n");
}

static void file_is_appended_to(void **state)
{
	static const char pattern[] =
		"^first\n"
		"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z "
		"lfpd\\[[0-9]+\\]: VLFD001I one\n[^\n]*: VLFD001E two\n$";
	char path[] = "/tmp/test-log-XXXXXX";
	int fd = mkstemp(path);
	regex_t regex;
	ssize_t len;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "first\n", 6), 6);
	assert_int_equal(lfp_log_open("lfpd", LFP_LOG_FILE, path), 0);
	lfp_msg("VLFD001I", "one");
	lfp_msg("VLFD001E", "two");
	assert_string_equal(next(), "");
	len = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(len > 0);
	text[len] = '\0';
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	assert_int_equal(regexec(&regex, text, 0, NULL, 0), 0);
	regfree(&regex);
	close(fd);
	unlink(path);

	/* A file that can't be opened leaves messages where they were. */
	assert_int_equal(lfp_log_open("lfpd", LFP_LOG_STDERR, NULL), 0);
	assert_int_equal(lfp_log_open("lfpd", LFP_LOG_FILE, "/nowhere/x"), -ENOENT);
	lfp_msg("VLFD001E", "still here");
	assert_string_equal(next(), "VLFD001E still here\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(message_is_one_line_in_one_write),
		TEST(newest_error_is_kept),
		TEST(info_can_be_left_out),
		TEST(warnings_can_be_left_out),
		TEST(debug_is_shown_on_request),
		TEST(text_from_outside_cannot_forge_a_line),
		TEST(long_text_is_cut),
		TEST(journal_gets_priorities),
		TEST(file_is_appended_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
