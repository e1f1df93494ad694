/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - messages to people, with ids */
#ifndef LFP_LOG_H
#define LFP_LOG_H

#include <stdbool.h>

/* Where messages go. Until lfp_log_open() is called they go to standard error. */
enum lfp_log_target {
	LFP_LOG_STDERR, /* foreground; with systemd's <n> priority prefix if JOURNAL_STREAM is set
			 */
	LFP_LOG_SYSLOG, /* daemon without systemd */
	LFP_LOG_FILE,   /* a file, appended to, each line with its UTC time */
};

/**
 * lfp_log_open() - choose where messages go
 * @program:	name shown with each message, not copied
 * @target:	where to
 * @file:	path for LFP_LOG_FILE, else NULL
 *
 * Return: 0, or a negative errno if the file can't be opened (messages then stay where they were).
 */
int lfp_log_open(const char *program, enum lfp_log_target target, const char *file);

/**
 * lfp_log_also() - a second place for all messages that are shown, a console log
 * @file:	appended to, as for LFP_LOG_FILE; NULL: none any more
 *
 * Return: 0, or a negative errno if the file can't be opened (then there is no second place).
 */
int lfp_log_also(const char *file);

/* A line of output that is no message, for the console log only. */
void lfp_log_also_line(const char *line);

/* Warnings (ids ending in W) are shown only if set; default true. */
void lfp_log_set_warnings(bool show);

/**
 * lfp_log_set_journal() - a way to the journal with more than a line of text
 * @send:	sends a message (@id may be ""); false: there is no journal, the line goes its usual
 * way
 *
 * Used instead of standard error where that is the journal, and instead of syslog.
 */
void lfp_log_set_journal(bool (*send)(int priority, const char *id, const char *text));

/* Informational messages (ids ending in I) are shown only if set; default true. */
void lfp_log_set_info(bool show);

/* lfp_debug() prints only if set; default false. */
void lfp_log_set_debug(bool show);

/**
 * lfp_msg() - one message
 * @id:	"VLFDnnns" or "VLFBnnns"; the last letter is the severity (I, W, E)
 * @fmt:	one sentence without newline, naming the object and the reason
 *
 * One line "ID text" is written with one write(2), at most 2 KB long; control characters become
 * '?'. A file's line starts with the time, the program and its process id. errno is preserved.
 */
void lfp_msg(const char *id, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Logs information that a person waits for, also if lfp_log_set_info() hides the rest. */
void lfp_msg_always(const char *id, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns the newest error (id ending in E) as "ID text"; "" if there was none. */
const char *lfp_log_error(void);

/* A line without id for developers, shown with -v. errno is preserved. */
void lfp_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
