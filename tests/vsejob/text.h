/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - a text as a file */
#ifndef TESTS_VSEJOB_TEXT_H
#define TESTS_VSEJOB_TEXT_H

#include <stdio.h>

/* Opens a text for reading. The caller closes it. */
FILE *text_open(const char *text);

#endif
