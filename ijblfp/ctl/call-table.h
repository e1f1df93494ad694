/* SPDX-License-Identifier: Apache-2.0 */
/* call-table.h - the calls of programs: what each request on the control channel does */
#ifndef IJBLFP_CTL_CALL_TABLE_H
#define IJBLFP_CTL_CALL_TABLE_H

struct instance;
struct ctl_conn;
struct lfp_ctl_request;

/* Deal with a request whose head and length are right. @conn is answered now or later. */
void call_handle(struct instance *inst, struct ctl_conn *conn,
		 const struct lfp_ctl_request *request);

#endif
