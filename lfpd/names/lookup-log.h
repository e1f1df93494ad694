/* SPDX-License-Identifier: Apache-2.0 */
/* lookup-log.h - what the log of connections says about look-ups */
#ifndef LFPD_NAMES_LOOKUP_LOG_H
#define LFPD_NAMES_LOOKUP_LOG_H

#include "lfpd/log/log.h"
#include "lfpd/names/resolver-job.h"

/* A look-up was refused, because there are too many of them. @name: as it is on the path, or NULL;
 * @error: of @numbers */
void lookup_log_limit(struct session *session, const struct lfp_frame *frame,
		      const struct lfp_text *name, enum log_numbers numbers, int error);

/* The rules have refused a look-up. */
void lookup_log_rule(const struct resolver_job *job, enum log_numbers numbers, int error);

/* A look-up has ended with job->error. @first: the first address found, or NULL. Numeric addresses
 * were not looked up, and are left out. */
void lookup_log_end(const struct resolver_job *job, enum log_numbers numbers,
		    const struct lfp_addr *first);

#endif
