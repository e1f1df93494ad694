/* SPDX-License-Identifier: Apache-2.0 */
/* test-log.c - the log of connections: forms of a record, shares of users, the file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfpd/log/budget.h"
#include "lfpd/log/log.h"
#include "lfpd/log/writer.h"
#include "tests/lfpd/one-path.h"

static char text[65536];

static const char *json(const struct log_record *record)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	log_record_json(record, "LINR02", out);
	fclose(out);
	return text;
}

static const struct log_record full = {
	.time = 1795873227123456u,
	.event = LOG_CONNECT,
	.protocol = LOG_TCP,
	.direction = LOG_OUTGOING,
	.result = ECONNREFUSED,
	.decision = {.refused_by = DECISION_RULE, .line = 12, .by_default = true, .passed_over = 3},
	.who = {.has_task = true,
		.has_uid = true,
		.task = 0x2e,
		.pid = 77,
		.uid = 0,
		.program = "curl",
		.executable = "/usr/bin/curl"},
	.peer = {.family = LFP_AF_INET, .port = 443, .ip = {203, 0, 113, 5}},
	.local = {.family = LFP_AF_INET6, .port = 40000, .ip = {0x20, 1, 0xd, 0xb8, [15] = 1}},
	.has_bytes = true,
	.bytes_out = 1,
	.has_duration = true,
	.duration = 1500000,
	.has_slowed = true,
	.slowed = 20000,
	.name = "www.example.org",
};

static void test_json(void **state)
{
	struct log_record record = {.event = LOG_LEFT_OUT, .count = 3};

	(void)state;
	assert_string_equal(
		json(&full),
		"{\"time\":\"2026-11-28T13:40:27.123456Z\",\"instance\":\"LINR02\",\"event\":\"connect\","
		"\"task\":\"2E\",\"pid\":77,\"uid\":0,\"program\":\"curl\",\"executable\":\"/usr/bin/curl\",\"protocol\":\"tcp\",\"direction\":\"out\","
		"\"name\":\"www.example.org\",\"address\":\"203.0.113.5\",\"port\":443,"
		"\"local_address\":\"2001:db8::1\",\"local_port\":40000,\"rule\":12,"
		"\"refused_by\":\"rule\",\"by_default\":1,\"passed_over\":3,\"result\":\"ECONNREFUSED\",\"bytes_out\":1,\"bytes_in\":0,"
		"\"duration_us\":1500000,\"slowed_us\":20000}\n");
	assert_string_equal(json(&record),
			    "{\"time\":\"1970-01-01T00:00:00.000000Z\","
			    "\"instance\":\"LINR02\",\"event\":\"left_out\",\"count\":3}\n");
}

/* Names and programs are the program's choice. */
static void test_hostile_names(void **state)
{
	struct log_record record = full;
	char row[2048];
	FILE *out;

	(void)state;
	strcpy(record.name, "a\"\n{\"x\":1}\t\\\x1b[2J\xff\xc2\x9b");
	strcpy(record.who.program, "p\nq");
	json(&record);
	assert_non_null(strstr(text, "\"name\":\"a\\\"\\u000a{\\\"x\\\":1}\\u0009\\\\\\u001b[2J"
				     "\\ufffd\\u009b\""));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	out = fmemopen(row, sizeof(row), "w");
	log_record_row(&record, out);
	fclose(out);
	assert_non_null(strstr(row, "\ta\"?{\"x\":1}?\\?[2J???\t"));
	assert_non_null(strstr(row, "\tp?q\t"));
	assert_ptr_equal(strchr(row, '\n'), row + strlen(row) - 1);
}

/* The longest record still fits a line of the writer. */
static void test_longest(void **state)
{
	struct log_record record = full;

	(void)state;
	memset(record.name, 1, LOG_NAME_MAX - 1);
	memset(record.who.program, 1, LOG_PROGRAM_MAX - 1);
	record.bytes_out = record.bytes_in = record.duration = UINT64_MAX;
	assert_in_range(strlen(json(&record)), 6 * (LOG_NAME_MAX + LOG_PROGRAM_MAX - 2), 8000);
}

static void test_results(void **state)
{
	(void)state;
	assert_string_equal(log_result(LOG_ERRNO, 0), "OK");
	assert_string_equal(log_result(LOG_ERRNO, ENFILE), "ENFILE");
	assert_string_equal(log_result(LOG_ERRNO, 4000), "EUNKNOWN");
	assert_string_equal(log_result(LOG_EAI, EAI_NONAME), "EAI_NONAME");
	assert_string_equal(log_result(LOG_EAI, 99), "EAI_OTHER");
	assert_string_equal(log_result(LOG_H_ERRNO, HOST_NOT_FOUND), "HOST_NOT_FOUND");
}

static struct budget budget;

static unsigned int take(uint32_t uid, unsigned int times, uint64_t now)
{
	unsigned int taken = 0;

	for (unsigned int i = 0; i < times; i++)
		taken += budget_take(&budget, uid, 10, now);
	return taken;
}

