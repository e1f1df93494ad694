/* SPDX-License-Identifier: Apache-2.0 */
/* console.h - the console log, to which LOGALL sends what commands and instances say */
#ifndef IJBLFP_OPER_CONSOLE_H
#define IJBLFP_OPER_CONSOLE_H

/*
 * z/VSE's system console is one for all jobs; here it is a file, RUN/vselfp/console, that is
 * appended to. That LOGALL means it is a choice of this project.
 */

/* Send messages there too from now on; warns if that can't be. @id: the instance that the message
 * is about, "" for none; NULL: no more. */
void console_log(const char *id);

/* Each line of a text goes there, if messages do. */
void console_text(const char *text);

#endif
