/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - a line for the owner that says how things are */
#ifndef LFPD_STATE_STATUS_H
#define LFPD_STATE_STATUS_H

struct instance;

/* Tell the owner how things are. */
void instance_tell_status(struct instance *inst);

#endif
