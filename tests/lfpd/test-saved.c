/* SPDX-License-Identifier: Apache-2.0 */
/* test-saved.c - saved state: written state can be read, and wrong state is refused */
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

#include "lfpd/saved/saved.h"

static char *bytes;
static size_t size;
static FILE *out;
static uint64_t records;

static int set_up(void **state)
{
	(void)state;
	out = open_memstream(&bytes, &size);
	assert_non_null(out);
	records = 0;
	assert_int_equal(saved_put_head(out), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fclose(out);
	free(bytes);
	bytes = NULL;
	return 0;
}

static void put(const struct saved_record *record)
{
	assert_int_equal(saved_put(out, record), 0);
	records++;
}

static void put_session(void)
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

	put(&record);
}

static struct saved_record stream(uint64_t id)
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

static struct saved_record datagrams(uint64_t id)
{
	struct saved_record record = stream(id);

	record.socket.state = SAVED_UDP;
	return record;
}

static void put_bytes(const char *text)
{
	struct saved_record record = {
		.kind = SAVED_RECORD_bytes,
		.bytes.payload = {(const uint8_t *)text, (uint32_t)strlen(text)},
	};

	put(&record);
}

static void put_end(void)
{
	struct saved_record record = {.kind = SAVED_RECORD_end, .end.records = records + 1};

	put(&record);
}

/* Read all; the reason of the refusal, NULL if it was accepted. */
static const char *refusal(void)
{
	struct saved_reader reader;
	struct saved_record record;
	const char *why = NULL;
	int rc;

	fflush(out);
	rc = saved_open(&reader, (uint8_t *)bytes, size, &why);
	if (!rc)
		while ((rc = saved_next(&reader, &record, &why)) == 1)
			;
	assert_true(rc == 0 || rc == -EPROTO || rc == -EPROTONOSUPPORT);
	return rc ? why : NULL;
}

static void test_all_fields_survive(void **state)
{
	struct saved_record sock = stream(LFP_ID_LFPD | 5), record;
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
	put_session();
	put(&sock);
	put_bytes("hel");
	put_bytes("lo");
	put_end();
	fflush(out);

	assert_int_equal(saved_open(&reader, (uint8_t *)bytes, size, &why), 0);
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
	struct saved_record sock = datagrams(4), record;
	struct saved_reader reader;
	const char *why;

	(void)state;
	sent.datagram.total = 3;
	sent.datagram.payload = (struct lfp_bytes){(const uint8_t *)"abc", 3};
	question.gethostbyname.family = LFP_AF_INET;
	question.gethostbyname.name = (struct lfp_text){(const uint8_t *)"x", 1};
	put_session();
	put(&sock);
	assert_int_equal(saved_put_frame(out, SAVED_DATAGRAM, &sent), 0);
	assert_int_equal(saved_put_frame(out, SAVED_QUESTION, &question), 0);
	records += 2;
	put_end();
	assert_null(refusal());

	assert_int_equal(saved_open(&reader, (uint8_t *)bytes, size, &why), 0);
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

static void test_missing_bytes(void **state)
{
	struct saved_record sock = stream(1), next = stream(2);

	(void)state;
	sock.socket.in_received = 5;
	put_session();
	put(&sock);
	put_bytes("four");
	put(&next);
	put_end();
	assert_string_equal(refusal(), "a socket with missing data");
}

static void test_missing_bytes_at_end(void **state)
{
	struct saved_record sock = stream(1);

	(void)state;
	sock.socket.in_received = 5;
	put_session();
	put(&sock);
	put_end();
	assert_string_equal(refusal(), "a socket with missing data");
}

static void test_too_many_bytes(void **state)
{
	struct saved_record sock = stream(1);

	(void)state;
	sock.socket.in_received = 3;
	put_session();
	put(&sock);
	put_bytes("four");
	put_end();
	assert_string_equal(refusal(), "data that belongs to no socket");
}

static void test_contradictions(void **state)
{
	static const struct {
		struct saved_socket sock;
		const char *why;
	} cases[] = {
		{{.state = SAVED_ESTABLISHED, .in_consumed = 1},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .in_received = 2, .in_consumed = 2, .in_reported = 3},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .out_consumed = 1},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .in_received = 65537},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .out_sent = 1, .joined_in = 1},
		 "a socket that was not joined, with joined data"},
		{{.state = SAVED_ESTABLISHED, .flags = SAVED_JOINED, .joined_in = 1},
		 "a socket with more joined data than data"},
		{{.state = SAVED_ESTABLISHED, .flags = SAVED_JOINED, .joined_out = 1},
		 "a socket with more joined data than data"},
		{{.state = SAVED_UDP, .flags = SAVED_JOINED},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_LOST, .in_received = 1},
		 "a socket with data in a state without data"},
		{{.state = SAVED_ESTABLISHED,
		  .in_received = 4,
		  .flags = SAVED_URGENT,
		  .urgent_at = 4},
		 "an urgent byte outside the saved data"},
		{{.state = SAVED_CONNECTING},
		 "a socket whose state and peer contradict each other"},
		{{.state = SAVED_ESTABLISHED, .upstream = {(const uint8_t *)"p", 1}},
		 "a socket whose state and peer contradict each other"},
		{{.state = SAVED_CONNECTING,
		  .peer = {.family = LFP_AF_INET},
		  .upstream = {(const uint8_t *)"p", 1}},
		 "a socket whose state and upstream contradict each other"},
		{{.state = SAVED_ESTABLISHED,
		  .peer = {.family = LFP_AF_INET},
		  .upstream = {(const uint8_t *)"p", 2}},
		 "a socket whose state and upstream contradict each other"},
		{{.state = SAVED_UDP,
		  .peer = {.family = LFP_AF_INET},
		  .upstream = {(const uint8_t *)"p", 1}},
		 "a socket whose state and upstream contradict each other"},
		{{.state = SAVED_NEW, .accepts = 1},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_NEW, .flags = SAVED_CONNECTED},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_LISTENING},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_UDP, .flags = SAVED_EOF},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_ESTABLISHED, .flags = SAVED_END_SENT},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_NEW, .family = 3}, "bad family in a record of socket"},
		{{.state = SAVED_NEW, .id = 1 | UINT64_C(1) << LFP_EPOCH_SHIFT},
		 "bad id in a record of socket"},
		{{.state = SAVED_DEAD, .in_received = 1},
		 "a socket with data in a state without data"},
		{{.state = SAVED_NEW, .hostid = {.family = LFP_AF_INET6}},
		 "bad address of the policy in a record of socket"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct saved_record record = stream(1);

		record.socket = cases[i].sock;
		record.socket.id |= 1;
		record.socket.cookie = 1;
		record.socket.in_window = 65536;
		record.socket.in_threshold = 1;
		if (!record.socket.family)
			record.socket.family = LFP_AF_INET;
		put_session();
		put(&record);
		assert_non_null(refusal());
		assert_string_equal(refusal(), cases[i].why);
		tear_down(state);
		set_up(state);
	}
}

