/* SPDX-License-Identifier: Apache-2.0 */
/* idna.h - international names in the form of the DNS */
#ifndef LFPD_POLICY_IDNA_H
#define LFPD_POLICY_IDNA_H

#include "lfpd/policy/rules.h"

/* Writes a name in UTF-8 as rules_name() does, with labels that begin with "xn--" (RFC 5890; UTS 46
 * maps upper case and other dots). Returns NULL, or why the name is not valid, for people. */
const char *idna_name(char out[static RULES_NAME_MAX], const char *name);

#endif
