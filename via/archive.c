/* SPDX-License-Identifier: Apache-2.0 */
/* archive.c - the files of a configuration as an archive, in the format of tar */
#include "via/archive.h"

#include <errno.h>
#include <string.h>

#define BLOCK 512u

/* The header of a file, POSIX pax(1), "ustar Interchange Format". Numbers are octal digits. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100],
		magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155],
		rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

int via_name_check(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789$#@_+-.";
	size_t len = strnlen(name, VIA_NAME_MAX);

	if (!len || len == VIA_NAME_MAX || *name == '.' || *name == '-' ||
	    strspn(name, letters) != len)
		return -EINVAL;
	return 0;
}

static int fail(char *why, const char *text, const char *name)
{
	snprintf(why, VIA_WHY, text, name);
	return -EINVAL;
}

/* Octal digits, which blanks may precede, up to a blank or NUL. */
static int octal(const char *text, size_t size, uint64_t *value)
{
	size_t at = 0;

	*value = 0;
	while (at < size && text[at] == ' ')
		at++;
	if (at == size || text[at] < '0' || text[at] > '7')
		return -EINVAL;
	for (; at < size && text[at] >= '0' && text[at] <= '7'; at++)
		*value = *value * 8 + (uint64_t)(text[at] - '0');
	return at == size || text[at] == ' ' || !text[at] ? 0 : -EINVAL;
}

/* The sum of all bytes, with blanks in the place of the checksum. */
static uint64_t sum_of(const uint8_t *block)
{
	const size_t from = offsetof(struct header, checksum);
	uint64_t sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= from && i < from + 8 ? ' ' : block[i];
	return sum;
}

static int is_zero(const uint8_t *block)
{
	for (size_t i = 0; i < BLOCK; i++)
		if (block[i])
			return 0;
	return 1;
}

/* One header. @size is that of the file's data. Returns 1 for a file, 0 for a directory to be left
 * out. */
static int take(const uint8_t *block, struct via_file *file, uint64_t *size, char *why)
{
	struct header head;
	uint64_t sum;
	const char *name;

	memcpy(&head, block, sizeof(head));
	if (memcmp(head.magic, "ustar", 5) != 0 || octal(head.checksum, 8, &sum) ||
	    sum != sum_of(block))
		return fail(why, "a header is damaged%s", "");
	if (octal(head.size, sizeof(head.size), size) || *size > VIA_ARCHIVE_MAX)
		return fail(why, "the size of a file is wrong%s", "");
	if (memchr(head.name, '\0', sizeof(head.name)) == NULL || head.prefix[0])
		return fail(why, "a name is too long%s", "");
	name = head.name;
	while (!strncmp(name, "./", 2))
		name += 2;
	if (head.type == '5' && !*name)
		return 0;
	if (head.type != '0' && head.type != '\0')
		return fail(why, "it has what is no regular file%s", "");
	if (via_name_check(name))
		return fail(why, "a file has a name that is not allowed%s", "");
	memcpy(file->name, name, strlen(name) + 1);
	return 1;
}

const struct via_file *via_files_find(const struct via_files *files, const char *name)
{
	for (size_t i = 0; i < files->nr; i++)
		if (!strcmp(files->of[i].name, name))
			return &files->of[i];
	return NULL;
}

int via_archive_read(const uint8_t *data, size_t size, struct via_files *files,
		     char why[static VIA_WHY])
{
	size_t at = 0;

	files->nr = 0;
	while (at + BLOCK <= size && !is_zero(data + at)) {
		struct via_file file = {.data = data + at + BLOCK};
		uint64_t len;
		int rc = take(data + at, &file, &len, why);

		if (rc < 0)
			return rc;
		at += BLOCK;
		if (len > size - at)
			return fail(why, "it ends within %s", rc ? file.name : "a directory");
		file.size = (size_t)len;
		at += file.size;
		at += (BLOCK - at % BLOCK) % BLOCK;
		if (!rc)
			continue;
		if (via_files_find(files, file.name))
			return fail(why, "it has %s twice", file.name);
		if (files->nr == VIA_FILES_MAX)
			return fail(why, "it has too many files%s", "");
		files->of[files->nr++] = file;
	}
	return 0;
}

static void head_of(const struct via_file *file, struct header *head)
{
	uint8_t block[BLOCK];

	memset(head, 0, sizeof(*head));
	memcpy(head->name, file->name, strlen(file->name));
	memcpy(head->mode, "0000644", 7);
	memcpy(head->uid, "0000000", 7);
	memcpy(head->gid, "0000000", 7);
	snprintf(head->size, sizeof(head->size), "%011o", (unsigned int)file->size);
	memcpy(head->mtime, "00000000000", 11);
	head->type = '0';
	memcpy(head->magic, "ustar", 6);
	memcpy(head->version, "00", 2);
	memcpy(block, head, BLOCK);
	snprintf(head->checksum, sizeof(head->checksum), "%06o", (unsigned int)sum_of(block));
	head->checksum[7] = ' ';
}

static int put(const void *data, size_t size, FILE *out)
{
	return !size || fwrite(data, size, 1, out) == 1 ? 0 : -EIO;
}

int via_archive_write(const struct via_files *files, FILE *out)
{
	static const uint8_t zeros[2 * BLOCK];
	int rc = 0;

	for (size_t i = 0; i < files->nr && !rc; i++) {
		const struct via_file *file = &files->of[i];
		struct header head;

		head_of(file, &head);
		rc = put(&head, sizeof(head), out);
		if (!rc)
			rc = put(file->data, file->size, out);
		if (!rc)
			rc = put(zeros, (BLOCK - file->size % BLOCK) % BLOCK, out);
	}
	return rc ? rc : put(zeros, sizeof(zeros), out);
}
