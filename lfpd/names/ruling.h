/* SPDX-License-Identifier: Apache-2.0 */
/* ruling.h - applies the rules of POLICY_FILE to calls of programs */
#ifndef LFPD_NAMES_RULING_H
#define LFPD_NAMES_RULING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lfp/reader.h"
#include "lfpd/policy/rules.h"
#include "lfpd/state/instance.h"

/*
 * Without POLICY_FILE these functions allow every call. Each refused call is counted and, at a
 * limited rate, logged with the line of the rule.
 */

/* Gives @inst the rules in POLICY_FILE of @config, and sets @changed if their text is another one.
 * Returns 0, or a negative errno with @err filled; @inst then keeps its rules. */
int ruling_read(struct instance *inst, const struct lfpd_config *config, bool *changed,
		struct lfp_reader_error *err);

/* Checks POLICY_FILE of @config. Returns 0, or a negative errno with @err filled. */
int ruling_check(const struct lfpd_config *config, struct lfp_reader_error *err);

void ruling_init(struct instance *inst);
void ruling_finish(struct instance *inst);

/* Returns 0 if the rules allow what a socket asks to do with @addr, else the negative errno of
 * REFUSE_WITH. The caller has filled @question but for the address and the time. */
int ruling_address(struct instance *inst, struct rules_question *question,
		   const struct sockaddr_storage *addr);

/* Returns true if user @uid may look up @name. NULL stands for the look-up of the name of an
 * address. A @name that is an address as text always passes. */
bool ruling_lookup(struct instance *inst, uint32_t uid, const char *name);

/* Notes that a look-up of @name has returned this address. */
void ruling_learn(struct instance *inst, const char *name, const struct sockaddr *addr);

#endif
