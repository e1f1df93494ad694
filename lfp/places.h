/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where files and sockets of both sides live */
#ifndef LFP_PLACES_H
#define LFP_PLACES_H

#include <stddef.h>
#include <sys/un.h>

/*
 * All places hang off one root:
 *
 *   LFP_ROOT=DIR set         DIR/etc, DIR/run ("/" is the system's own tree)
 *   not set, user 0          /etc, /run
 *   not set, other user      configuration /etc, run-time files $XDG_RUNTIME_DIR, else
 *                            /tmp/vselfp-UID, a directory of mode 0700 that must belong to the user
 *
 *   Linux side   ETC/opt/ibm/vselfpd/confs-{available,enabled}/lfpd-NAME.conf
 *                RUN/vselfpd/NAME/path (transport), .../admin, .../pid, .../log
 *   z/VSE side   ETC/vselfp/lfp-NN.conf, .../vm-directory, .../edctcpmc, .../mux.conf,
 *                .../libr/LIB/SUBLIB/NAME.TYPE (members of libraries)
 *                RUN/vselfp/NN/ctl (programs), .../op (operator), .../pid, .../log
 *                RUN/vselfp/vm/USERID/N (paths of a guest of the pretend z/VM), .../console
 *
 * Functions return 0 or a negative errno: -ENAMETOOLONG if the result does not fit, -EINVAL for a
 * bad NAME (1 to 8 of A-Z 0-9 $ # @ _) or NN (two digits), -EPERM if the user's own directory is
 * not his.
 */
#define LFP_PLACE_MAX 1024 /* bytes, with the terminating NUL */

/* The root in force, absolute: "" for the system's own tree (so that "%s/run" works), or "-" for a
 * user without one. The text is in one static buffer. */
const char *lfp_root(void);

int lfp_place_conf_dir(char buf[static LFP_PLACE_MAX],
		       const char *which /* "available" or "enabled" */);
int lfp_place_conf(char buf[static LFP_PLACE_MAX], const char *which, const char *name);
int lfp_place_vse_conf(char buf[static LFP_PLACE_MAX], const char *nn);
int lfp_place_run_dir(
	char buf[static LFP_PLACE_MAX]); /* RUN itself; created for a user without root */
int lfp_place_lfpd(char buf[static LFP_PLACE_MAX], const char *name, const char *file);
/* The place for commands and clients: for a user without root who has no instance of that name, the
 * system's instance, if it exists. */
int lfp_place_find_lfpd(char buf[static LFP_PLACE_MAX], const char *name, const char *file);
int lfp_place_vm_directory(char buf[static LFP_PLACE_MAX]);
int lfp_place_edctcpmc(char buf[static LFP_PLACE_MAX]);
int lfp_place_mux(char buf[static LFP_PLACE_MAX]);
/* @lib, @sublib and @member (name.type) are not checked here. */
int lfp_place_member(char buf[static LFP_PLACE_MAX], const char *lib, const char *sublib,
		     const char *member);
int lfp_place_console(char buf[static LFP_PLACE_MAX]);
int lfp_place_vm(char buf[static LFP_PLACE_MAX], const char *vmid, unsigned int nr);
int lfp_place_vse(char buf[static LFP_PLACE_MAX], const char *nn, const char *file);

/* Returns the text for a negative errno of the functions above, about a run-time directory or a
 * socket. After such an error @buf names the directory at fault. */
const char *lfp_place_strerror(int error);

/* mkdir -p for the directory part of a run-time file, directories of mode 0755. */
int lfp_place_make_parent(const char *path);

/* Fill a UNIX socket address; -ENAMETOOLONG over 107 bytes. */
int lfp_unix_addr(struct sockaddr_un *addr, const char *path);

/* Check the NAME of an lfpd instance or another IUCV application name, a z/VM user id (the letters
 * of a NAME and + - :), or the NN of an LFP instance. Return 0 or -EINVAL. */
int lfp_check_name(const char *name);
int lfp_check_vmid(const char *vmid);
int lfp_check_nn(const char *nn);

/* Emulated z/VM user id: @arg, else LFP_VMID, else what the host name up to its first dot gives
 * ("LINUX" if nothing), folded to upper case; 1 to 8 characters. -EINVAL if @arg or LFP_VMID is
 * invalid. */
int lfp_vmid(char out[static 9], const char *arg);

#endif
