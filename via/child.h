/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - starts a program of the appliance, with a user of its own and next to no rights */
#ifndef VIA_CHILD_H
#define VIA_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct via_child {
	const char *program; /* an absolute path */
	const char *const *argv;
	const char *dir; /* its working directory, which /config leads to */
	uid_t user;      /* also its only group */
	bool binds;      /* keeps CAP_NET_BIND_SERVICE */
	bool notifies;   /* gets NOTIFY_SOCKET */
};

#define VIA_NOTIFY "/run/via/notify" /* the socket of sd_notify(3) */

/* Starts it. Its output and its messages are to be read from @out, which does not block. It runs as
 * its user, if there are users (via_has_users()), cannot gain a right by executing a file, and has
 * no capability but that one. Returns its process id, or a negative errno. */
pid_t via_child_start(const struct via_child *child, int *out);

/* Starts it, waits at most @seconds for its end, and keeps the beginning of its output, without the
 * NUL at most @size - 1 bytes. Returns its exit code, 128 and more for a signal, or a negative
 * errno. */
int via_child_run(const struct via_child *child, int seconds, char *text, size_t size);

#endif
