/* SPDX-License-Identifier: Apache-2.0 */
/* sharing.c - an instance whose tasks belong to several users, and what each of them has */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/log.h"
#include "tests/lfpd/sharing.h"

int sharing_begin(uint32_t task, uint32_t uid)
{
	struct lfp_frame frame = {.code = LFP_TASK_BEGIN, .task = task, .task_begin.uid = uid};

	return vse_ask(&vse, frame).status;
}

void sharing_end(uint32_t task)
{
	struct lfp_frame frame = {.code = LFP_TASK_END, .task = task};

	vse_send(&vse, &frame);
}

uint64_t sharing_last_id;

int sharing_make_kind(uint32_t task, uint16_t kind)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = ++sharing_last_id, .task = task};

	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = kind;
	return vse_ask(&vse, frame).status;
}

int sharing_make(uint32_t task)
{
	return sharing_make_kind(task, 1);
}

unsigned int sharing_has(uint32_t uid, enum share_kind kind)
{
	const struct lfp_share *share = lfp_share_find(&host.inst.shares, uid);

	return share ? share->used[kind] : 0;
}

void sharing_turns(void)
{
	for (int i = 0; i < 20; i++)
		host_turn(&host);
}

static char log_path[] = "/tmp/test-share-XXXXXX";

void sharing_log(void)
{
	strcpy(log_path + sizeof(log_path) - 7, "XXXXXX");
	close(mkstemp(log_path));
	lfp_log_open("lfpd", LFP_LOG_FILE, log_path);
}

int sharing_logged(const char *text)
{
	FILE *file = fopen(log_path, "r");
	char line[512];
	int nr = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, text) != NULL;
	fclose(file);
	return nr;
}

void sharing_log_end(void)
{
	assert_int_equal(unlink(log_path), 0);
}

int sharing_set_up(void **state)
{
	one_path_set_up(state);
	sharing_last_id = 0;
	return 0;
}
