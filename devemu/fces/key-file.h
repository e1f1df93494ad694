/* SPDX-License-Identifier: Apache-2.0 */
/* key-file.h - the file of ends, their secrets, and the ends that share a key
 *
 *	end NAME SECRET		an end that may ask a key server; its secret, 64 hexadecimal digits,
 *				which only the end and the server have
 *	share NAME NAME [KEY]	the server has a key for these two: KEY, or one that it makes;
 *				"*" is every end
 *
 * A server has both statements; for an end that asks, its own "end" is enough. '#' begins a
 * comment. The file may be accessible to its owner only.
 */
#ifndef DEVEMU_FCES_KEY_FILE_H
#define DEVEMU_FCES_KEY_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "devemu/fces/end.h"
#include "lfp/reader.h"

enum { KEY_FILE_ENDS_MAX = 4096, KEY_FILE_SHARES_MAX = 4096 };

struct key_end {
	char name[FCES_NAME];
	uint8_t secret[FCES_KEY];
};

struct key_share {
	char name[2][FCES_NAME]; /* "*": every end */
	bool fixed;              /* it is given */
	uint8_t key[FCES_KEY];
};

struct key_file {
	struct key_end *end;
	struct key_share *share;
	size_t ends, shares;
};

/* @name stands in messages. 0; -EINVAL with @err filled, -ENOMEM, -EIO. Then nothing is left to be
 * freed. */
int key_file_read(struct key_file *keys, const char *name, FILE *file,
		  struct lfp_reader_error *err);

/* Open @path, see to it that only its owner has access, and read. Every error has a text. */
int key_file_load(struct key_file *keys, const char *path, struct lfp_reader_error *err);

void key_file_finish(struct key_file *keys); /* wipes it */

/* One more end; -EEXIST, -ENOSPC, -ENOMEM, -EINVAL (no such name). */
int key_file_add_end(struct key_file *keys, const char *name, const uint8_t secret[FCES_KEY]);
int key_file_add_share(struct key_file *keys, const char *a, const char *b, const uint8_t *key);

/* NULL: no such end. */
const struct key_end *key_file_end(const struct key_file *keys, const char *name);
const struct key_share *key_file_share(const struct key_file *keys, const char *a, const char *b);

#endif
