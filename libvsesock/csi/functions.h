/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h - the functions of the SOCKET macro: open.c, data.c, control.c */
#ifndef VSESOCK_CSI_FUNCTIONS_H
#define VSESOCK_CSI_FUNCTIONS_H

#include "libvsesock/csi/request.h"

/* Returns 0 or more, or a negative error. -EAGAIN with job.attempt set: the job must be tried. */
typedef int csi_function(struct csi_call *call);

csi_function csi_open, csi_close, csi_abort, csi_status, csi_send, csi_receive;
csi_function csi_control_open, csi_control_send, csi_control_receive;

/* Ends an OPEN with @rc: closes its descriptor if it failed. */
void csi_opened(struct csi_call *call, int rc);

/* Returns whether an OPEN is outstanding on a descriptor, which then has no data yet. */
bool csi_is_opening(const struct vse_api *api, int s, bool *passive);

#endif
