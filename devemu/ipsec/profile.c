/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - lines and blocks of a file with rules and keys */
#include "devemu/ipsec/profile-inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

int profile_fail(struct profile *profile, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lfp_reader_fail(profile->err, profile->file, profile->nr,
			profile->words ? profile->word[0] : "", fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Cuts @text, which is changed. IBM ignores text behind the value of an attribute. Here such text
 * is an error, unless it is a comment. */
static int cut(struct profile *profile, char *text)
{
	char *rest = NULL, *word;

	profile->words = 0;
	text[strcspn(text, "#")] = '\0';
	for (word = strtok_r(text, " \t\r\n", &rest); word;
	     word = strtok_r(NULL, " \t\r\n", &rest)) {
		if (profile->words == PROFILE_WORDS)
			return profile_fail(profile, "too many words in the line");
		profile->word[profile->words++] = word;
	}
	return 0;
}

static int brace(struct profile *profile)
{
	if (profile->words > 1)
		return profile_fail(profile, "a brace needs a line of its own");
	if (profile->word[0][0] == '{') {
		if (!profile->opening)
			return profile_fail(profile, "no statement in front of it");
		profile->opening = false;
		return 0;
	}
	if (profile->opening || !profile->depth)
		return profile_fail(profile, "there is no block to end");
	return profile_close(profile);
}

static int take(struct profile *profile, char *text)
{
	int rc = cut(profile, text);

	if (rc < 0 || !profile->words)
		return rc;
	if (!strcmp(profile->word[0], "{") || !strcmp(profile->word[0], "}"))
		return brace(profile);
	if (profile->opening)
		return profile_fail(profile, "a line with '{' must come first");
	return profile_take(profile);
}

static int find_action(const struct policy *policy, const char *name)
{
	for (unsigned int i = 0; i < policy->actions; i++)
		if (!strcmp(policy->action[i].name, name))
			return (int)i;
	return -1;
}

/* The actions of rules may stand behind the rules. */
static int resolve(struct profile *profile)
{
	struct policy *policy = profile->policy;

	profile->words = 0;
	for (unsigned int i = 0; i < policy->rules; i++) {
		struct policy_rule *rule = &policy->rule[i];
		const char *name = profile->reference[i];
		int found;

		profile->nr = rule->line;
		if (rule->verdict != POLICY_IPSEC && name[0])
			return profile_fail(profile, "rule %s has an action, but is not IpSec",
					    rule->name);
		if (rule->verdict != POLICY_IPSEC)
			continue;
		if (!name[0])
			return profile_fail(profile, "rule %s needs IpManVpnActionRef", rule->name);
		found = find_action(policy, name);
		if (found < 0)
			return profile_fail(profile, "rule %s: there is no IpManVpnAction %s",
					    rule->name, name);
		rule->action = (unsigned int)found;
	}
	return 0;
}

static int end(struct profile *profile)
{
	profile->words = 0;
	if (profile->depth || profile->opening)
		return profile_fail(profile, "the last block has no end");
	return resolve(profile);
}

static int read_lines(struct profile *profile, FILE *file)
{
	char text[PROFILE_LINE];
	int rc = 0;

	while (rc == 0 && fgets(text, sizeof(text), file)) {
		const size_t len = strlen(text);

		profile->nr++;
		profile->words = 0;
		if (len + 1 == sizeof(text) && text[len - 1] != '\n')
			rc = profile_fail(profile, "the line is longer than %d characters",
					  PROFILE_LINE - 2);
		else if (!len || (text[len - 1] != '\n' && !feof(file)))
			rc = profile_fail(profile, "the line has a zero byte");
		else
			rc = take(profile, text);
	}
	explicit_bzero(text, sizeof(text));
	if (rc == 0 && ferror(file)) {
		profile->nr = 0;
		profile_fail(profile, "cannot be read");
		return -EIO;
	}
	return rc < 0 ? rc : end(profile);
}

int profile_read(struct policy **policy, const char *name, FILE *file, struct lfp_reader_error *err)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	int rc = -ENOMEM;

	if (!profile)
		return rc;
	profile->file = name;
	profile->err = err;
	profile->policy = calloc(1, sizeof(*profile->policy));
	if (profile->policy)
		rc = read_lines(profile, file);
	if (rc == 0)
		*policy = profile->policy;
	else
		policy_destroy(profile->policy);
	explicit_bzero(profile, sizeof(*profile));
	free(profile);
	return rc;
}

int profile_load(struct policy **policy, const char *path, struct lfp_reader_error *err)
{
	struct profile where = {.file = path, .err = err};
	FILE *file = fopen(path, "re");
	struct stat st;
	int rc;

	if (!file) {
		rc = -errno;
		profile_fail(&where, "%s", strerror(-rc));
		return rc;
	}
	if (fstat(fileno(file), &st) < 0 || (S_ISREG(st.st_mode) && st.st_mode & 077)) {
		profile_fail(&where,
			     "the file has keys, but users other than its owner may use it");
		rc = -EPERM;
	} else {
		rc = profile_read(policy, path, file, err);
	}
	fclose(file);
	return rc;
}
