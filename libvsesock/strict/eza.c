/* SPDX-License-Identifier: Apache-2.0 */
/* eza.c - rules of EZASOKET and EZASMI: functions of z/OS, parameters, pointers, INITAPI */
#include <string.h>

#include "libvsesock/strict/strict.h"

/* The thread has a HOSTENT, and has not called EZACIC08 for it. */
static _Thread_local bool hostent_waits;

int strict_zos(const char *name)
{
	if (strcmp(name, "BIND2ADDRSEL") != 0 && strcmp(name, "GETIBMOPT") != 0 &&
	    strcmp(name, "INITAPIX") != 0)
		return 0;
	return strict_found(STRICT_ZOS, "only z/OS has it");
}

/* A number of a pointer's size may be a pointer, which is native, too. */
int strict_parameter(int n, size_t size, bool native, bool halfword)
{
	int rc = 0;

	if (native && size != sizeof(void *))
		rc = strict_found(STRICT_ORDER,
				  "parameter %d is COMP-5, in this machine's byte order", n);
	if (!rc && size != 2 && halfword)
		rc = strict_found(STRICT_HALFWORD,
				  "parameter %d has %zu bytes; z/VSE takes the first two", n, size);
	return rc;
}

/*
 * The options that IBM lists for GETSOCKOPT of z/VSE 6.2's EZASMI (fa2ti_ezasmi_getsockopt). The
 * list for SETSOCKOPT could not be read: it is taken to have the same ones and the memberships,
 * which are for SETSOCKOPT alone (SC27-3660, "IPv4 multicast options", "IPv6 multicast options").
 */
int strict_option(const char *name, bool sets)
{
	static const char *const both[] = {
		"IP_MULTICAST_IF",   "IP_MULTICAST_LOOP",   "IP_MULTICAST_TTL",
		"IPV6_MULTICAST_IF", "IPV6_MULTICAST_LOOP", "IPV6_MULTICAST_HOPS",
		"IPV6_UNICAST_HOPS", "IPV6_V6ONLY",         "SO_LINGER",
	};
	static const char *const set[] = {"IP_ADD_MEMBERSHIP", "IP_DROP_MEMBERSHIP",
					  "IPV6_JOIN_GROUP", "IPV6_LEAVE_GROUP"};

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (!strcmp(both[i], name))
			return 0;
	for (size_t i = 0; sets && i < sizeof(set) / sizeof(set[0]); i++)
		if (!strcmp(set[i], name))
			return 0;
	return strict_found(STRICT_OPTION, "EZASMI of z/VSE is not known to have option %s", name);
}

int strict_phase(void)
{
	return strict_found(STRICT_PHASE,
			    "no // SETPARM EZA$PHA=IJBLFPEZ; LFP needs it in each job");
}

int strict_implicit(void)
{
	return strict_found(STRICT_NO_INIT, "INITAPI was not called before");
}

int strict_pointers(const char *structure)
{
	if (sizeof(void *) == 4)
		return 0;
	return strict_found(STRICT_POINTERS, "%s has pointers of 8 bytes; z/VSE's have 4",
			    structure);
}

int strict_hostent_left(void)
{
	if (!hostent_waits)
		return 0;
	hostent_waits = false;
	return strict_pointers("HOSTENT, which EZACIC08 has not taken apart,");
}

int strict_hostent(void)
{
	int rc = strict_hostent_left();

	hostent_waits = strict_on() && !rc;
	return rc;
}

void strict_hostent_used(void)
{
	hostent_waits = false;
}
