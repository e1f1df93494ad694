/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - strict reading of numbers from files and arguments */
#ifndef LFP_NUMBER_H
#define LFP_NUMBER_H

/*
 * Decimal digits only: no sign, no blank, no octal or hexadecimal form ("010" is ten), nothing
 * after them. Return 0; -EINVAL if @text is no such number; -ERANGE if it is less than @min or
 * greater than @max, however many digits it has. @value is set only with 0.
 */
int lfp_number(const char *text, unsigned long min, unsigned long max, unsigned long *value);

/* The same with an optional K (1024) or M (1048576) directly after the digits, in either case:
 * bytes. */
int lfp_size(const char *text, unsigned long min, unsigned long max, unsigned long *value);

#endif
