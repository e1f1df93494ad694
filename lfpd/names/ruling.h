/* SPDX-License-Identifier: Apache-2.0 */
/* ruling.h - applies the rules of POLICY_FILE to calls of programs */
#ifndef LFPD_NAMES_RULING_H
#define LFPD_NAMES_RULING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lfp/reader.h"
#include "lfpd/state/instance.h"

/*
 * Without POLICY_FILE all of them allow everything. What is refused is counted and, at a limited
 * rate, logged with the line of the rule.
 */

/* Reads POLICY_FILE of @config for @inst. Returns 0 or a negative errno, with @err filled: then the
 * rules stay as they were. */
int ruling_read(struct instance *inst, const struct lfpd_config *config,
		struct lfp_reader_error *err);

/* Reads POLICY_FILE and throws the rules away. Returns 0 or a negative errno with @err filled. */
int ruling_check(const struct lfpd_config *config, struct lfp_reader_error *err);

void ruling_init(struct instance *inst);
void ruling_finish(struct instance *inst);

/* May a socket of user @uid connect or send there? Returns 0 or the negative errno of REFUSE_WITH.
 */
int ruling_reach(struct instance *inst, uint32_t uid, bool datagram,
		 const struct sockaddr_storage *to);

/* May it be bound to this address with a port, or listen there? The same. */
int ruling_listen(struct instance *inst, uint32_t uid, bool datagram,
		  const struct sockaddr_storage *at);

/* May the user look up this name? NULL: the name of an address. The text of an address is no name
 * and always passes. */
bool ruling_lookup(struct instance *inst, uint32_t uid, const char *name);

/* The name was found to have this address. */
void ruling_learn(struct instance *inst, const char *name, const struct sockaddr *addr);

#endif
