/* SPDX-License-Identifier: Apache-2.0 */
/* codepage.c - names between the machine's ASCII and the code page of the path */
#include "lfp/codepage.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HERE "UTF-8"

struct lfp_codepage {
	bool none; /* nothing is converted; the other members are not set */
	iconv_t to_path;
	iconv_t from_path;
};

struct lfp_codepage *lfp_codepage_open(const char *name)
{
	struct lfp_codepage *cp = calloc(1, sizeof(*cp));
	int saved;

	if (!cp)
		return NULL;
	cp->none = !*name || strcasecmp(name, "US-ASCII") == 0;
	if (cp->none)
		return cp;

	cp->to_path = iconv_open(name, HERE);
	if (cp->to_path == (iconv_t)-1)
		goto free_cp;
	cp->from_path = iconv_open(HERE, name);
	if (cp->from_path == (iconv_t)-1)
		goto close_to_path;
	return cp;

close_to_path:
	saved = errno;
	iconv_close(cp->to_path);
	errno = saved;
free_cp:
	saved = errno;
	free(cp);
	errno = saved;
	return NULL;
}

void lfp_codepage_close(struct lfp_codepage *cp)
{
	if (!cp)
		return;
	if (!cp->none) {
		iconv_close(cp->to_path);
		iconv_close(cp->from_path);
	}
	free(cp);
}

/* Converts all of @in; starts and ends in the initial shift state. Returns bytes written or a
 * negative errno. */
static int convert(iconv_t cd, const char *in, size_t len, char *out, size_t room)
{
	char *from = (char *)(uintptr_t)in, *to = out;
	size_t changed;

	iconv(cd, NULL, NULL, NULL, NULL);
	changed = iconv(cd, &from, &len, &to, &room);
	if (changed == 0)
		changed = iconv(cd, NULL, NULL, &to, &room);
	if (changed == 0)
		return (int)(to - out);
	/* A name with substitutes would be another name. EINVAL means an incomplete last
	 * character. */
	return changed == (size_t)-1 && errno == E2BIG ? -ENOBUFS : -EILSEQ;
}

static int copy(const char *in, size_t len, char *out, size_t room)
{
	if (len > room)
		return -ENOBUFS;
	if (len)
		memcpy(out, in, len);
	return (int)len;
}

int lfp_codepage_to_path(struct lfp_codepage *cp, const char *in, size_t len, char *out,
			 size_t room)
{
	return cp->none ? copy(in, len, out, room) : convert(cp->to_path, in, len, out, room);
}

int lfp_codepage_from_path(struct lfp_codepage *cp, const void *in, size_t len, char *out,
			   size_t room)
{
	int rc;

	if (!room)
		return -ENOBUFS;
	room--;
	rc = cp->none ? copy(in, len, out, room) : convert(cp->from_path, in, len, out, room);
	if (rc < 0)
		return rc;
	/* A NUL inside would cut the name for the reader of the string. */
	if (memchr(out, '\0', (size_t)rc))
		return -EILSEQ;
	out[rc] = '\0';
	return rc;
}
