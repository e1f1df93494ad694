/* SPDX-License-Identifier: Apache-2.0 */
/* console.h - the console log, to which LOGALL copies the messages of commands and instances */
#ifndef IJBLFP_OPER_CONSOLE_H
#define IJBLFP_OPER_CONSOLE_H

/*
 * z/VSE's system console is one for all jobs. Here it is the file RUN/vselfp/console, to which
 * messages are appended. This meaning of LOGALL is a choice of this project.
 */

/* Copies messages to the console log from now on; warns if that fails. @id: the instance that the
 * messages are about, "" for none; NULL: stop copying. */
void console_log(const char *id);

/* Copies each line of a text to the console log, if messages go there. */
void console_text(const char *text);

#endif