static void test_rate(void **state)
{
	uint32_t uid = 0;

	(void)state;
	budget_init(&budget, 100);
	assert_int_equal(take(1000, 1000, 5), 10);
	/* Another user has its own. */
	assert_int_equal(take(1001, 1, 5), 1);
	/* A tenth of a second gives one more. */
	assert_int_equal(take(1000, 2, 105), 1);
	assert_int_equal(budget_left_out(&budget, false, &uid), 991);
	assert_int_equal(uid, 1000);
	budget_told(&budget, uid);
	assert_int_equal(budget_left_out(&budget, true, &uid), 0);
	/* However long a user was idle, it never has more than a second's records. */
	assert_int_equal(take(1000, 100, 1000000), 10);
	budget_finish(&budget);
}

/* Each of many users has its own tokens, and its own count. */
static void test_many_users(void **state)
{
	uint64_t count;
	uint32_t uid = 0;

	(void)state;
	budget_init(&budget, 100);
	for (uint32_t i = 1; i <= 5000; i++)
		assert_int_equal(take(i, 11, 5), 10);
	for (int i = 0; i < 5000; i++) {
		count = budget_left_out(&budget, false, &uid);
		assert_int_equal(count, 1);
		budget_told(&budget, uid);
	}
	assert_int_equal(budget_left_out(&budget, true, &uid), 0);
	/* Idle ones have no entry. */
	assert_int_equal(take(1, 1, 5000), 1);
	assert_int_equal(budget.users.users.count, 1);
	budget_finish(&budget);
	assert_int_equal(budget.users.users.count, 0);
}

/* Records that wait: one user leaves places to the others, and is told of when it has one. */
static void test_places(void **state)
{
	uint32_t uid = 0;

	(void)state;
	budget_init(&budget, 8);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(take(1000, 1, 5), 1);
		budget_put(&budget, 1000);
	}
	assert_int_equal(take(1000, 2, 5), 0);
	assert_int_equal(take(1001, 1, 5), 1);
	assert_int_equal(budget_left_out(&budget, false, &uid), 0);
	assert_int_equal(budget_left_out(&budget, true, &uid), 2);
	assert_int_equal(uid, 1000);
	/* They count however long they wait. */
	assert_int_equal(take(1000, 1, 5000), 0);
	budget_written(&budget, 1000);
	assert_int_equal(budget_left_out(&budget, false, &uid), 3);
	assert_int_equal(take(1000, 1, 5000), 1);
	/* A record for which there is no place is the user's, too. */
	assert_true(budget_leave_out(&budget, 1000));
	assert_int_equal(budget_left_out(&budget, false, &uid), 4);
	budget_finish(&budget);
}

static char dir[] = "/tmp/test-log.XXXXXX", path[64];
static struct writer writer;
static int told;

static void tell(void *data)
{
	(void)data;
	__atomic_add_fetch(&told, 1, __ATOMIC_SEQ_CST);
}

static int start(const char *where)
{
	return writer_start(&writer, WRITER_FILE, where, "LINR02", (gid_t)-1, tell, NULL);
}

static bool put_to(struct writer *to)
{
	uint64_t in = atomic_load(&to->in);

	if (in - atomic_load(&to->out) >= WRITER_RECORDS)
		return false;
	*writer_at(to, in) = full;
	writer_commit(to);
	return true;
}

static bool put(void)
{
	return put_to(&writer);
}

static unsigned int lines(const char *where)
{
	unsigned int nr = 0;
	FILE *in = fopen(where, "r");

	assert_non_null(in);
	while (fgets(text, sizeof(text), in)) {
		assert_true(*text == '{' && strstr(text, "}\n"));
		nr++;
	}
	fclose(in);
	return nr;
}

static void test_file(void **state)
{
	struct stat st;
	char old[80];

	(void)state;
	umask(077);
	assert_int_equal(start(path), 0);
	for (int i = 0; i < 3000; i++)
		assert_true(put());
	assert_true(writer_stop(&writer));
	assert_int_equal(lines(path), 3000);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	/* Another lfpd appends. */
	assert_int_equal(start(path), 0);
	assert_true(put());
	snprintf(old, sizeof(old), "%s.1", path);
	assert_true(writer_stop(&writer));
	assert_int_equal(lines(path), 3001);
	assert_int_equal(told, 0);
}

static void test_rotation(void **state)
{
	char old[80];

	(void)state;
	snprintf(old, sizeof(old), "%s.1", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(start(path), 0);
	assert_int_equal(rename(path, old), 0);
	writer_reopen(&writer, (gid_t)-1);
	for (int i = 0; i < 6000 && access(path, F_OK); i++)
		poll(NULL, 0, 10);
	assert_true(put());
	assert_true(writer_stop(&writer));
	assert_int_equal(lines(path) + lines(old), 1);
	assert_int_equal(lines(path), 1);
}

/* A line that its writer could not finish is joined to no other. */
static void test_cut_line(void **state)
{
	FILE *out = fopen(path, "w");

	(void)state;
	assert_non_null(out);
	fputs("{\"time\":", out);
	fclose(out);
	assert_int_equal(start(path), 0);
	assert_true(put());
	assert_true(writer_stop(&writer));
	out = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), out));
	assert_string_equal(text, "{\"time\":\n");
	assert_non_null(fgets(text, sizeof(text), out));
	assert_true(*text == '{' && strstr(text, "}\n"));
	assert_null(fgets(text, sizeof(text), out));
	fclose(out);
}

