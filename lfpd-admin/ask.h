/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - a question to an instance, and what to say if there is no answer */
#ifndef LFPD_ADMIN_ASK_H
#define LFPD_ADMIN_ASK_H

/* Why there is no answer: a message, and the exit code of the program. */
struct ask_error {
	const char *id;
	char text[512];
	int exit;
};

/**
 * ask() - ask the instance @name
 * @request:	see lfp/admin-request.h
 * @answer:	set, if 0 is returned, to all lines, of which the first is "ok"; to be freed by
 * ask_forget()
 *
 * Return: 0, or -1 with @error filled.
 */
int ask(const char *name, const char *request, char **answer, struct ask_error *error);

void ask_forget(char *answer);

/* Print the message; returns error->exit. */
int ask_say(const struct ask_error *error);

#endif
