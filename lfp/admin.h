/* SPDX-License-Identifier: Apache-2.0 */
/* admin.h - how commands ask a daemon: lfpd-admin its lfpd, ijblfpop its LFP instance */
#ifndef LFP_ADMIN_H
#define LFP_ADMIN_H

#include <stddef.h>

/*
 * A SOCK_STREAM socket at RUN/vselfpd/NAME/admin or RUN/vselfp/NN/op. The command sends one line,
 * the daemon answers with lines "KEY<TAB>VALUE" and closes. The first line is "ok" or
 * "error<TAB>TEXT". Values are plain numbers and words; the command formats them.
 */
#define LFP_ADMIN_REQUEST_MAX 2048
#define LFP_ADMIN_ANSWER_MAX  (64u * 1024 * 1024)

/**
 * lfp_admin_ask() - ask a daemon
 * @path:	its socket
 * @request:	one line without newline
 * @answer:	set to the whole answer, NUL-terminated, to be freed by the caller
 *
 * Waits up to 10 seconds for the next bytes, a minute for all.
 *
 * Return: 0 (the answer may be an error line), or a negative errno.
 */
int lfp_admin_ask(const char *path, const char *request, char **answer);

/* The value of the first line with @key, copied to @out (at most @room with NUL); -ENOENT if none.
 */
int lfp_admin_value(const char *answer, const char *key, char *out, size_t room);

/**
 * lfp_admin_each() - walk the lines
 * @at:		start with the answer; moved on
 * @key, @value: set to copies in the caller's buffers
 *
 * Return: 1 for a line, 0 at the end.
 */
int lfp_admin_each(const char **at, char *key, size_t key_room, char *value, size_t value_room);

#endif
