/* SPDX-License-Identifier: Apache-2.0 */
/* test-saved.c - saved state: all fields survive; what is cut or of another version is refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lfpd/saving.h"

static void test_all_fields_survive(void **state)
{
	struct saved_record sock = saving_stream(LFP_ID_LFPD | 5), record;
	struct saved_socket *s = &sock.socket;
	struct saved_reader reader;
	const char *why;

	(void)state;
	s->epoch = 0x7fff;
	s->task = 7;
	s->flags = SAVED_BOUND | SAVED_URGENT | SAVED_READ_SHUT | SAVED_RESTRICTED | SAVED_JOINED;
	s->local = 1;
	s->hostid = (struct lfp_addr){.family = LFP_AF_INET, .ip = {10, 0, 0, 1}};
	s->linger_on = 1;
	s->linger = -3;
	s->sndbuf = 4608;
	s->rcvbuf = 2304;
	s->in_received = (UINT64_C(1) << 40) + 5;
	s->in_consumed = UINT64_C(1) << 40;
	s->in_reported = s->in_consumed - 100;
	s->out_sent = 1000;
	s->out_consumed = 900;
	s->joined_out = 1u << 20;
	s->joined_in = 800;
	s->urgent_at = s->in_consumed + 4;
	s->credit = 2048;
	s->error = ECONNRESET;
	saving_put_session();
	saving_put(&sock);
	saving_put_bytes("hel");
	saving_put_bytes("lo");
	saving_put_end();
	fflush(saving_out);

	assert_int_equal(saved_open(&reader, (uint8_t *)saving_bytes, saving_size, &why), 0);
	assert_int_equal(saved_next(&reader, &record, &why), 1);
	assert_int_equal(record.kind, SAVED_RECORD_session);
	assert_string_equal(record.session.vmid, "VSER05");
	assert_true(record.session.id == 0x0102030405060708);
	assert_int_equal(record.session.next_accept, 3);
	assert_int_equal(saved_next(&reader, &record, &why), 1);
	assert_int_equal(record.kind, SAVED_RECORD_socket);
	assert_memory_equal(&record.socket.hostid, &s->hostid, sizeof(s->hostid));
	assert_true(record.socket.id == s->id && record.socket.cookie == s->cookie);
	assert_int_equal(record.socket.epoch, 0x7fff);
	assert_true(record.socket.in_received == s->in_received);
	assert_true(record.socket.in_consumed == s->in_consumed);
	assert_true(record.socket.in_reported == s->in_reported);
	assert_true(record.socket.out_sent == 1000 && record.socket.out_consumed == 900);
	assert_true(record.socket.joined_out == 1u << 20 && record.socket.joined_in == 800);
	assert_true(record.socket.urgent_at == s->urgent_at);
	assert_int_equal(record.socket.linger, -3);
	assert_int_equal(record.socket.flags, s->flags);
	assert_int_equal(record.socket.sndbuf, 4608);
	assert_int_equal(record.socket.error, ECONNRESET);
	assert_int_equal(saved_next(&reader, &record, &why), 1);
	assert_memory_equal(record.bytes.payload.ptr, "hel", 3);
	assert_int_equal(saved_next(&reader, &record, &why), 1);
	assert_int_equal(record.bytes.payload.len, 2);
	assert_int_equal(saved_next(&reader, &record, &why), 0);
}

static void test_frames_survive(void **state)
{
	struct lfp_frame sent = {.code = LFP_DATAGRAM, .sock = 4}, frame;
	struct lfp_frame question = {.code = LFP_GETHOSTBYNAME, .request = 12, .task = 1};
	struct saved_record sock = saving_datagrams(4), record;
	struct saved_reader reader;
	const char *why;

	(void)state;
	sent.datagram.total = 3;
	sent.datagram.payload = (struct lfp_bytes){(const uint8_t *)"abc", 3};
	question.gethostbyname.family = LFP_AF_INET;
	question.gethostbyname.name = (struct lfp_text){(const uint8_t *)"x", 1};
	saving_put_session();
	saving_put(&sock);
	saving_put_frame(SAVED_DATAGRAM, &sent);
	saving_put_frame(SAVED_QUESTION, &question);
	saving_put_end();
	assert_null(saving_refusal());

	assert_int_equal(saved_open(&reader, (uint8_t *)saving_bytes, saving_size, &why), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(saved_next(&reader, &record, &why), 1);
	saved_get_frame(&record.frame, &frame);
	assert_int_equal(frame.code, LFP_DATAGRAM);
	assert_memory_equal(frame.datagram.payload.ptr, "abc", 3);
	assert_int_equal(saved_next(&reader, &record, &why), 1);
	saved_get_frame(&record.frame, &frame);
	assert_int_equal(frame.request, 12);
	assert_int_equal(record.frame.role, SAVED_QUESTION);
}

/* The writer refuses anything that the reader would refuse. */
static void test_writer_checks(void **state)
{
	struct saved_record record = saving_stream(1);

	(void)state;
	record.socket.cookie = 0;
	assert_int_equal(saved_put(saving_out, &record), -EINVAL);
	record = saving_stream(1);
	record.socket.linger_on = -1;
	assert_int_equal(saved_put(saving_out, &record), -EINVAL);
	record = saving_stream(1);
	record.socket.flags = SAVED_FLAGS + 1;
	assert_int_equal(saved_put(saving_out, &record), -EINVAL);
	record = saving_stream(1);
	record.socket.epoch = LFP_EPOCHS;
	assert_int_equal(saved_put(saving_out, &record), -EINVAL);
	record = (struct saved_record){.kind = SAVED_RECORD_bytes};
	assert_int_equal(saved_put(saving_out, &record), -EINVAL);
	record.kind = SAVED_RECORD_end + 1;
	assert_int_equal(saved_put(saving_out, &record), -EINVAL);
}

