/* SPDX-License-Identifier: Apache-2.0 */
/* archive.h - the files of a configuration as an archive, in the format of tar */
#ifndef VIA_ARCHIVE_H
#define VIA_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The format is POSIX's ustar, of which only regular files at the top are used: so tar(1) shows
 * what is on a disk. All else is an error, and so are names that could lead elsewhere. */
#define VIA_NAME_MAX    64 /* bytes of a file's name, with the NUL */
#define VIA_FILES_MAX   128
#define VIA_ARCHIVE_MAX (1024u * 1024) /* bytes */
#define VIA_WHY         128            /* bytes for a reason, a half-sentence */

/* A file; @data lies in the archive that it was read from. */
struct via_file {
	char name[VIA_NAME_MAX];
	const uint8_t *data;
	size_t size;
};

struct via_files {
	struct via_file of[VIA_FILES_MAX];
	size_t nr;
};

/* A name that a file may have: letters, digits and $#@_+-. , and no '.' or '-' at its beginning. */
int via_name_check(const char *name);

/* Reads the whole archive. Returns 0, or -EINVAL with the reason in @why. */
int via_archive_read(const uint8_t *data, size_t size, struct via_files *files,
		     char why[static VIA_WHY]);

/* Returns the file of this name, or NULL. */
const struct via_file *via_files_find(const struct via_files *files, const char *name);

/* Writes the archive of these files; the same files give the same bytes. Returns 0 or -EIO. */
int via_archive_write(const struct via_files *files, FILE *out);

#endif
