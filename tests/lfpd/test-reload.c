/* SPDX-License-Identifier: Apache-2.0 */
/* test-reload.c - a reload reads the rules beside the loop; one follows the other */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfpd/restart/reload.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/one-path.h"

static char config_path[128];
static int nr_done, last_rc;
static char last_text[2048];

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* Makes the file one of @last and so many other rules. */
static void write_rules(unsigned int nr, const char *last)
{
	FILE *out = fopen(host.config.policy_file, "we");

	assert_non_null(out);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(out, "allow connect h%u.example.org:443\n", i);
	fputs(last, out);
	assert_int_equal(fclose(out), 0);
}

static void write_config(void)
{
	char text[2048];

	snprintf(text, sizeof(text), "IUCV_SRC_APPNAME = TEST\nPOLICY_FILE = %s\n",
		 host.config.policy_file);
	write_text(config_path, text);
}

static int set_up(void **state)
{
	one_path_set_up(state);
	nr_done = last_rc = 0;
	snprintf(host.config.policy_file, sizeof(host.config.policy_file), "%s-rules", host.root);
	snprintf(config_path, sizeof(config_path), "%s-conf", host.root);
	write_config();
	write_rules(0, "default deny\n");
	return 0;
}

static int tear_down(void **state)
{
	unlink(host.config.policy_file);
	unlink(config_path);
	return one_path_tear_down(state);
}

static void start(void)
{
	one_path_start();
	host.inst.config_path = config_path;
}

static void on_reloaded(void *data, int rc, char *text, size_t len)
{
	assert_ptr_equal(data, &nr_done);
	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	snprintf(last_text, sizeof(last_text), "%s", text);
	free(text);
	last_rc = rc;
	nr_done++;
}

static void ask(void)
{
	assert_int_equal(reload(&host.inst, on_reloaded, &nr_done), 0);
}

static void wait_until(int nr)
{
	while (nr_done < nr)
		uv_run(&host.loop, UV_RUN_ONCE);
	assert_int_equal(nr_done, nr);
}

/* Returns what the last answer says. Other keys of the instance are no defaults. */
static bool has_new_rules(void)
{
	assert_int_equal(strncmp(last_text, "ok\n", 3), 0);
	return strstr(last_text, "changed\tPOLICY_FILE\n");
}

/* Returns the status of connect() to a port where nobody listens, or of its refusal. */
static int reach(uint64_t id)
{
	struct lfp_addr peer = vse_addr("127.0.0.1", 1);
	uint64_t refused = host.inst.counters.rules_refused;
	int status;

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	status = vse_connect_to(&vse, id, &peer);
	if (status == EINPROGRESS)
		(void)vse_expect(&vse, LFP_CONNECTED);
	assert_int_equal(vse_close_socket(&vse, id, 1, 0), 0);
	return host.inst.counters.rules_refused > refused ? EACCES : 0;
}

/* The old rules count, and calls are answered, until the new ones are read. */
static void beside_the_loop(void **state)
{
	(void)state;
	start();
	assert_int_equal(reach(1), EACCES);
	write_rules(200000, "default allow\n");
	ask();
	assert_int_equal(nr_done, 0);
	assert_true(reload_is_under_way(&host.inst));
	for (uint64_t id = 2; !nr_done; id++) {
		int status = reach(id);

		/* Answered by the old rules, if they have not just been replaced. */
		assert_true(status == EACCES || nr_done);
	}
	assert_int_equal(last_rc, 0);
	assert_true(has_new_rules());
	assert_false(reload_is_under_way(&host.inst));
	assert_int_equal(reach(UINT64_C(1) << 30), 0);
	vse_close(&vse);
}

static void one_after_the_other(void **state)
{
	(void)state;
	start();
	write_rules(20000, "default allow\n");
	ask();
	ask();
	wait_until(1);
	assert_true(has_new_rules());
	assert_true(reload_is_under_way(&host.inst));
	wait_until(2);
	assert_false(has_new_rules());
	assert_int_equal(reach(1), 0);
	vse_close(&vse);
}

static void wrong_rules(void **state)
{
	(void)state;
	start();
	write_rules(3, "no rule\n");
	ask();
	ask();
	wait_until(2);
	assert_int_equal(last_rc, -EINVAL);
	assert_non_null(strstr(last_text, "-rules:4: a line begins with"));
	assert_int_equal(strncmp(last_text, "error\t", 6), 0);
	assert_int_equal(reach(1), EACCES);
	vse_close(&vse);
}

/* A wrong configuration is found at once. */
static void wrong_configuration(void **state)
{
	(void)state;
	start();
	write_text(config_path, "IUCV_SRC_APPNAME = TEST\nNO_KEY = 1\n");
	ask();
	assert_int_equal(nr_done, 1);
	assert_int_equal(last_rc, -EINVAL);
	assert_false(reload_is_under_way(&host.inst));
	vse_close(&vse);
}

/* Notes how deep in the stack the answer comes. */
static void on_deep(void *data, int rc, char *text, size_t len)
{
	static char *first;
	char *here = __builtin_frame_address(0);

	if (!nr_done)
		first = here;
	assert_true(first - here < 20000);
	on_reloaded(data, rc, text, len);
}

/* Reloads that wait end one after the other, not inside one another. */
static void many(void **state)
{
	(void)state;
	start();
	write_rules(20000, "default allow\n");
	for (unsigned int i = 0; i < 1 + RELOADS_WAITING_MAX; i++) {
		assert_false(reload_is_full(&host.inst));
		assert_int_equal(reload(&host.inst, on_deep, &nr_done), 0);
	}
	assert_true(reload_is_full(&host.inst));
	/* A signal's goes on. */
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(reload(&host.inst, on_deep, &nr_done), 0);
	write_text(config_path, "IUCV_SRC_APPNAME = TEST\nNO_KEY = 1\n");
	wait_until(1 + RELOADS_WAITING_MAX + 100);
	assert_int_equal(last_rc, -EINVAL);
	assert_false(reload_is_full(&host.inst));
	vse_close(&vse);
}

static bool is_mended;

/* A reload that is asked for by the end of one before follows it. */
static void on_first(void *data, int rc, char *text, size_t len)
{
	on_reloaded(data, rc, text, len);
	if (is_mended)
		write_config();
	ask();
}

static void asked_by_the_end(void **state)
{
	(void)state;
	start();
	write_text(config_path, "IUCV_SRC_APPNAME = TEST\nNO_KEY = 1\n");
	assert_int_equal(reload(&host.inst, on_first, &nr_done), 0);
	assert_int_equal(nr_done, 2);
	/* The second one is under way when the first one ends. */
	is_mended = true;
	assert_int_equal(reload(&host.inst, on_first, &nr_done), 0);
	assert_int_equal(nr_done, 3);
	assert_true(reload_is_under_way(&host.inst));
	wait_until(4);
	assert_int_equal(last_rc, 0);
	assert_false(reload_is_under_way(&host.inst));
	vse_close(&vse);
}

/* The end of the instance ends reloads, too: tear_down() waits for them. */
static void at_the_end(void **state)
{
	(void)state;
	start();
	write_rules(20000, "default allow\n");
	ask();
	ask();
	vse_close(&vse);
}

static int tear_down_two(void **state)
{
	int rc = tear_down(state);

	return rc || nr_done != 2 || last_rc != -ECANCELED;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(beside_the_loop),
		TEST(one_after_the_other),
		TEST(wrong_rules),
		TEST(wrong_configuration),
		TEST(many),
		TEST(asked_by_the_end),
		cmocka_unit_test_setup_teardown(at_the_end, set_up, tear_down_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
