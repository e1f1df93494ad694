/* SPDX-License-Identifier: Apache-2.0 */
/* test-trace.c - a trace of a path: recorded, filtered, lost and written frames */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/places.h"
#include "lfpd/state/session.h"
#include "lfpd/users/task.h"
#include "lfpd/watch/trace-file.h"
#include "lfpd/watch/trace.h"
#include "tests/lfpd/one-path.h"

#define PATIENCE_NS UINT64_C(60000000000)

static struct lfp_trace_filter filter;
static char place[LFP_PLACE_MAX];

static int set_up(void **state)
{
	(void)state;
	host_init(&host);
	host.config.trace_size = 262144;
	lfp_trace_filter_init(&filter);
	return 0;
}

/* The value of a line of the trace's answer. */
static const char *told(const char *key)
{
	static char text[512];
	char *lines = NULL, *rest, *line;
	size_t len;
	FILE *out = open_memstream(&lines, &len);

	trace_answer(&host.inst, out);
	fclose(out);
	rest = lines;
	strcpy(text, "?");
	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == '\t')
			snprintf(text, sizeof(text), "%s", line + strlen(key) + 1);
	free(lines);
	return text;
}

static void wait_state(const char *wanted)
{
	uint64_t limit = uv_hrtime() + PATIENCE_NS;

	while (strcmp(told("trace"), wanted) != 0 && uv_hrtime() < limit) {
		host_turn(&host);
		poll(NULL, 0, 1);
	}
	assert_string_equal(told("trace"), wanted);
}

static void begin(void)
{
	assert_int_equal(trace_start(&host.inst, &filter), 0);
	wait_state("running");
	snprintf(place, sizeof(place), "%s", told("trace_file"));
}

static void end(void)
{
	trace_stop(&host.inst);
	wait_state("off");
}

/* All blocks of the file; each record is looked at by @one, which may be NULL. Their number. */
static unsigned int records(void (*one)(const struct lfp_trace_record *record))
{
	int fd = open(place, O_RDONLY);
	uint8_t *buf = malloc(LFP_TRACE_BLOCK);
	struct lfp_trace_head head;
	unsigned int nr = 0;

	assert_true(fd >= 0);
	assert_non_null(buf);
	assert_int_equal(pread(fd, buf, LFP_TRACE_BLOCK, 0), LFP_TRACE_BLOCK);
	assert_int_equal(lfp_trace_head_decode(buf, LFP_TRACE_BLOCK, &head), 0);
	assert_string_equal(head.instance, "TEST");
	for (uint32_t i = 0; i < head.blocks; i++) {
		ssize_t n = pread(fd, buf, LFP_TRACE_BLOCK, LFP_TRACE_BLOCK * (1 + (off_t)i));
		size_t at = LFP_TRACE_BLOCK_HEAD;
		struct lfp_trace_block block;
		int rc;

		if (n < (ssize_t)LFP_TRACE_BLOCK_HEAD || lfp_trace_block_decode(buf, &block))
			continue;
		assert_true((size_t)n >= block.used);
		for (;;) {
			struct lfp_trace_record record;

			rc = lfp_trace_record_decode(buf + at, block.used - at, &record);
			assert_true(rc >= 0);
			if (!rc)
				break;
			at += (size_t)rc;
			nr++;
			if (one)
				one(&record);
		}
	}
	free(buf);
	close(fd);
	return nr;
}

static unsigned int codes[256], whole, sent;

static void note(const struct lfp_trace_record *record)
{
	codes[record->kept ? record->data[LFP_PACKET_HEADER + 4] : 0]++;
	whole += record->kept == record->frame_len;
	sent += record->sent;
}

static unsigned int look(void)
{
	memset(codes, 0, sizeof(codes));
	whole = sent = 0;
	return records(note);
}

static void all_frames(void **state)
{
	unsigned int nr;

	(void)state;
	host_start(&host);
	begin();
	assert_int_equal(trace_start(&host.inst, &filter), -EBUSY);
	vse_open(&vse, &host); /* HELLO, too */
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	end();
	nr = look();
	assert_int_equal(codes[LFP_HELLO], 1);
	assert_int_equal(codes[LFP_HELLO_REPLY], 1);
	assert_int_equal(codes[LFP_TASK_BEGIN], 1);
	assert_int_equal(codes[LFP_SOCKET], 1);
	assert_int_equal(codes[LFP_SOCKET_REPLY], 1);
	assert_int_equal(whole, nr);
	assert_int_equal(sent, 3);
	assert_int_equal(trace_records(&host.inst), nr);
	assert_int_equal(trace_lost(&host.inst), 0);
	/* Nothing is taken any more. */
	assert_int_equal(vse_socket(&vse, 2, LFP_AF_INET), 0);
	assert_int_equal(look(), nr);
	vse_close(&vse);
}

