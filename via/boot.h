/* SPDX-License-Identifier: Apache-2.0 */
/* boot.h - makes a system of a kernel and an image: mounts, modules, limits */
#ifndef VIA_BOOT_H
#define VIA_BOOT_H

#include <stdbool.h>

/* Of the image: NAME.ko, and "order", a line NAME.ko [PARAMETER...] for each; its version. */
#define VIA_MODULES "/mods"
#define VIA_BUILD   "/etc/via-build"

#define VIA_RUN "/run/via" /* of the first process */

/* True where another program has made mounts and network: not the first process, or in a container.
 */
bool via_in_container(void);

#define VIA_FIRST_USER 900 /* the n-th instance runs as user VIA_FIRST_USER + n */
#define VIA_USERS      32
#define VIA_NO_USER    (VIA_FIRST_USER + VIA_USERS) /* has no process */

/* True if this process may become these users: it is root, and its user namespace has them. A
 * container without root often has one user alone. */
bool via_has_users(void);

/* As the first process: mounts, the console, the kernel's modules, which cannot be loaded any more
 * afterwards; and what lfpd may use. Everything but /run is read-only at the end. Errors are told,
 * and the boot goes on. */
void via_boot(void);

/* Ends the machine, or in a container this process. */
void via_power_off(void) __attribute__((noreturn));

/* Writes a file of /proc or /sys, in one call. 0 or a negative errno. */
int via_write_file(const char *path, const char *text);

#endif
