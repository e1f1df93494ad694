/* SPDX-License-Identifier: Apache-2.0 */
/* handlers.h - the handler of each stopped system call; each returns the answer (trap.h) */
#ifndef LFP_RUN_HANDLERS_H
#define LFP_RUN_HANDLERS_H

#include "lfp-run/trap.h"

/* serve-socket.c */
long serve_socket(struct trap *trap);
long serve_other_socket(struct trap *trap); /* of a family that is not LFP's: made here and given */
long serve_bind(struct trap *trap);
long serve_listen(struct trap *trap);
long serve_shutdown(struct trap *trap);
long serve_connect(struct trap *trap);
long serve_accept(struct trap *trap);

/* serve-names.c */
long serve_getname(struct trap *trap);
long serve_getsockopt(struct trap *trap);
long serve_setsockopt(struct trap *trap);
long serve_ioctl(struct trap *trap);

/* serve-data.c */
long serve_send(struct trap *trap);
long serve_receive(struct trap *trap);

/* serve-exec.c */
long serve_exec(struct trap *trap);

/* foreign.c: refuses the call, makes the socket, or lets the kernel go on. */
long serve_foreign(struct trap *trap);

#endif
