/* SPDX-License-Identifier: Apache-2.0 */
/* test-who.c - ASK_WHO and TASK_WHO: a socket keeps what was told before it was made */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lfpd/state/session.h"
#include "lfpd/users/task.h"
#include "tests/failing-memory.h"
#include "tests/lfpd/one-path.h"

static const char text[] = "allow connect any program /opt/who/prog\ndefault deny\n";

static void write_rules(const char *rules)
{
	FILE *out = fopen(host.config.policy_file, "we");

	assert_non_null(out);
	fputs(rules, out);
	fclose(out);
}

static int set_up(void **state)
{
	one_path_set_up(state);
	snprintf(host.config.policy_file, sizeof(host.config.policy_file), "%s-rules", host.root);
	write_rules(text);
	return 0;
}

static int tear_down(void **state)
{
	vse_features = 0;
	unlink(host.config.policy_file);
	return one_path_tear_down(state);
}

static void begin(uint32_t features, unsigned int parts)
{
	struct lfp_frame task = {.code = LFP_TASK_BEGIN, .task = 1};

	vse_features = features;
	host_start(&host);
	vse_connect(&vse, &host);
	assert_int_equal(vse_hello(&vse, "TESTV", "TEST").hello_reply.features, features);
	if (features)
		assert_int_equal(vse_expect(&vse, LFP_ASK_WHO).ask_who.parts, parts);
	assert_int_equal(vse_ask(&vse, task).status, 0);
}

static void tell(uint32_t task, const char *program, size_t len)
{
	struct lfp_frame frame = {.code = LFP_TASK_WHO, .task = task};

	frame.task_who.known = LFP_WHO_PROGRAM;
	frame.task_who.program.ptr = (const uint8_t *)program;
	frame.task_who.program.len = (uint16_t)len;
	vse_send(&vse, &frame);
}

static int reach(uint64_t id, bool make)
{
	struct lfp_addr peer = vse_addr("127.0.0.1", 1);
	int status;

	if (make)
		assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	status = vse_connect_to(&vse, id, &peer);
	/* Nobody listens at port 1; a refused call has no CONNECTED. */
	if (status == EINPROGRESS)
		(void)vse_expect(&vse, LFP_CONNECTED);
	return status;
}

static void facts_of_a_socket(void **state)
{
	static const char prog[] = "/opt/who/prog", other[] = "/opt/who/other";

	(void)state;
	begin(LFP_FEATURE_WHO, LFP_WHO_PROGRAM);
	assert_int_equal(reach(1, true), ECONNREFUSED);
	assert_int_equal(host.inst.counters.rules_refused, 1);
	tell(1, prog, strlen(prog));
	assert_int_equal(reach(1, false), ECONNREFUSED);
	assert_int_equal(host.inst.counters.rules_refused, 2);
	(void)reach(2, true);
	assert_int_equal(host.inst.counters.rules_refused, 2);
	tell(1, other, strlen(other));
	(void)reach(2, false);
	assert_int_equal(host.inst.counters.rules_refused, 2);
	assert_int_equal(reach(3, true), ECONNREFUSED);
	assert_int_equal(host.inst.counters.rules_refused, 3);
	/* A task that lfpd has refused. */
	tell(7, prog, strlen(prog));
	/* A NUL is in no path. */
	tell(1, prog, sizeof(prog));
	vse_expect_end(&vse);
}

static void an_older_instance(void **state)
{
	(void)state;
	begin(0, 0);
	assert_int_equal(reach(1, true), ECONNREFUSED);
	assert_int_equal(host.inst.counters.rules_refused, 1);
	vse_close(&vse);
}

/* It tells of no change of the user alone. */
static void an_instance_without_user(void **state)
{
	(void)state;
	write_rules("deny connect any user 1000\ndefault allow\n");
	begin(LFP_FEATURE_WHO, LFP_WHO_GROUPS);
	vse_close(&vse);
}

/* The task has become another user, and there is no memory for that. Neither user's rights count.
 */
static void without_memory(const char *rules, unsigned int refused)
{
	const struct lfp_frame frame = {.code = LFP_TASK_WHO, .task = 1, .task_who.uid = 1000};
	const char *why;

	write_rules(rules);
	begin(LFP_FEATURE_WHO | LFP_FEATURE_USER, 0);
	if (HAS_OWN_MALLOC) {
		vse_close(&vse);
		skip();
	}
	assert_true(reach(1, true) == EINPROGRESS || refused == 2);
	memory_asked = 0;
	memory_fails = 1;
	memory_watched = true;
	assert_int_equal(task_handle_who(host.inst.session, &frame, &why), 0);
	memory_watched = false;
	assert_int_equal(memory_asked, 1);
	assert_int_equal(reach(2, true), ECONNREFUSED);
	assert_int_equal(host.inst.counters.rules_refused, refused);
	vse_close(&vse);
}

static void allowed_before(void **state)
{
	(void)state;
	without_memory("allow connect any user 0\ndefault deny\n", 1);
}

static void allowed_now(void **state)
{
	(void)state;
	without_memory("allow connect any user 1000\ndefault deny\n", 2);
}

static void denied_now(void **state)
{
	(void)state;
	without_memory("deny connect any user 1000\ndefault allow\n", 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(facts_of_a_socket), TEST(an_older_instance), TEST(an_instance_without_user),
		TEST(allowed_before),    TEST(allowed_now),       TEST(denied_now)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
