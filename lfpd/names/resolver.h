/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.h - names and addresses, looked up in libuv's thread pool (addrinfo.c, hostent.c,
 * hostname.c) */
#ifndef LFPD_NAMES_RESOLVER_H
#define LFPD_NAMES_RESOLVER_H

#include "lfpd/state/session.h"

int resolver_handle_getaddrinfo(struct session *session, const struct lfp_frame *frame,
				const char **why);
int resolver_handle_getnameinfo(struct session *session, const struct lfp_frame *frame,
				const char **why);
int resolver_handle_gethostbyname(struct session *session, const struct lfp_frame *frame,
				  const char **why);
int resolver_handle_gethostbyaddr(struct session *session, const struct lfp_frame *frame,
				  const char **why);
int resolver_handle_gethostname(struct session *session, const struct lfp_frame *frame,
				const char **why);
int resolver_handle_gethostid(struct session *session, const struct lfp_frame *frame,
			      const char **why);

/* The session ends: drop the answers to come. */
void resolver_drop_all(struct session *session);

/*
 * The name under which z/VSE appears: what VSE_HOSTID resolves to, else the Linux host's name,
 * which is there at once.
 */
int resolver_find_host_name(struct instance *inst);
void resolver_forget_host_name(struct instance *inst);

/* Have libc load what it needs for look-ups: its first one crashes without memory (glibc 2.36). */
void resolver_prepare(uv_loop_t *loop);

#endif
