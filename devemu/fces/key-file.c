/* SPDX-License-Identifier: Apache-2.0 */
/* key-file.c - reading ends, secrets and shares */
#include "devemu/fces/key-file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <openssl/crypto.h>

#include "devemu/fces/key-message.h"

enum { LINE = 256, WORDS = 5 };

struct place {
	const char *name;
	int line;
	struct lfp_reader_error *err;
};

static int refuse(const struct place *place, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct place *place, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lfp_reader_fail(place->err, place->name, place->line, "", fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool hex(const char *text, uint8_t bytes[FCES_KEY])
{
	if (strlen(text) != 2 * FCES_KEY)
		return false;
	for (int i = 0; i < FCES_KEY; i++) {
		const int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* Room for one more; what was there is wiped when it moves. */
static int grow(void *list, size_t count, size_t size, size_t max)
{
	void **memory = list, *more;

	if (count == max)
		return -ENOSPC;
	if (count & (count - 1))
		return 0;
	more = calloc(count ? 2 * count : 1, size);
	if (!more)
		return -ENOMEM;
	if (count) {
		memcpy(more, *memory, count * size);
		OPENSSL_cleanse(*memory, count * size);
	}
	free(*memory);
	*memory = more;
	return 0;
}

int key_file_add_end(struct key_file *keys, const char *name, const uint8_t secret[FCES_KEY])
{
	struct key_end *end;
	int rc;

	if (!key_name_ok(name))
		return -EINVAL;
	if (key_file_end(keys, name))
		return -EEXIST;
	rc = grow(&keys->end, keys->ends, sizeof(*keys->end), KEY_FILE_ENDS_MAX);
	if (rc < 0)
		return rc;
	end = &keys->end[keys->ends++];
	strcpy(end->name, name);
	memcpy(end->secret, secret, FCES_KEY);
	return 0;
}

int key_file_add_share(struct key_file *keys, const char *a, const char *b, const uint8_t *key)
{
	struct key_share *share;
	int rc;

	if ((strcmp(a, "*") && !key_name_ok(a)) || (strcmp(b, "*") && !key_name_ok(b)))
		return -EINVAL;
	rc = grow(&keys->share, keys->shares, sizeof(*keys->share), KEY_FILE_SHARES_MAX);
	if (rc < 0)
		return rc;
	share = &keys->share[keys->shares++];
	strcpy(share->name[0], a);
	strcpy(share->name[1], b);
	share->fixed = key != NULL;
	if (key)
		memcpy(share->key, key, FCES_KEY);
	return 0;
}

/* Never with the word itself: it may be a misplaced secret, and others can see messages.
 */
static int wrong_name(const struct place *place, int word)
{
	return refuse(place, "word %d is not a name: 1 to %d letters, digits, '.', '_' and '-'",
		      word, FCES_NAME - 1);
}

static int wrong_digits(const struct place *place, const char *what, int word)
{
	return refuse(place, "the %s, word %d, is not %d hexadecimal digits", what, word,
		      2 * FCES_KEY);
}

static int take_end(struct key_file *keys, const struct place *place, char **word, int words)
{
	uint8_t secret[FCES_KEY];
	int rc;

	if (words != 3)
		return refuse(place, "'end' needs a name and a secret");
	if (!key_name_ok(word[1]))
		return wrong_name(place, 2);
	if (!hex(word[2], secret))
		return wrong_digits(place, "secret", 3);
	rc = key_file_add_end(keys, word[1], secret);
	OPENSSL_cleanse(secret, sizeof(secret));
	if (rc == -EEXIST)
		return refuse(place, "end '%s' is already defined", word[1]);
	return rc == -ENOSPC ? refuse(place, "more than %d ends", KEY_FILE_ENDS_MAX) : rc;
}

static int take_share(struct key_file *keys, const struct place *place, char **word, int words)
{
	uint8_t key[FCES_KEY];
	int rc;

	if (words != 3 && words != 4)
		return refuse(place, "'share' needs two names and takes a key");
	for (int i = 1; i <= 2; i++)
		if (strcmp(word[i], "*") && !key_name_ok(word[i]))
			return wrong_name(place, i + 1);
	if (words == 4 && !hex(word[3], key))
		return wrong_digits(place, "key", 4);
	rc = key_file_add_share(keys, word[1], word[2], words == 4 ? key : NULL);
	OPENSSL_cleanse(key, sizeof(key));
	return rc == -ENOSPC ? refuse(place, "more than %d shares", KEY_FILE_SHARES_MAX) : rc;
}

static int take(struct key_file *keys, const struct place *place, char *text)
{
	char *word[WORDS], *rest = NULL;
	int words = 0;

	for (char *w = strtok_r(text, " \t\r\n", &rest); w && *w != '#';
	     w = strtok_r(NULL, " \t\r\n", &rest)) {
		if (words == WORDS)
			return refuse(place, "too many words");
		word[words++] = w;
	}
	if (!words)
		return 0;
	if (!strcmp(word[0], "end"))
		return take_end(keys, place, word, words);
	if (!strcmp(word[0], "share"))
		return take_share(keys, place, word, words);
	return refuse(place, "word 1 is neither 'end' nor 'share'");
}

/* Checks that each name of a 'share' is an end, for the file of a server. */
static int shares_known(const struct key_file *keys, struct place *place)
{
	place->line = 0;
	for (size_t i = 0; i < keys->shares; i++)
		for (int n = 0; n < 2; n++) {
			const char *name = keys->share[i].name[n];

			if (strcmp(name, "*") && !key_file_end(keys, name))
				return refuse(place, "'share' names the unknown end '%s'", name);
		}
	return 0;
}

int key_file_read(struct key_file *keys, const char *name, FILE *file, struct lfp_reader_error *err)
{
	struct place place = {.name = name, .err = err};
	char text[LINE];
	int rc = 0;

	memset(keys, 0, sizeof(*keys));
	while (rc == 0 && fgets(text, sizeof(text), file)) {
		const size_t len = strlen(text);

		place.line++;
		if (len + 1 == sizeof(text) && text[len - 1] != '\n')
			rc = refuse(&place, "the line is longer than %d characters", LINE - 2);
		else if (!len || (text[len - 1] != '\n' && !feof(file)))
			rc = refuse(&place, "the line has a zero byte");
		else
			rc = take(keys, &place, text);
	}
	OPENSSL_cleanse(text, sizeof(text));
	if (rc == 0 && ferror(file)) {
		place.line = 0;
		refuse(&place, "it cannot be read");
		rc = -EIO;
	}
	if (rc == 0)
		rc = shares_known(keys, &place);
	if (rc == -ENOMEM)
		refuse(&place, "out of memory");
	if (rc < 0)
		key_file_finish(keys);
	return rc;
}

int key_file_load(struct key_file *keys, const char *path, struct lfp_reader_error *err)
{
	struct place place = {.name = path, .err = err};
	struct stat st;
	FILE *file = fopen(path, "re");
	int rc;

	memset(keys, 0, sizeof(*keys));
	if (!file) {
		rc = -errno;
		refuse(&place, "%s", strerror(-rc));
		return rc;
	}
	if (fstat(fileno(file), &st) < 0 || (S_ISREG(st.st_mode) && (st.st_mode & 077))) {
		refuse(&place, "users other than its owner have access to it (chmod 600)");
		fclose(file);
		return -EPERM;
	}
	rc = key_file_read(keys, path, file, err);
	fclose(file);
	return rc;
}

void key_file_finish(struct key_file *keys)
{
	if (keys->ends)
		OPENSSL_cleanse(keys->end, keys->ends * sizeof(*keys->end));
	if (keys->shares)
		OPENSSL_cleanse(keys->share, keys->shares * sizeof(*keys->share));
	free(keys->end);
	free(keys->share);
	memset(keys, 0, sizeof(*keys));
}

const struct key_end *key_file_end(const struct key_file *keys, const char *name)
{
	for (size_t i = 0; i < keys->ends; i++)
		if (!strcmp(keys->end[i].name, name))
			return &keys->end[i];
	return NULL;
}

static bool matches(const char *pattern, const char *name)
{
	return !strcmp(pattern, "*") || !strcmp(pattern, name);
}

const struct key_share *key_file_share(const struct key_file *keys, const char *a, const char *b)
{
	for (size_t i = 0; i < keys->shares; i++) {
		const struct key_share *share = &keys->share[i];

		if ((matches(share->name[0], a) && matches(share->name[1], b)) ||
		    (matches(share->name[0], b) && matches(share->name[1], a)))
			return share;
	}
	return NULL;
}
