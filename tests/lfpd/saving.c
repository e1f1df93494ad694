/* SPDX-License-Identifier: Apache-2.0 */
/* saving.c - see saving.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lfpd/saving.h"

char *saving_bytes;
size_t saving_size;
FILE *saving_out;

static uint64_t records;

int saving_set_up(void **state)
{
	(void)state;
	saving_out = open_memstream(&saving_bytes, &saving_size);
	assert_non_null(saving_out);
	records = 0;
	assert_int_equal(saved_put_head(saving_out), 0);
	return 0;
}

int saving_tear_down(void **state)
{
	(void)state;
	fclose(saving_out);
	free(saving_bytes);
	saving_bytes = NULL;
	return 0;
}

void saving_restart(void)
{
	saving_tear_down(NULL);
	saving_set_up(NULL);
}

void saving_put(const struct saved_record *record)
{
	assert_int_equal(saved_put(saving_out, record), 0);
	records++;
}

void saving_put_frame(enum saved_role role, const struct lfp_frame *frame)
{
	assert_int_equal(saved_put_frame(saving_out, role, frame), 0);
	records++;
}

void saving_put_session(void)
{
	struct saved_record record = {
		.kind = SAVED_RECORD_session,
		.session = {.id = 0x0102030405060708,
			    .vmid = "VSER05",
			    .appname = "TESTV",
			    .mtu = 8192,
			    .msglimit = 64,
			    .window = 65536,
			    .threshold = 25,
			    .last_id = 9,
			    .next_accept = 3},
	};

	saving_put(&record);
}

void saving_put_bytes(const char *text)
{
	struct saved_record record = {
		.kind = SAVED_RECORD_bytes,
		.bytes.payload = {(const uint8_t *)text, (uint32_t)strlen(text)},
	};

	saving_put(&record);
}

void saving_put_end(void)
{
	struct saved_record record = {.kind = SAVED_RECORD_end, .end.records = records + 1};

	saving_put(&record);
}

struct saved_record saving_stream(uint64_t id)
{
	return (struct saved_record){
		.kind = SAVED_RECORD_socket,
		.socket = {.id = id,
			   .cookie = 77 + id,
			   .state = SAVED_ESTABLISHED,
			   .family = LFP_AF_INET,
			   .in_window = 65536,
			   .in_threshold = 16384},
	};
}

struct saved_record saving_datagrams(uint64_t id)
{
	struct saved_record record = saving_stream(id);

	record.socket.state = SAVED_UDP;
	return record;
}

const char *saving_refusal(void)
{
	struct saved_reader reader;
	struct saved_record record;
	const char *why = NULL;
	int rc;

	fflush(saving_out);
	rc = saved_open(&reader, (uint8_t *)saving_bytes, saving_size, &why);
	if (!rc)
		while ((rc = saved_next(&reader, &record, &why)) == 1)
			;
	assert_true(rc == 0 || rc == -EPROTO || rc == -EPROTONOSUPPORT);
	return rc ? why : NULL;
}
