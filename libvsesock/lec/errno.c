/* SPDX-License-Identifier: Apache-2.0 */
/* errno.c - errno of LE/C programs, and its texts */
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/strict/strict.h"

/*
 * Theory of operation
 *
 * A program compares errno with z/VSE's numbers, whichever function has set it. The C library sets
 * its own errno, in Linux's numbers. When the program reads errno, that number is translated and
 * cleared, so that the next one found there is new.
 */
static _Thread_local int lec_errno;

EXPORT int *lec_errno_location(void);
EXPORT int *lec_h_errno_location(void);
EXPORT char *lec_strerror(int number);
EXPORT void lec_perror(const char *text);

int *lec_errno_location(void)
{
	if (errno) {
		lec_errno = vse_errno(VSE_ZVSE, errno);
		errno = 0;
	}
	return &lec_errno;
}

int *lec_h_errno_location(void)
{
	return __h_errno_location();
}

int lec_fail(int error)
{
	lec_errno = vse_errno(VSE_ZVSE, error);
	errno = 0;
	return -1;
}

int lec_fail_io(void)
{
	lec_errno = vse_errno_io(VSE_ZVSE, errno);
	errno = 0;
	return -1;
}

int lec_end(int rc)
{
	return rc < 0 ? lec_fail(-rc) : rc;
}

/* Message ids are LE's: EDC5nnn, and EDC8 for numbers from 1000 on. */
char *lec_strerror(int number)
{
	static _Thread_local char text[128];
	int error = vse_errno_back(VSE_ZVSE, number);
	const char *says = NULL;

	if (!error)
		snprintf(text, sizeof(text), "EDC5000I No error occurred.");
	if (error && error < VSE_EXTRA)
		says = strerrordesc_np(error);
	if (number == vse_errno(VSE_ZVSE, VSE_ETRUE))
		says = "EZATRUE is not active";
	if (error == STRICT_ERROR)
		says = "Refused by LFP_STRICT=fail";
	if (error == VSE_ELOAD)
		says = "Load error";
	if (error && !says)
		says = vse_errno_symbol(error);
	if (error)
		snprintf(text, sizeof(text), "EDC%04dI %s.",
			 number >= 1000 ? 8000 + (number - 1000) % 1000 : 5000 + number, says);
	return text;
}

void lec_perror(const char *text)
{
	const char *says = lec_strerror(*lec_errno_location());

	if (text && *text)
		fprintf(stderr, "%s: %s\n", text, says);
	else
		fprintf(stderr, "%s\n", says);
}
