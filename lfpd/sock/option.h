/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - GETSOCKOPT and SETSOCKOPT */
#ifndef LFPD_SOCK_OPTION_H
#define LFPD_SOCK_OPTION_H

#include "lfpd/sock/socket.h"

int option_handle_get(struct socket *sock, const struct lfp_frame *frame, const char **why);
int option_handle_set(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* What an accepted socket has from its listener beside what the kernel hands on. */
void option_inherit(struct socket *sock, const struct socket *listener);

#endif
