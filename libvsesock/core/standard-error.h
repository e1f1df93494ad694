/* SPDX-License-Identifier: Apache-2.0 */
/* standard-error.h - the program's standard error, while it is the file of the program's start */
#ifndef VSESOCK_STANDARD_ERROR_H
#define VSESOCK_STANDARD_ERROR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* Programs close descriptor 2 and open other files, which must not get our lines. */
struct standard_error {
	bool exists;
	dev_t dev;
	ino_t ino;
};

/* Notes the file; for constructors. */
static inline void standard_error_note(struct standard_error *noted)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st))
		return;
	noted->exists = true;
	noted->dev = st.st_dev;
	noted->ino = st.st_ino;
}

/* Returns whether it is still the same file. */
static inline bool standard_error_is(const struct standard_error *noted)
{
	struct stat st;

	return noted->exists && !fstat(STDERR_FILENO, &st) && st.st_dev == noted->dev &&
	       st.st_ino == noted->ino;
}

#endif
