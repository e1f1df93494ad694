/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - rules and keys from a file, zdev-ipsec(5)
 *
 * The form is that of a file of the z/OS policy agent: a statement with a name, its attributes
 * between braces on lines of their own, one attribute a line, '#' begins a comment, words in either
 * case. profile-words.c marks the words that are IBM's.
 */
#ifndef DEVEMU_IPSEC_PROFILE_H
#define DEVEMU_IPSEC_PROFILE_H

#include <stdio.h>

#include "devemu/ipsec/policy.h"
#include "lfp/reader.h"

/**
 * profile_read() - read rules and keys
 * @name:	of the file, for messages, which never contain a key
 *
 * Return: 0 with *@policy set, the caller's; -EINVAL with @err filled, -EIO, -ENOMEM.
 */
int profile_read(struct policy **policy, const char *name, FILE *file,
		 struct lfp_reader_error *err);

/* The same from a path. -EPERM if others than the owner may read the file, which has keys. All but
 * -ENOMEM fill @err. */
int profile_load(struct policy **policy, const char *path, struct lfp_reader_error *err);

#endif
