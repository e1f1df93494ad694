/* SPDX-License-Identifier: Apache-2.0 */
/* codepage.h - names between the machine's ASCII and the code page of the path */
#ifndef LFP_CODEPAGE_H
#define LFP_CODEPAGE_H

#include <stddef.h>

/* Only names are converted (host names, services, programs), never the data of sockets. One thread
 * at a time may use a code page: iconv keeps state. */
struct lfp_codepage;

/* @name is an iconv name, "" or "US-ASCII" for none. NULL with errno EINVAL if iconv does not know
 * it. */
struct lfp_codepage *lfp_codepage_open(const char *name);
void lfp_codepage_close(struct lfp_codepage *cp);

/**
 * lfp_codepage_to_path() - from ASCII/UTF-8 to the code page
 * Return: bytes written at @out, -EILSEQ if the table lacks a character, -ENOBUFS if @room is
 * short.
 */
int lfp_codepage_to_path(struct lfp_codepage *cp, const char *in, size_t len, char *out,
			 size_t room);

/* From the code page; the result is NUL-terminated (so @room is one more), the NUL is not counted.
 */
int lfp_codepage_from_path(struct lfp_codepage *cp, const void *in, size_t len, char *out,
			   size_t room);

#endif
