/* SPDX-License-Identifier: Apache-2.0 */
/* test-subject.c - rules about groups, programs and tasks; unknown facts weaken none of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfpd/policy/rules.h"
#include "lfpd/policy/subject.h"

static const uint8_t groups[] = {0, 0, 0, 5, 0, 1, 0, 0};

/* The processes of the table. */
enum who { NOBODY, KNOWN, FEWER, UNKNOWN };

static struct subject *make(enum who who)
{
	const struct subject_facts facts = {
		.has_task = true,
		.task = 0x2e,
		.has_program = who != UNKNOWN,
		.program = "/opt/x/prog (no link)",
		.program_len = who == UNKNOWN ? 0 : strlen("/opt/x/prog"),
		.has_groups = who == KNOWN,
		.groups = groups,
		.nr_groups = who == UNKNOWN ? 0 : 2,
	};

	return who == NOBODY ? NULL : subject_make(&facts);
}

static const struct {
	const char *terms;
	bool matches[4]; /* a rule that allows */
	bool denies[4];  /* a rule that denies */
} rows[] = {
	/*                    NOBODY KNOWN  FEWER  UNKNOWN */
	{"", {true, true, true, true}, {true, true, true, true}},
	{"group 5", {false, true, true, false}, {true, true, true, true}},
	{"group 65536", {false, true, true, false}, {true, true, true, true}},
	{"group 6", {false, false, false, false}, {true, false, true, true}},
	{"program /opt/x/prog", {false, true, true, false}, {true, true, true, true}},
	{"program /opt/x/pro", {false, false, false, false}, {true, false, false, true}},
	{"program /opt/x/prog2", {false, false, false, false}, {true, false, false, true}},
	{"task 2E", {false, true, true, true}, {true, true, true, true}},
	{"task 2e", {false, true, true, true}, {true, true, true, true}},
	{"task 2F", {false, false, false, false}, {true, false, false, false}},
	{"task 2E group 6", {false, false, false, false}, {true, false, true, true}},
	{"user 7 program /opt/x/prog group 5 task 2E",
	 {false, true, true, false},
	 {true, true, true, true}},
	{"task 2E user 8", {false, false, false, false}, {false, false, false, false}},
};

static bool decides(const char *action, const char *terms, const struct subject *who)
{
	struct rules_question question = {
		.act = RULES_CONNECT, .protocol = RULES_TCP, .port = 80, .uid = 7, .who = who};
	struct lfp_reader_error err;
	struct rules_verdict verdict;
	struct rules *rules;
	char text[256];

	snprintf(text, sizeof(text), "%s connect any:80 %s\ndefault deny\n", action, terms);
	assert_int_equal(rules_parse(&rules, "rules", text, strlen(text), &err), 0);
	assert_int_equal(rules_name_program(rules), strstr(terms, "program") != NULL);
	assert_int_equal(rules_name_group(rules), strstr(terms, "group") != NULL);
	verdict = rules_decide(rules, &question);
	rules_free(rules);
	return !verdict.by_default;
}

static void matching(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (enum who who = NOBODY; who <= UNKNOWN; who++) {
			struct subject *subject = make(who);

			if (decides("allow", rows[i].terms, subject) != rows[i].matches[who] ||
			    decides("deny", rows[i].terms, subject) != rows[i].denies[who])
				fail_msg("\"%s\", process %d", rows[i].terms, (int)who);
			subject_drop(subject);
		}
}

static void wrong_words(void **state)
{
	static const char *const wrong[] = {
		"group",
		"group no-such-group-here",
		"program",
		"program prog",
		"program /a//b",
		"program /a/../b",
		"task",
		"program /a/./b",
		"program /a/b/",
		"program /",
		"task x",
		"task 10000",
		"group 5 group 6",
		"user 1 user 2",
		"program /a program /b",
		"task 2E task 2F",
		"sni group 5",
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lfp_reader_error err;
		struct rules *rules;

		snprintf(text, sizeof(text), "allow connect a.example %s\ndefault deny\n",
			 wrong[i]);
		if (!rules_parse(&rules, "rules", text, strlen(text), &err))
			fail_msg("accepted: %s", wrong[i]);
		assert_int_equal(strncmp(err.text, "rules:1: ", 9), 0);
	}
}

/* A link in a rule is followed when the rule is read. */
static void links(void **state)
{
	struct subject_terms terms = {.program = NULL};
	char link[] = "/tmp/lfp-subject-XXXXXX", place[4096], why[SUBJECT_WHY];
	int fd = mkstemp(link);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("/proc/version", link), 0);
	assert_int_equal(subject_read(&terms, "program", link, place, why), 1);
	assert_string_equal(terms.program, "/proc/version");
	assert_int_equal(unlink(link), 0);
	terms.program = NULL;
	assert_int_equal(subject_read(&terms, "program", link, place, why), 1);
	assert_string_equal(terms.program, link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(wrong_words),
		cmocka_unit_test(links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