/* A new file is of the group of the last reload. */
static void test_group(void **state)
{
	struct stat st;
	char old[80];

	(void)state;
	if (geteuid() != 0)
		skip();
	snprintf(old, sizeof(old), "%s.1", path);
	assert_int_equal(start(path), 0);
	assert_int_equal(rename(path, old), 0);
	writer_reopen(&writer, 4711);
	for (int i = 0; i < 6000 && (stat(path, &st) || st.st_gid != 4711); i++)
		poll(NULL, 0, 10);
	assert_true(writer_stop(&writer));
	assert_int_equal(st.st_gid, 4711);
}

static void test_unsafe_files(void **state)
{
	char other[80];

	(void)state;
	snprintf(other, sizeof(other), "%s.link", path);
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(start(other), -ELOOP);
	assert_int_equal(start(dir), -EISDIR);
	snprintf(other, sizeof(other), "%s.fifo", path);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_int_equal(start(other), -EMEDIUMTYPE);
	assert_int_equal(start("/dev/null"), -EMEDIUMTYPE);
	snprintf(other, sizeof(other), "%s/none/log", dir);
	assert_int_equal(start(other), -ENOENT);
	assert_int_equal(start("/dev/fd/1000000"), -EBADF);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 4711, (gid_t)-1), 0);
		assert_int_equal(start(path), -EPERM);
		assert_int_equal(chown(path, 0, (gid_t)-1), 0);
	}
}

/* Nothing is written, and the ring keeps what it can. */
static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	char where[32];
	unsigned int kept = 0;

	(void)state;
	assert_true(fd >= 0);
	snprintf(where, sizeof(where), "/dev/fd/%d", fd);
	assert_int_equal(start(where), 0);
	assert_true(put());
	for (int i = 0; i < 6000 && !__atomic_load_n(&told, __ATOMIC_SEQ_CST); i++)
		poll(NULL, 0, 10);
	assert_int_equal(atomic_load(&writer.error), ENOSPC);
	while (kept < 100000 && put())
		kept++;
	assert_in_range(kept, WRITER_RECORDS - 1, 4 * WRITER_RECORDS);
	assert_true(writer_stop(&writer));
	assert_int_equal(__atomic_load_n(&told, __ATOMIC_SEQ_CST), 1);
	close(fd);
}

/* A reader of a pipe that reads nothing holds up the thread and nobody else. */
static void test_stuck(void **state)
{
	static struct writer stuck;
	int ends[2];
	char where[32];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snprintf(where, sizeof(where), "/dev/fd/%d", ends[1]);
	assert_int_equal(writer_start(&stuck, WRITER_FILE, where, "LINR02", (gid_t)-1, tell, NULL),
			 0);
	for (int i = 0; i < 10000 && put_to(&stuck); i++)
		;
	assert_false(writer_stop(&stuck));
	close(ends[0]);
	close(ends[1]);
	for (int i = 0; i < 6000 && !atomic_load(&stuck.ended); i++)
		poll(NULL, 0, 10);
	assert_true(atomic_load(&stuck.ended));
	pthread_join(stuck.thread, NULL);
	free(stuck.ring);
	free(stuck.buf);
}

/* The records of a connection, through an instance. */
static void test_connection(void **state)
{
	const struct log_record *record;
	int fd;

	(void)state;
	strcpy(host.config.connection_log, "memory");
	host.config.connection_log_rate = 1000;
	one_path_start();
	fd = connect_socket(1);
	record = log_find(&host.inst, log_newest(&host.inst));
	assert_non_null(record);
	assert_int_equal(record->event, LOG_CONNECT);
	assert_int_equal(record->result, 0);
	assert_int_equal(record->peer.family, LFP_AF_INET);
	assert_int_equal(record->decision.line, 0);
	assert_null(log_find(&host.inst, 0));
	assert_null(log_find(&host.inst, record->serial + 1));
	close(fd);
}

static int no_set_up(void **state)
{
	(void)state;
	told = 0;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_many_users),
		cmocka_unit_test(test_places),
		cmocka_unit_test_setup(test_file, no_set_up),
		cmocka_unit_test_setup(test_cut_line, no_set_up),
		cmocka_unit_test_setup(test_rotation, no_set_up),
		cmocka_unit_test_setup(test_group, no_set_up),
		cmocka_unit_test_setup(test_unsafe_files, no_set_up),
		cmocka_unit_test_setup(test_full_disk, no_set_up),
		cmocka_unit_test_setup(test_stuck, no_set_up),
		cmocka_unit_test_setup_teardown(test_connection, one_path_set_up,
						one_path_tear_down),
	};
	char command[96];
	int rc;

	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/log", dir);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : rc;
}
