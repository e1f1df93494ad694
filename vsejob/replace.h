/* SPDX-License-Identifier: Apache-2.0 */
/* replace.h - a file is replaced as a whole */
#ifndef VSEJOB_REPLACE_H
#define VSEJOB_REPLACE_H

#include <stdio.h>

/**
 * replace_file() - write a file that others may read at any time: they find the old one or the new
 * one
 * @path:	the file, with mode 0644; its directory is made if necessary
 * @put:	writes the contents; failed writes are noticed at the end
 * @data:	for it
 *
 * Return: 0 or a negative errno; the old file is then as it was.
 */
int replace_file(const char *path, void (*put)(FILE *out, const void *data), const void *data);

#endif
