/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - name resolution: the calls of programs, in the code page of the path */
#ifndef IJBLFP_CTL_NAMES_H
#define IJBLFP_CTL_NAMES_H

struct instance;
struct ctl_conn;
struct lfp_ctl_request;

/* LFP_CTL_GETADDRINFO to LFP_CTL_GETHOSTID; @conn is answered now or later. */
void names_handle(struct instance *inst, struct ctl_conn *conn,
		  const struct lfp_ctl_request *request);

#endif
