/* SPDX-License-Identifier: Apache-2.0 */
/* interfaces.h - getifaddrs() and its kind: the interfaces that lfpd shows */
#ifndef IJBLFP_CTL_INTERFACES_H
#define IJBLFP_CTL_INTERFACES_H

struct instance;
struct ctl_conn;

void ijblfp_interfaces_handle(struct instance *inst, struct ctl_conn *conn);

#endif
