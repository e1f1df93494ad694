/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - strict runs: what of an EZASOKET call would not be so on z/VSE */
#include "libvsesock/strict/strict.h"

#include <string.h>

#include "libvsesock/eza/eza.h"

/* Of the thread: a HOSTENT is there that EZACIC08 was not called for. */
static _Thread_local bool hostent_waits;

static bool is_zos(const char *name)
{
	return !strcmp(name, "BIND2ADDRSEL") || !strcmp(name, "GETIBMOPT") ||
	       !strcmp(name, "INITAPIX");
}

/* One parameter, from 1 on behind SOC-FUNCTION. A pointer is a native number, too. */
static int check_number(const struct eza_arg *arg, int n, char letter)
{
	int rc = 0;

	if (!arg->data || !arg->numeric)
		return 0;
	if (arg->order == EZA_NATIVE && arg->size != sizeof(void *))
		rc = strict_found(STRICT_ORDER,
				  "parameter %d is COMP-5, in this machine's byte order", n);
	if (!rc && arg->size != 2 && letter && strchr("sShw", letter))
		rc = strict_found(STRICT_HALFWORD,
				  "parameter %d has %zu bytes; z/VSE takes the first two", n,
				  arg->size);
	return rc;
}

static int hostent_left(void)
{
	if (!hostent_waits)
		return 0;
	hostent_waits = false;
	return eza_strict_pointers("HOSTENT, which EZACIC08 has not taken apart,");
}

int eza_strict_call(const struct eza_call *call, const char *name, const char *letters)
{
	bool takes = !strcmp(name, "TAKESOCKET");
	size_t own = strlen(letters);
	int rc = 0;

	if (!strict_on())
		return 0;
	strict_call(call->interface ? call->interface : "EZASOKET", name);
	if (is_zos(name))
		rc = strict_found(STRICT_ZOS, "only z/OS has it");
	/* The area that CICS programs get has a fullword, which IBM's samples pass to TAKESOCKET.
	 * Numbers of EZASMI's form in C are what they are. */
	for (int i = 0; i < call->nr && !rc && !call->interface; i++)
		rc = check_number(&call->args[i], i + 1,
				  (size_t)i < own && !takes ? letters[i] : '\0');
	if (!strcmp(name, "TERMAPI"))
		(void)hostent_left();
	return rc;
}

int eza_strict_implicit(void)
{
	return strict_found(STRICT_NO_INIT, "INITAPI was not called before");
}

int eza_strict_pointers(const char *structure)
{
	if (sizeof(void *) == 4)
		return 0;
	return strict_found(STRICT_POINTERS, "%s has pointers of 8 bytes; z/VSE's have 4",
			    structure);
}

int eza_strict_hostent(void)
{
	int rc = hostent_left();

	hostent_waits = strict_on() && !rc;
	return rc;
}

void eza_strict_hostent_used(void)
{
	hostent_waits = false;
}