static void test_version(void **state)
{
	struct saved_reader reader;
	const char *why;

	(void)state;
	saving_put_session();
	saving_put_end();
	assert_null(saving_refusal());
	saving_bytes[11]++;
	assert_int_equal(saved_open(&reader, (uint8_t *)saving_bytes, saving_size, &why),
			 -EPROTONOSUPPORT);
	saving_bytes[11]--;
	saving_bytes[0] = 'L';
	assert_int_equal(saved_open(&reader, (uint8_t *)saving_bytes, saving_size, &why), -EPROTO);
}

/* Cut anywhere it is refused, and so it is with a byte more. */
static void test_cut(void **state)
{
	struct saved_record sock = saving_stream(1);
	size_t whole;

	(void)state;
	sock.socket.in_received = 4;
	saving_put_session();
	saving_put(&sock);
	saving_put_bytes("four");
	saving_put_end();
	assert_null(saving_refusal());
	whole = saving_size;
	for (size_t len = 0; len < whole; len++) {
		struct saved_reader reader;
		struct saved_record record;
		uint8_t *copy = malloc(len ? len : 1); /* so that a sanitizer sees its end */
		const char *why;
		int rc;

		memcpy(copy, saving_bytes, len);
		rc = saved_open(&reader, copy, len, &why);
		while (!rc && (rc = saved_next(&reader, &record, &why)) == 1)
			rc = 0;
		assert_int_equal(rc, -EPROTO);
		free(copy);
	}
	fputc(0, saving_out);
	assert_string_equal(
		saving_refusal(),
		"its number of records is not that of its end record, or data follows the end");
}

static void test_memory(void **state)
{
	const uint8_t *at;
	size_t len;
	int fd = saved_memory_create();

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "state", 5), 5);
	assert_int_equal(saved_memory_map(fd, &at, &len), -EPERM);
	assert_int_equal(saved_memory_seal(fd), 0);
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(saved_memory_map(fd, &at, &len), 0);
	assert_int_equal(len, 5);
	assert_memory_equal(at, "state", 5);
	munmap((void *)(uintptr_t)at, len);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, saving_set_up, saving_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(all_fields_survive),
		TEST(frames_survive),
		TEST(writer_checks),
		TEST(version),
		TEST(cut),
		TEST(memory),
	};

	return cmocka_run_group_tests_name("saved", tests, NULL, NULL);
}
