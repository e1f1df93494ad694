/* SPDX-License-Identifier: Apache-2.0 */
/* test-accounts.c - names of users and groups, without the C library's memory for the last one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "lfp/accounts.h"
#include "lfp/field.h"

struct config {
	struct lfp_id user, group;
};

static const struct lfp_field fields[] = {
	{.key = "USER", .kind = LFP_FIELD_USER, .offset = offsetof(struct config, user)},
	{.key = "GROUP", .kind = LFP_FIELD_GROUP, .offset = offsetof(struct config, group)},
};

/* The names of the first two users and groups. Skips the test where there are fewer. */
static void two_of_each(char users[2][64], char groups[2][64])
{
	unsigned int nr = 0;

	setpwent();
	setgrent();
	for (const struct passwd *user; nr < 2 && (user = getpwent()); nr++)
		snprintf(users[nr], 64, "%s", user->pw_name);
	for (const struct group *group; nr >= 2 && nr < 4 && (group = getgrent()); nr++)
		snprintf(groups[nr - 2], 64, "%s", group->gr_name);
	endpwent();
	endgrent();
	if (nr < 4) {
		print_message("skipped: this host has too few users or groups\n");
		skip();
	}
}

static void numbers(void **state)
{
	char users[2][64], groups[2][64];
	uint32_t id = 7;

	(void)state;
	two_of_each(users, groups);
	assert_true(lfp_accounts_user(users[1], &id));
	assert_int_equal(id, getpwnam(users[1])->pw_uid);
	assert_true(lfp_accounts_group(groups[1], &id));
	assert_int_equal(id, getgrnam(groups[1])->gr_gid);
	assert_false(lfp_accounts_user("no-such-user-of-mine", &id));
	assert_false(lfp_accounts_group("no-such-group-of-mine", &id));
}

/* A thread may be in the middle of an entry that getpwnam() has returned. */
static void others_entries_stay(void **state)
{
	char users[2][64], groups[2][64], reason[128];
	struct config config;
	const struct passwd *user;
	const struct group *group;

	(void)state;
	two_of_each(users, groups);
	user = getpwnam(users[0]);
	group = getgrnam(groups[0]);
	assert_int_equal(lfp_field_set(&fields[0], &config, users[1], reason, sizeof(reason)), 0);
	assert_int_equal(lfp_field_set(&fields[1], &config, groups[1], reason, sizeof(reason)), 0);
	assert_string_equal(config.user.name, users[1]);
	assert_string_equal(user->pw_name, users[0]);
	assert_string_equal(group->gr_name, groups[0]);
	assert_int_equal(
		lfp_field_set(&fields[0], &config, "no-such-user-of-mine", reason, sizeof(reason)),
		-EINVAL);
	assert_string_equal(reason, "no-such-user-of-mine is not a user of this host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(others_entries_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