static void filtered(void **state)
{
	unsigned int port;
	int listener = tcp_listen(&port), fd;
	struct lfp_addr addr = vse_addr("127.0.0.1", port);
	char why[96], id[8];

	(void)state;
	host_start(&host);
	vse_open(&vse, &host);
	assert_int_equal(lfp_trace_filter_set(&filter, "socket", "2", why), 0);
	assert_int_equal(lfp_trace_filter_set(&filter, "payload", "4", why), 0);
	begin();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(vse_socket(&vse, 2, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, 2, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	fd = tcp_accept(&host, listener);
	vse_data(&vse, 2, 0, "hello world", 11);
	for (char text[16]; tcp_read(&host, fd, text, sizeof(text)) < 0;)
		;
	end();
	look();
	assert_int_equal(codes[LFP_SOCKET], 1);
	assert_int_equal(codes[LFP_CONNECT], 1);
	assert_int_equal(codes[LFP_CONNECTED], 1);
	assert_int_equal(codes[LFP_DATA], 1);
	assert_int_equal(codes[0], 0);

	/* By kind, and by the task to which the socket belongs. */
	lfp_trace_filter_init(&filter);
	assert_int_equal(lfp_trace_filter_set(&filter, "kind", "DATA", why), 0);
	assert_int_equal(lfp_trace_filter_set(&filter, "task", "FFFF", why), 0);
	begin();
	vse_data(&vse, 2, 11, "no", 2);
	for (char text[16]; tcp_read(&host, fd, text, sizeof(text)) < 0;)
		;
	end();
	assert_int_equal(look(), 0);
	snprintf(id, sizeof(id), "%02X", task_find(host.inst.session, 1)->id);
	assert_int_equal(lfp_trace_filter_set(&filter, "task", id, why), 0);
	begin();
	vse_data(&vse, 2, 13, "yes", 3);
	for (char text[16]; tcp_read(&host, fd, text, sizeof(text)) < 0;)
		;
	end();
	assert_int_equal(look(), 1);
	assert_int_equal(codes[LFP_DATA], 1);
	close(fd);
	close(listener);
	vse_close(&vse);
}

/* The file stays within its size, and has the newest records. */
static void ring(void **state)
{
	struct stat st;
	unsigned int nr;

	(void)state;
	host.config.max_sockets = 100;
	host_start(&host);
	vse_open(&vse, &host);
	begin();
	for (unsigned int i = 0; i < 3000; i++) {
		struct lfp_frame frame = {.code = LFP_GETHOSTNAME, .task = 1};

		(void)vse_ask(&vse, frame);
	}
	end();
	assert_int_equal(stat(place, &st), 0);
	assert_true(st.st_size <= 262144);
	assert_true(trace_records(&host.inst) >= 6000);
	assert_int_equal(trace_lost(&host.inst), 0);
	nr = look();
	assert_true(nr > 1000 && nr < 6000);
	vse_close(&vse);
}

/* A failed write neither delays the loop nor goes unreported. */
static void no_file(void **state)
{
	(void)state;
	snprintf(host.config.trace_file, sizeof(host.config.trace_file), "%s/none/trace",
		 host.root);
	host_start(&host);
	vse_open(&vse, &host);
	assert_int_equal(trace_start(&host.inst, &filter), 0);
	wait_state("off");
	assert_string_equal(told("trace_error"), strerror(ENOENT));
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);

	/* A directory, or another file that is not a regular one, stays untouched. */
	snprintf(host.inst.config.trace_file, sizeof(host.config.trace_file), "%s", host.root);
	host_turn(&host);
	assert_int_equal(trace_start(&host.inst, &filter), 0);
	wait_state("off");
	assert_string_equal(told("trace_error"), strerror(EEXIST));
	vse_close(&vse);
}

static void nothing(void *data)
{
	(void)data;
}

/* Memory that is full loses records, counts them, and goes on. */
static void lost(void **state)
{
	static struct trace_file file;
	unsigned int taken = 0, refused = 0;
	bool ended = false;
	uint8_t *at;

	(void)state;
	host_start(&host);
	snprintf(place, sizeof(place), "%s/run/vselfpd/TEST/trace", host.root);
	assert_int_equal(trace_file_start(&file, place, 1 << 26, "TEST", (gid_t)-1, nothing, NULL),
			 0);
	/* Without a pause, and not even filled, until the thread has not been able to have them
	 * all. */
	for (int i = 0; i < 200000 || (!refused && i < 100000000); i++) {
		struct lfp_trace_record record = {.frame_len = 4000, .kept = 960};

		at = trace_file_reserve(&file, LFP_TRACE_RECORD_HEAD + record.kept);
		if (!at) {
			refused++;
			continue;
		}
		lfp_trace_record_encode(&record, at);
		trace_file_commit(&file);
		taken++;
	}
	trace_file_stop(&file);
	/* A disk may be slower than it is patient. */
	for (int i = 0; i < 60 && !ended; i++)
		ended = trace_file_wait(&file);
	assert_true(ended);
	trace_file_join(&file);
	assert_int_equal(file.error, 0);
	assert_int_equal(trace_file_lost(&file), refused);
	assert_int_equal(file.records, taken);
	assert_true(refused > 0);
	assert_true(records(NULL) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_frames, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(filtered, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(ring, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(no_file, set_up, one_path_tear_down),
		cmocka_unit_test_setup_teardown(lost, set_up, one_path_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
