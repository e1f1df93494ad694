/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - characters of the program, which may be nobody's memory */
#ifndef VSESOCK_VSE_TEXT_H
#define VSESOCK_VSE_TEXT_H

#include <stddef.h>

/* Characters up to NUL, @most of them, into @out unless that is NULL; no NUL is added. How many, or
 * -EFAULT. */
int vse_text(char *out, size_t most, const char *from);

#endif
