/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.c - symbolic parameters that SETPARM sets, of the job and of the system */
#include "vsejob/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lfp/places.h"
#include "vsejob/replace.h"

static bool is_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len < SYMBOL_NAME &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@") == len;
}

static bool is_value(const char *value)
{
	for (const char *p = value; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == ',')
			return false;
	}
	return true;
}

static size_t find(const struct symbols *symbols, const char *name)
{
	size_t i;

	for (i = 0; i < symbols->nr && strcmp(symbols->item[i].name, name); i++)
		;
	return i;
}

const char *symbols_get(const struct symbols *symbols, const char *name)
{
	size_t i = find(symbols, name);

	return i < symbols->nr ? symbols->item[i].value : NULL;
}

const char *symbols_set(struct symbols *symbols, const char *name, const char *value)
{
	size_t i;

	if (!is_name(name))
		return "a name has 1 to 8 of A-Z 0-9 $ # @";
	if (strlen(value) >= SYMBOL_TEXT)
		return "a value has at most 50 characters";
	if (!is_value(value))
		return "a value has no comma and no control character";
	i = find(symbols, name);
	if (i == SYMBOLS_MAX)
		return "more than 64 names are set";
	strcpy(symbols->item[i].name, name);
	strcpy(symbols->item[i].value, value);
	if (i == symbols->nr)
		symbols->nr++;
	return NULL;
}

void symbols_add(struct symbols *symbols, const struct symbols *more)
{
	for (size_t i = 0; i < more->nr && symbols->nr < SYMBOLS_MAX; i++) {
		if (find(symbols, more->item[i].name) == symbols->nr)
			symbols->item[symbols->nr++] = more->item[i];
	}
}

int symbols_print(const struct symbols *symbols, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < symbols->nr; i++) {
		int len;

		if (!*symbols->item[i].value)
			continue;
		len = snprintf(buf + used, size - used, "%s%s=%s", used ? "," : "",
			       symbols->item[i].name, symbols->item[i].value);

		if (len < 0 || (size_t)len >= size - used)
			return -ENAMETOOLONG;
		used += (size_t)len;
	}
	return 0;
}

static int find_file(char *path, size_t size)
{
	char run[LFP_PLACE_MAX];
	int rc = lfp_place_run_dir(run);

	snprintf(path, size, "%s/vselfp/setparm", run);
	return rc < 0 ? rc : 0;
}

/* The lock is a file of its own, because saving replaces the file with the symbols. The file stays:
 * waiting processes have it open. */
int symbols_lock_system(char *path, size_t size)
{
	char place[LFP_PLACE_MAX + 8];
	int fd, rc = find_file(path, size);

	if (!rc)
		rc = lfp_place_make_parent(path);
	if (rc < 0)
		return rc;
	if (snprintf(place, sizeof(place), "%s.lock", path) >= (int)sizeof(place))
		return -ENAMETOOLONG;
	/* Not accessible for every user, because a held lock stops the others. */
	fd = open(place, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX) < 0) {
		if (errno == EINTR)
			continue;
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

void symbols_unlock_system(int lock)
{
	if (lock >= 0)
		close(lock);
}

int symbols_load_system(struct symbols *symbols, char *path, size_t size)
{
	char text[SYMBOL_NAME + SYMBOL_TEXT + 2];
	int rc = find_file(path, size);
	FILE *in;

	symbols->nr = 0;
	if (rc < 0)
		return rc;
	in = fopen(path, "re");
	if (!in)
		return errno == ENOENT ? 0 : -errno;
	while (!rc && fgets(text, sizeof(text), in)) {
		char *end = strchr(text, '\n'), *equals = strchr(text, '=');

		if (!end || !equals) {
			rc = -EBADMSG;
			break;
		}
		*end = *equals = '\0';
		if (symbols_set(symbols, text, equals + 1))
			rc = -EBADMSG;
	}
	if (!rc && ferror(in))
		rc = -EIO;
	fclose(in);
	return rc;
}

static void put_symbols(FILE *out, const void *data)
{
	const struct symbols *symbols = data;

	for (size_t i = 0; i < symbols->nr; i++) {
		if (*symbols->item[i].value)
			fprintf(out, "%s=%s\n", symbols->item[i].name, symbols->item[i].value);
	}
}

int symbols_save_system(const struct symbols *symbols, char *path, size_t size)
{
	int rc = find_file(path, size);

	return rc < 0 ? rc : replace_file(path, put_symbols, symbols);
}
