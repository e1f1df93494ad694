/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.c - lfp-run stays until the program has ended, and takes the log of its private instance
 */
#include "lfp-run/waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp-run/summary.h"

/*
 * Theory of operation
 *
 * lfpd writes the log to a pipe. The parent copies the lines to the file of --log with the rights
 * of the caller, and adds them up for --summary. The keeper ends lfpd when the program has ended;
 * the end of the pipe says that nothing of the instance is left.
 *
 * Signals from the terminal reach the program by themselves. Those that a process sends to the
 * parent are passed on. If the program stops, the parent stops, so that a shell sees it.
 */

#define LINE_MAX_ 8192u
#define PIPE_SIZE (1 << 20)

static const int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
				SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

struct reader {
	int fd, file; /* file: -1 for none, and after an error */
	const char *file_name;
	struct summary *summary;
	size_t len;
	char line[LINE_MAX_ + 1];
};

/* Returns 0 or a positive errno. */
static int write_all(int fd, const char *bytes, size_t len)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			/* The program may have set O_NONBLOCK: it has the same standard error. */
			(void)poll(&room, 1, -1);
		} else if (n == 0 || errno != EINTR) {
			return n ? errno : EIO;
		}
	}
	return 0;
}

static void write_file(struct reader *reader, const char *bytes, size_t len)
{
	int error = reader->file < 0 ? 0 : write_all(reader->file, bytes, len);

	if (!error)
		return;
	lfp_msg("VLFB741W", "The log ends here: cannot write to %s: %s.", reader->file_name,
		strerror(error));
	/* The next record would be joined to a part of this one. */
	close(reader->file);
	reader->file = -1;
}

/* Takes the whole lines in the buffer. */
static void take_lines(struct reader *reader)
{
	char *at = reader->line, *end;

	reader->line[reader->len] = '\0';
	while ((end = memchr(at, '\n', reader->len - (size_t)(at - reader->line)))) {
		write_file(reader, at, (size_t)(end + 1 - at));
		*end = '\0';
		if (reader->summary)
			summary_add(reader->summary, at);
		at = end + 1;
	}
	reader->len -= (size_t)(at - reader->line);
	memmove(reader->line, at, reader->len);
	/* No line is so long. */
	if (reader->len == LINE_MAX_)
		reader->len = 0;
}

/* Returns false at the end of the log. */
static bool read_log(struct reader *reader)
{
	ssize_t n = read(reader->fd, reader->line + reader->len, LINE_MAX_ - reader->len);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	reader->len += (size_t)n;
	take_lines(reader);
	return n > 0;
}

static void take_signal(int signals, pid_t child)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) != sizeof(info) || info.ssi_signo == SIGCHLD)
		return;
	/* SI_KERNEL: from the terminal, whose other processes have got it, too */
	if (info.ssi_code <= 0 && child > 0)
		kill(child, (int)info.ssi_signo);
}

/* Looks at the child. Returns true, with @status set, when it has ended. */
static bool look(pid_t child, int *status)
{
	pid_t found;

	while ((found = waitpid(child, status, WNOHANG | WUNTRACED)) > 0) {
		if (!WIFSTOPPED(*status))
			return true;
		raise(SIGSTOP);
		kill(child, SIGCONT);
	}
	return found < 0 && errno == ECHILD;
}

/* Ends as the child did. */
static void __attribute__((noreturn)) end_as(int status)
{
	const struct rlimit none = {0, 0};
	sigset_t set;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	/* Its own core file, if any, is the one that counts. */
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	raise(WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	exit(128 + WTERMSIG(status));
}

static void print_summary(const struct summary *summary)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	summary_print(summary, out);
	if (!fclose(out))
		(void)write_all(STDERR_FILENO, text, len);
	free(text);
}

static void __attribute__((noreturn)) wait_for(struct reader *reader, pid_t child, int signals)
{
	struct pollfd fds[] = {{.fd = reader->fd, .events = POLLIN},
			       {.fd = signals, .events = POLLIN}};
	bool ended = false;
	int status = 0;

	while (!ended || fds[0].fd >= 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents & POLLIN)
			take_signal(signals, ended ? 0 : child);
		ended = ended || look(child, &status);
		if ((fds[0].revents & (POLLIN | POLLHUP)) && !read_log(reader))
			fds[0].fd = -1;
	}
	if (reader->summary)
		print_summary(reader->summary);
	end_as(status);
}

/* Opens what the parent needs. Returns 0, or an exit code after a message. */
static int prepare(const struct waiter *waiter, struct reader *reader)
{
	reader->file_name = waiter->file;
	if (waiter->file && !strcmp(waiter->file, "-"))
		reader->file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	else if (waiter->file)
		reader->file = open(waiter->file,
				    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (waiter->file && reader->file < 0) {
		lfp_msg("VLFB740E", "Cannot open the log %s: %s.", waiter->file, strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (waiter->summary)
		reader->summary = summary_create();
	return 0;
}

int waiter_fork(struct waiter *waiter, int *log)
{
	static struct reader reader = {.file = -1};
	int ends[2], signals, rc = prepare(waiter, &reader);
	sigset_t set, old;
	pid_t child;

	if (rc)
		return rc;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, &old);
	waiter->parent = getpid();
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	child = signals < 0 || pipe2(ends, O_CLOEXEC) ? -1 : fork();
	if (child < 0) {
		lfp_msg("VLFB742E", "Cannot wait for the program: %s.", strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (!child) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		close(ends[0]);
		close(signals);
		if (reader.file >= 0)
			close(reader.file);
		summary_destroy(reader.summary);
		*log = ends[1];
		return 0;
	}
	close(ends[1]);
	/* A caller may ignore it: then nobody would see how the program ends. */
	signal(SIGCHLD, SIG_DFL);
	/* A reader of the log that has gone is no reason to end the program. */
	signal(SIGPIPE, SIG_IGN);
	(void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
	reader.fd = ends[0];
	wait_for(&reader, child, signals);
}

void waiter_bind(const struct waiter *waiter)
{
	/* The parent may have ended before. */
	if (waiter->parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != waiter->parent))
		_exit(LFP_EXIT_UNAVAILABLE);
}
