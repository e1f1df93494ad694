/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - a text as a file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/vsejob/text.h"

FILE *text_open(const char *text)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(in);
	return in;
}
