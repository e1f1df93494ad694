/* SPDX-License-Identifier: Apache-2.0 */
/* metering.c - an instance whose rules have limits, and what they hold */
#include "tests/lfpd/metering.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lfpd/names/ruling.h"
#include "lfpd/sock/relimit.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"

static void write_rules(const char *rules)
{
	FILE *out = fopen(host.config.policy_file, "we");

	assert_non_null(out);
	fputs(rules, out);
	fclose(out);
}

int metering_set_up(void **state)
{
	one_path_set_up(state);
	snprintf(host.config.policy_file, sizeof(host.config.policy_file), "%s-rules", host.root);
	return 0;
}

int metering_tear_down(void **state)
{
	unlink(host.config.policy_file);
	return one_path_tear_down(state);
}

void start_rules(const char *rules)
{
	write_rules(rules);
	one_path_start();
}

void change_rules(const char *rules)
{
	struct lfp_reader_error err;
	struct rules *fresh;

	write_rules(rules);
	assert_int_equal(rules_read(&fresh, host.config.policy_file, &err), 0);
	assert_true(ruling_use(&host.inst, fresh));
	relimit_all(&host.inst);
}

void begin_task(uint32_t number, uint32_t uid)
{
	struct lfp_frame task = {.code = LFP_TASK_BEGIN, .task = number};

	task.task_begin.id = (uint16_t)number;
	task.task_begin.uid = uid;
	assert_int_equal(vse_ask(&vse, task).status, 0);
}

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void wait_held(uint64_t id, enum meter_way way)
{
	while (!metered_waits(get_socket(id), way) || get_socket(id)->watch.events)
		host_turn(&host);
}

bool vse_gets(enum lfp_code code, size_t bytes)
{
	uint64_t begin = now_ms();
	struct lfp_frame frame;
	size_t n = 0;

	while (now_ms() - begin < 20000) {
		host_turn(&host);
		while (vse_look(&vse, &frame)) {
			n += frame.code == LFP_DATA ? frame.data.payload.len : 0;
			n += frame.code == LFP_DATAGRAM ? frame.datagram.payload.len : 0;
			if (frame.code == code && n >= bytes)
				return true;
		}
	}
	return false;
}

void send_datagram(uint64_t id, const struct lfp_addr *to, size_t bytes)
{
	static char buf[2000];

	datagram(id, get_socket(id)->in.received, (uint32_t)bytes, 0, to, buf, bytes);
}
