/* SPDX-License-Identifier: Apache-2.0 */
/* bystander.c - a connection that must not notice what other sockets of its path do */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/link/link.h"
#include "lfp/log.h"

int other;
uint64_t other_id;
static uint64_t position;
static char path[] = "/tmp/test-disagree-XXXXXX";

int log_set_up(void **state)
{
	int fd;

	strcpy(path, "/tmp/test-disagree-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(lfp_log_open("ijblfpop", LFP_LOG_FILE, path), 0);
	return host_set_up(state);
}

int set_up_epochs(void **state)
{
	struct host *host = host_create();

	host->features = LFP_FEATURE_EPOCH;
	host_start(host);
	*state = host;
	return 0;
}

int log_tear_down(void **state)
{
	int rc = host_tear_down(state);

	assert_int_equal(lfp_log_open("ijblfpop", LFP_LOG_STDERR, NULL), 0);
	unlink(path);
	return rc;
}

bool is_said(const char *text)
{
	FILE *file = fopen(path, "r");
	char line[512];
	bool said = false;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		said |= strstr(line, "VLFB065W") && strstr(line, text);
	fclose(file);
	return said;
}

void bystander_lives(struct host *host)
{
	char c = 0;

	assert_int_equal(send(other, "x", 1, 0), 1);
	for (struct got got;;) {
		got = host_expect(host, LFP_DATA);
		if (got.sock == other_id)
			break;
	}
	host_data(host, other_id, position++, "y");
	host_until(host, recv(other, &c, 1, MSG_DONTWAIT) == 1);
	assert_int_equal(c, 'y');
	assert_int_equal(host->inst->link->connects, 1);
}

void begin_bystander(struct host *host)
{
	position = 0;
	other = connected_socket(host, &other_id);
	bystander_lives(host);
}

void put(struct host *host, struct lfp_frame frame)
{
	if (lfp_is_data(frame.code))
		assert_int_equal(path_send_data(host->path, &frame), 0);
	else
		host_send(host, frame);
}
