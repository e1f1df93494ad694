/* SPDX-License-Identifier: Apache-2.0 */
/* absent.c - says once that the LFP instance of a program does not answer */
#include "libvsesock/vse/absent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libvsesock/core/place.h"
#include "libvsesock/core/standard-error.h"

static struct standard_error noted;

static void __attribute__((constructor)) init(void)
{
	standard_error_note(&noted);
}

static bool is_socket(void)
{
	struct stat st;

	return fstat(STDERR_FILENO, &st) || S_ISSOCK(st.st_mode);
}

int vse_absent(const char *nn, int rc)
{
	const char *named = place_instance();
	static bool told;
	int saved = errno, len;
	char line[320], program[61];

	if (rc != -ENETDOWN || !standard_error_is(&noted) || is_socket() ||
	    __atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		return rc;
	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	for (char *c = program; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	if (*named && strcmp(named, nn) != 0)
		len = snprintf(line, sizeof(line),
			       "VLFB820W %s: LFP instance %s does not answer. EZASOKET, EZASMI and "
			       "SOCKET do not use instance %s of LFP_ID or lfp-run -i; SYSPARM=%s "
			       "in the environment names it for them, too.\n",
			       program, nn, named, named);
	else
		len = snprintf(line, sizeof(line),
			       "VLFB821W %s: LFP instance %s does not answer. ijblfpop LIST shows "
			       "those that run; SYSPARM=NN in the environment names one.\n",
			       program, nn);
	/* A line that cannot be written is dropped. */
	if (write(STDERR_FILENO, line, (size_t)len) < 0)
		errno = 0;
	errno = saved;
	return rc;
}