static void test_order(void **state)
{
	struct saved_record task = {.kind = SAVED_RECORD_task, .task.number = 1};
	struct saved_record sock = stream(1);

	put(&task);
	assert_string_equal(refusal(), "records in the wrong order");
	tear_down(state);
	set_up(state);
	put_session();
	put_session();
	assert_string_equal(refusal(), "records in the wrong order");
	tear_down(state);
	set_up(state);
	put_session();
	put(&sock);
	put(&task);
	assert_string_equal(refusal(), "records in the wrong order");
	tear_down(state);
	set_up(state);
	put_session();
	put_end();
	put_end();
	assert_string_equal(
		refusal(),
		"its number of records is not that of its end record, or data follows the end");
}

static void test_datagram_parts(void **state)
{
	struct saved_record sock = datagrams(1), tcp = stream(2);
	struct saved_record part = {
		.kind = SAVED_RECORD_arriving,
		.arriving = {.total = 10,
			     .got = 3,
			     .kept = 1,
			     .payload = {(const uint8_t *)"abc", 3}},
	};

	put_session();
	put(&sock);
	put(&part);
	put_end();
	assert_null(refusal());
	tear_down(state);
	set_up(state);
	part.arriving.got = 4;
	put_session();
	put(&sock);
	put(&part);
	assert_string_equal(refusal(), "an unexpected first part of a datagram");
	tear_down(state);
	set_up(state);
	part.arriving.got = 3;
	put_session();
	put(&tcp);
	put(&part);
	assert_string_equal(refusal(), "an unexpected first part of a datagram");
}

/* The writer refuses anything that the reader would refuse. */
static void test_writer_checks(void **state)
{
	struct saved_record record = stream(1);

	(void)state;
	record.socket.cookie = 0;
	assert_int_equal(saved_put(out, &record), -EINVAL);
	record = stream(1);
	record.socket.linger_on = -1;
	assert_int_equal(saved_put(out, &record), -EINVAL);
	record = stream(1);
	record.socket.flags = SAVED_FLAGS + 1;
	assert_int_equal(saved_put(out, &record), -EINVAL);
	record = stream(1);
	record.socket.epoch = LFP_EPOCHS;
	assert_int_equal(saved_put(out, &record), -EINVAL);
	record = (struct saved_record){.kind = SAVED_RECORD_bytes};
	assert_int_equal(saved_put(out, &record), -EINVAL);
	record.kind = SAVED_RECORD_end + 1;
	assert_int_equal(saved_put(out, &record), -EINVAL);
}

static void test_version(void **state)
{
	struct saved_reader reader;
	const char *why;

	(void)state;
	put_session();
	put_end();
	assert_null(refusal());
	bytes[11]++;
	assert_int_equal(saved_open(&reader, (uint8_t *)bytes, size, &why), -EPROTONOSUPPORT);
	bytes[11]--;
	bytes[0] = 'L';
	assert_int_equal(saved_open(&reader, (uint8_t *)bytes, size, &why), -EPROTO);
}

/* Cut anywhere it is refused, and so it is with a byte more. */
static void test_cut(void **state)
{
	struct saved_record sock = stream(1);
	size_t whole;

	(void)state;
	sock.socket.in_received = 4;
	put_session();
	put(&sock);
	put_bytes("four");
	put_end();
	assert_null(refusal());
	whole = size;
	for (size_t len = 0; len < whole; len++) {
		struct saved_reader reader;
		struct saved_record record;
		uint8_t *copy = malloc(len ? len : 1); /* so that a sanitizer sees its end */
		const char *why;
		int rc;

		memcpy(copy, bytes, len);
		rc = saved_open(&reader, copy, len, &why);
		while (!rc && (rc = saved_next(&reader, &record, &why)) == 1)
			rc = 0;
		assert_int_equal(rc, -EPROTO);
		free(copy);
	}
	fputc(0, out);
	assert_string_equal(
		refusal(),
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
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(all_fields_survive),
		TEST(frames_survive),
		TEST(missing_bytes),
		TEST(missing_bytes_at_end),
		TEST(too_many_bytes),
		TEST(contradictions),
		TEST(order),
		TEST(datagram_parts),
		TEST(writer_checks),
		TEST(version),
		TEST(cut),
		TEST(memory),
	};

	return cmocka_run_group_tests_name("saved", tests, NULL, NULL);
}
