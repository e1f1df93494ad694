/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - messages to people, with ids */
#include "lfp/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* The longest line; the rest is cut. It is below PIPE_BUF, so that lines of several processes in
 * one pipe never mix (pipe(7)). */
#define LINE_SIZE 2048

static struct {
	const char *program;
	enum lfp_log_target target;
	int fd;       /* of LFP_LOG_FILE */
	int also;     /* of lfp_log_also(), -1: none */
	bool journal; /* standard error is the journal: lines start with <n> */
	bool (*send)(int priority, const char *id, const char *text); /* to the journal, or NULL */
	bool no_warnings;
	bool info;
	bool debug;
	char error[LINE_SIZE]; /* the newest one */
} state = {.fd = -1, .also = -1, .info = true};

/* JOURNAL_STREAM is "device:inode" of the stream that systemd gave; children that redirect standard
 * error inherit the variable, so only a match counts (systemd.exec(5)). */
static bool stderr_is_journal(void)
{
	const char *text = getenv("JOURNAL_STREAM");
	char mine[64];
	struct stat st;

	if (!text || fstat(STDERR_FILENO, &st) < 0)
		return false;
	snprintf(mine, sizeof(mine), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	return !strcmp(text, mine);
}

static int open_file(const char *file)
{
	/* The directory may be another user's. */
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW;
	int fd = open(file, flags, 0644);

	return fd < 0 ? -errno : fd;
}

int lfp_log_open(const char *program, enum lfp_log_target target, const char *file)
{
	int fd = -1;

	if (target == LFP_LOG_FILE) {
		fd = open_file(file);
		if (fd < 0)
			return fd;
	}
	if (state.fd >= 0)
		close(state.fd);
	if (state.target == LFP_LOG_SYSLOG)
		closelog();
	state.fd = fd;
	state.program = program;
	state.target = target;
	state.journal = target == LFP_LOG_STDERR && stderr_is_journal();
	if (target == LFP_LOG_SYSLOG)
		openlog(program, LOG_PID, LOG_DAEMON);
	return 0;
}

int lfp_log_also(const char *file)
{
	if (state.also >= 0)
		close(state.also);
	state.also = file ? open_file(file) : -1;
	return file && state.also < 0 ? state.also : 0;
}

void lfp_log_set_warnings(bool show)
{
	state.no_warnings = !show;
}

void lfp_log_set_journal(bool (*send)(int priority, const char *id, const char *text))
{
	state.send = send;
}

void lfp_log_set_info(bool show)
{
	state.info = show;
}

void lfp_log_set_debug(bool show)
{
	state.debug = show;
}

/* "2012-04-16T09:30:00.123Z lfpd[4711]: " */
static size_t put_file_prefix(char *buf, size_t size)
{
	struct timespec now;
	struct tm tm;
	size_t len;
	int rc;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!gmtime_r(&now.tv_sec, &tm))
		memset(&tm, 0, sizeof(tm));
	len = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	rc = snprintf(buf + len, size - len, ".%03ldZ %.64s[%ld]: ", now.tv_nsec / 1000000,
		      state.program ? state.program : "-", (long)getpid());
	return len + (size_t)(rc > 0 ? rc : 0);
}

/* Text from outside must not forge a line or drive a terminal. */
static void make_printable(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			*text = '?';
	}
}

/* A failed write cannot be reported anywhere. */
static void write_line(int fd, const char *line, size_t len)
{
	ssize_t rc;

	do
		rc = write(fd, line, len);
	while (rc < 0 && errno == EINTR);
}

void lfp_log_also_line(const char *text)
{
	char line[LINE_SIZE];
	size_t prefix, len;
	int saved = errno;

	if (state.also < 0)
		return;
	prefix = put_file_prefix(line, sizeof(line));
	snprintf(line + prefix, sizeof(line) - prefix - 1, "%s", text);
	make_printable(line + prefix);
	len = strlen(line);
	line[len++] = '\n';
	write_line(state.also, line, len);
	errno = saved;
}

static void __attribute__((format(printf, 3, 0)))
put(int priority, const char *id, const char *fmt, va_list ap)
{
	char line[LINE_SIZE];
	size_t prefix = 0;
	size_t room, len;

	if (state.target == LFP_LOG_FILE)
		prefix = put_file_prefix(line, sizeof(line));
	else if (state.target == LFP_LOG_STDERR && state.journal)
		prefix = (size_t)snprintf(line, sizeof(line), "<%d>", priority);

	room = sizeof(line) - prefix - 1; /* the newline takes the place of the NUL */
	len = (size_t)snprintf(line + prefix, room, "%s%s", id, *id ? " " : "");
	if (vsnprintf(line + prefix + len, room - len, fmt, ap) < 0)
		line[prefix + len] = '\0';
	make_printable(line + prefix);
	lfp_log_also_line(line + prefix);
	if (priority == LOG_ERR)
		strcpy(state.error, line + prefix);

	if (state.send && (state.target == LFP_LOG_SYSLOG || state.journal) &&
	    state.send(priority, id, line + prefix))
		return;
	if (state.target == LFP_LOG_SYSLOG) {
		syslog(priority, "%s", line);
		return;
	}
	len = strlen(line);
	line[len++] = '\n';
	write_line(state.target == LFP_LOG_FILE ? state.fd : STDERR_FILENO, line, len);
}

void lfp_msg(const char *id, const char *fmt, ...)
{
	size_t len = strlen(id);
	char severity = len ? id[len - 1] : 'E';
	int priority = severity == 'I' ? LOG_INFO : severity == 'W' ? LOG_WARNING : LOG_ERR;
	int saved = errno;
	va_list ap;

	if ((severity == 'I' && !state.info) || (severity == 'W' && state.no_warnings))
		return;
	va_start(ap, fmt);
	put(priority, id, fmt, ap);
	va_end(ap);
	errno = saved;
}

void lfp_msg_always(const char *id, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	put(LOG_INFO, id, fmt, ap);
	va_end(ap);
	errno = saved;
}

const char *lfp_log_error(void)
{
	return state.error;
}

void lfp_debug(const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (!state.debug)
		return;
	va_start(ap, fmt);
	put(LOG_DEBUG, "", fmt, ap);
	va_end(ap);
	errno = saved;
}
