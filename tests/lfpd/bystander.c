/* SPDX-License-Identifier: Apache-2.0 */
/* bystander.c - a connection that must not notice what other sockets of its path do */
#include "tests/lfpd/bystander.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/log.h"

int far_end;
static uint64_t position;
static char path[] = "/tmp/test-disagree-XXXXXX";

void start_logged(void)
{
	one_path_start();
	position = 0;
	lfp_log_open("lfpd", LFP_LOG_FILE, path);
}

int log_set_up(void **state)
{
	int fd;

	strcpy(path, "/tmp/test-disagree-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	return one_path_set_up(state);
}

int log_tear_down(void **state)
{
	assert_int_equal(lfp_log_open("lfpd", LFP_LOG_FILE, "/dev/null"), 0);
	unlink(path);
	return one_path_tear_down(state);
}

bool is_said(const char *text)
{
	FILE *file = fopen(path, "r");
	char line[512];
	bool said = false;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		said |= strstr(line, "VLFD127W") && strstr(line, text);
	fclose(file);
	return said;
}

int lines_of_log(void)
{
	FILE *file = fopen(path, "r");
	int c, lines = 0;

	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

void bystander_lives(void)
{
	char c = 0;

	vse_data(&vse, BYSTANDER, position++, "x", 1);
	assert_int_equal(tcp_read(&host, far_end, &c, 1), 1);
	assert_int_equal(c, 'x');
	assert_int_equal(write(far_end, "y", 1), 1);
	assert_int_equal(vse_expect(&vse, LFP_DATA).sock, BYSTANDER);
}

void begin_bystander(void)
{
	far_end = connect_socket(BYSTANDER);
	bystander_lives();
}

uint64_t count(void)
{
	return host.inst.counters.disagreements;
}
