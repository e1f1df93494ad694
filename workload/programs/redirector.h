/* SPDX-License-Identifier: Apache-2.0 */
/* redirector.h - records of VSAM files as rows of a database: for redirector.c
 *
 * A file is a table with a key and a record. Its name has letters and digits only. Functions return
 * 1: done, or found; 0: there is a record with that key already, or none; -1: the database failed,
 * and standard error has the reason. One connection serves all; the variable REDIRECT has the
 * address and the port of the database, with a colon between them.
 */
#ifndef REDIRECTOR_H
#define REDIRECTOR_H

#include <stddef.h>

#define RECORD_MOST 4096

/* Makes the table if there is none, and empties it if that is wanted. */
int redirected_open(const char *file, int empty);
int redirected_insert(const char *file, const void *key, size_t key_size, const void *record,
		      size_t size);
int redirected_update(const char *file, const void *key, size_t key_size, const void *record,
		      size_t size);
int redirected_delete(const char *file, const void *key, size_t key_size);
/* Reads the first record whose key compares so ("=", ">=" or ">") with the one given, into record
 * of so many bytes; a shorter one is padded with blanks. */
int redirected_read(const char *file, const char *compares, const void *key, size_t key_size,
		    void *record, size_t size);

#endif
