/* SPDX-License-Identifier: Apache-2.0 */
/* ruling.h - applies the rules of POLICY_FILE to calls of programs */
#ifndef LFPD_NAMES_RULING_H
#define LFPD_NAMES_RULING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lfp/reader.h"
#include "lfpd/policy/dns-message.h"
#include "lfpd/policy/rules.h"
#include "lfpd/state/instance.h"

/*
 * Without POLICY_FILE these functions allow every call, except with PRIVILEGED_PORTS = root. Each
 * refused call is counted and, at a limited rate, logged with the line of the rule.
 */

/* Gives @inst the rules in POLICY_FILE of its configuration. Returns 0, or a negative errno with
 * @err filled. It may take long: see rules-thread.h. */
int ruling_read(struct instance *inst, struct lfp_reader_error *err);

/* Gives @inst these rules, or none for NULL. Returns true if their text is another one. */
bool ruling_use(struct instance *inst, struct rules *rules);

/* Checks POLICY_FILE of @config. Returns 0, or a negative errno with @err filled. */
int ruling_check(const struct lfpd_config *config, struct lfp_reader_error *err);

void ruling_init(struct instance *inst);
void ruling_finish(struct instance *inst);

/* Returns 0 if the rules allow what a socket asks to do with @addr, else the negative errno of
 * REFUSE_WITH. The caller has filled @question but for the address and the time. */
int ruling_address(struct instance *inst, struct rules_question *question,
		   const struct sockaddr_storage *addr);

/* Logs at a limited rate that RESTRICT_TO_HOSTID refuses what @question asks to do with @addr. The
 * caller has filled @question but for the address. @why: policy_why() */
void ruling_note_hostid(struct instance *inst, struct rules_question *question,
			const struct sockaddr_storage *addr, const char *why);

/* Refuses what @question asks, although its rule, question->limited, allows it. @why: text that
 * follows the call. Returns the negative errno of REFUSE_WITH. */
int ruling_refuse_limit(struct instance *inst, const struct rules_question *question,
			const char *why);

/* Returns true if the rules allow a connection to @addr now that its client has named a server.
 * Without a name they refuse it; @why then says what the client has sent instead. */
bool ruling_server(struct instance *inst, struct rules_question *question,
		   const struct sockaddr_storage *addr, const char *why);

/* Returns true if the rules allow something that goes on already. It is not counted as refused, and
 * the time of names has no meaning. */
bool ruling_permits(struct instance *inst, struct rules_question *question,
		    const struct sockaddr_storage *addr);

/* Returns true if user @uid and program @who may look up @name. NULL stands for the look-up of the
 * name of an address. A @name that is an address as text always passes. */
bool ruling_lookup(struct instance *inst, uint32_t uid, const struct subject *who,
		   const char *name);

/* Returns true if there are rules, and this is a name server of the host (resolv.conf(5)). Without
 * a rule for it programs may ask it by datagrams, of which ruling_query() decides about each. */
bool ruling_is_name_server(struct instance *inst, const struct sockaddr *addr);

/* Returns true if there are rules, and a name server of the host has this port. */
bool ruling_is_server_port(struct instance *inst, uint16_t port);

/* Returns 0 if a datagram of user @uid may name the address and port @source, the wildcard too, as
 * its source; the negative errno of REFUSE_WITH if it could pass for one of a name server. */
int ruling_source(struct instance *inst, uint32_t uid, const struct sockaddr_storage *source);

/* Returns 0 if user @uid may send these bytes to a name server; -ENOENT if it is a query and the
 * rules refuse the look-up; else the negative errno of REFUSE_WITH. Sets @question; its end is 0 if
 * the bytes are no query. */
int ruling_query(struct instance *inst, uint32_t uid, const struct subject *who, const uint8_t *msg,
		 size_t len, struct dns_question *question);

/* Notes what a name server has answered user @uid. @name is in the form of rules_name(). */
void ruling_learn_answer(struct instance *inst, uint32_t uid, const char *name,
			 const struct dns_answer *answer);

/* Notes that a look-up of @name by user @uid has returned this address. */
void ruling_learn(struct instance *inst, uint32_t uid, const char *name,
		  const struct sockaddr *addr);

/* Sets @name to the name under which programs have found the address, "" if there is none. For the
 * log: the rules look at all of its names. */
void ruling_name_of(const struct instance *inst, const struct sockaddr *addr,
		    char name[static RULES_NAME_MAX]);

#endif
