/* SPDX-License-Identifier: Apache-2.0 */
/* login.h - endpoint security for the paths of a fabric
 *
 * Theory of operation
 *
 * When a fabric is built nothing is encrypted. fces_login() goes over its paths: where both ends
 * are capable, each asks its key server for the key that the two share, and they agree on keys for
 * frames (connection.h). Where that succeeds the path is encrypted, its frames pass
 * fabric_path.fces, and its links are charged for the bytes that are more. Everywhere else it is in
 * the clear, or, if an end requires encryption, barred.
 *
 * A key server is another process (zdev keyserver), or one of the run's own: then both sides of the
 * same TLS and the same requests are in this process. All of this is done on the clock of the
 * machine before simulated time begins. Keys differ in every run; no event depends on them.
 *
 * Channels are called CHPnn and control units CUnnnn where key servers are asked.
 */
#ifndef DEVEMU_FABRIC_LOGIN_H
#define DEVEMU_FABRIC_LOGIN_H

#include "devemu/fabric/fabric.h"

/**
 * fces_login() - once, after fabric_create()
 * @scenario:	path of the scenario's file, beside which files that it names are; NULL: the working
 *		directory
 * @said:	NULL, or called for each path that is in the clear or barred though an end of it is
 *		capable, with the reason
 *
 * Return: 0, however many paths are encrypted; -EINVAL with @error filled if a key server is named
 * that is not there, or its address or file is wrong; -ENOMEM.
 */
int fces_login(struct fabric *fabric, const char *scenario,
	       void (*said)(void *context, const struct fabric_path *path, const char *why),
	       void *context, struct fabric_error *error);

/* For fabric_destroy(). */
void fces_logout(struct fabric *fabric);

#endif
