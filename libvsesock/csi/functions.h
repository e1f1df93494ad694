/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h - the functions of the SOCKET macro: open.c, data.c, control.c */
#ifndef VSESOCK_CSI_FUNCTIONS_H
#define VSESOCK_CSI_FUNCTIONS_H

#include "libvsesock/csi/request.h"

/* Functions: 0 or more, or a negative error. -EAGAIN: job.attempt is set, and is to be tried. */
typedef int csi_function(struct csi_call *call);

csi_function csi_open, csi_close, csi_abort, csi_status, csi_send, csi_receive;
csi_function csi_control_open, csi_control_send, csi_control_receive;

/* An OPEN has come to its end: what it left is closed if it failed. */
void csi_opened(struct csi_call *call, int rc);

/* What an OPEN's job is tried by: it has no data yet. */
bool csi_is_opening(const struct vse_api *api, int s, bool *passive);

#endif
