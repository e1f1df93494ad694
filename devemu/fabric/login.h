/* SPDX-License-Identifier: Apache-2.0 */
/* login.h - endpoint security for the paths of a fabric
 *
 * Theory of operation
 *
 * A new fabric has no encrypted path. fces_login() tries each path: if both ends are capable, each
 * asks its key server for their shared key, and they agree on keys for frames (connection.h). If
 * that succeeds, the path is encrypted: its frames pass fabric_path.fces, and its links carry the
 * additional bytes. Otherwise the path is in the clear or, if an end requires encryption, barred.
 *
 * A key server is another process (zdev keyserver), or one of the run's own: then both sides of the
 * same TLS and the same requests are in this process. All of this is done on the clock of the
 * machine before simulated time begins. Keys differ in every run; no event depends on them.
 *
 * For key servers, channels have the names CHPnn, and control units CUnnnn.
 */
#ifndef DEVEMU_FABRIC_LOGIN_H
#define DEVEMU_FABRIC_LOGIN_H

#include "devemu/fabric/fabric.h"

/**
 * fces_login() - once, after fabric_create()
 * @scenario:	path of the scenario's file, files that it names are beside it; NULL: in the working
 * directory
 * @said:	NULL, or called for each path that is in the clear or barred though an end of it is
 *		capable, with the reason
 *
 * Return: 0, however many paths are encrypted; -EINVAL with @error filled if a named key server is
 * missing, or its address or file is wrong; -ENOMEM.
 */
int fces_login(struct fabric *fabric, const char *scenario,
	       void (*said)(void *context, const struct fabric_path *path, const char *why),
	       void *context, struct fabric_error *error);

/* For fabric_destroy(). */
void fces_logout(struct fabric *fabric);

#endif
