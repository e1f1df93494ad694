/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - logs requests of z/VSE that were refused, at a limited rate */
#ifndef LFPD_USERS_REFUSAL_H
#define LFPD_USERS_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lfpd/state/instance.h"
#include "lfpd/users/share.h"

struct instance;
struct lfp_frame;
struct rules_question;
struct session;
struct task;

/* Each function logs at most one line in ten seconds, with the number of refusals since the last.
 * Each line of POLICY_FILE counts by itself, up to a number of them. */

/* @error: the kernel's for lack of descriptors, 0 for MAX_SOCKETS. */
void refusal_of_socket(struct instance *inst, int error);
/* @error: negative, of lfp/interface.h. */
void refusal_of_interface(struct instance *inst, int error);
void refusal_of_task(struct instance *inst, unsigned int id, const char *partition);
/* Counts and logs a call that the rules refuse. @text: the call, such as "to reach ...".
 * @line: 0 if no line of POLICY_FILE is the reason. */
void refusal_of_rule(struct instance *inst, uint32_t uid, const char *text, unsigned int line);
/* RESTRICT_TO_HOSTID refuses a call. @why: policy_why() */
void refusal_of_hostid(struct instance *inst, const struct rules_question *question,
		       const char *text, const char *why);
/* A connection through an upstream has failed. @why: a clause about its proxy; @code: the proxy's
 * number, or 0. */
void refusal_of_upstream(struct instance *inst, uint32_t uid, const char *upstream, const char *why,
			 unsigned int code);
/* A user has reached its limit of a kind (enum share_kind). Each user gets a line in ten seconds,
 * up to a number of users. */
void refusal_of_share(struct instance *inst, uint32_t uid, unsigned int kind, unsigned int most);
/* A name from z/VSE. */
void refusal_of_bytes(struct instance *inst, const uint8_t *bytes, unsigned int len);
/* A name for z/VSE. */
void refusal_of_name(struct instance *inst, const char *name);
/* A frame that contradicts lfpd's state; also counts it. @task: of its socket, may be NULL. */
void refusal_of_frame(struct instance *inst, const struct lfp_frame *frame, const struct task *task,
		      const char *why);

/* The frame names a wrong socket or task: answers @status, or tells z/VSE that lfpd has no such
 * socket. */
void refusal_answer(struct session *session, const struct lfp_frame *frame, int status,
		    const char *why);

/* Returns whether the user has all that it may have; then counts and logs a refusal. */
bool refusal_if_spent(struct instance *inst, uint32_t uid, enum share_kind kind);

#endif
