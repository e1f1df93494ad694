/* SPDX-License-Identifier: Apache-2.0 */
/* control.h - where commands come from, and who may give them */
#ifndef VIA_CONTROL_H
#define VIA_CONTROL_H

/* Listens wherever the kernel offers it: AF_VSOCK, AF_IUCV, in a container a UNIX socket. Then
 * looks each second for what did not work before. */
void via_control_listen(void);

#endif
