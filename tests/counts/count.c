/* SPDX-License-Identifier: Apache-2.0 */
/* count.c - counts the system calls and wake-ups of a program, of daemons and of a far end */

/*
 *	count [NAME=PID...] -- FAR [ARGUMENT...] -- PROGRAM [ARGUMENT...]
 *
 * Traces the processes (with their threads and descendants) and runs both programs, all in one
 *order that does not depend on the machine's load. Between the first and the last MARK_WINDOW of
 *PROGRAM (mark.h) it counts. Prints a line for each process and call: "NAME CALL MEDIAN LEAST MOST"
 *of the windows, with tabs. Exit code 77 if it may not trace, else 0 if PROGRAM ended with 0. All
 *processes have to share one CPU: taskset(1).
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/counts/tracer/tally.h"
#include "tests/counts/tracer/threads.h"
#include "tests/counts/tracer/turns.h"

static int usage(void)
{
	fputs("usage: count [NAME=PID...] -- FAR [ARGUMENT...] -- PROGRAM [ARGUMENT...]\n", stderr);
	return 64;
}

/* Starts a program that is traced from its first call. */
static pid_t start(char **argv, const char *name)
{
	int gate[2];
	pid_t pid;
	char byte;

	if (pipe(gate) < 0 || (pid = fork()) < 0)
		err(1, "fork");
	if (!pid) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) < 0)
			err(1, "read");
		close(gate[0]);
		dup2(STDERR_FILENO, STDOUT_FILENO); /* where the table goes */
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	close(gate[0]);
	threads_seize(pid, group_find(name));
	close(gate[1]);
	return pid;
}

/* Returns the first "--" of @argv, which becomes its end, or NULL. */
static char **split(char **argv)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, "--") != 0)
			continue;
		*argv = NULL;
		return argv;
	}
	return NULL;
}

/* Returns the process, 0 if the text is not NAME=PID; its name is cut off there. */
static pid_t parse_pid(char *text)
{
	char *equals = strchr(text, '='), *end;
	long pid;

	if (!equals)
		return 0;
	*equals = 0;
	pid = strtol(equals + 1, &end, 10);
	return *end || pid < 1 ? 0 : (pid_t)pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	char **far_end = split(argv + 1), **program = far_end ? split(far_end + 1) : NULL;
	pid_t pid, far_pid;
	int code;

	(void)argc;
	if (!program || !far_end[1] || !program[1])
		return usage();
	for (char **arg = argv + 1; *arg; arg++) {
		if (!(pid = parse_pid(*arg)))
			return usage();
		threads_seize(pid, group_find(*arg));
	}
	far_pid = start(far_end + 1, "far");
	pid = start(program + 1, "program");
	code = turns_run(pid, group_find("program"));
	threads_release();
	stop(far_pid);
	if (code)
		errx(1, "%s: exit code %d", program[1], code);
	if (!tally_print())
		errx(1, "%s: no window", program[1]);
	return 0;
}
