/* SPDX-License-Identifier: Apache-2.0 */
/* failing.c - runs a short program again and again, each time with another failing system call
 *
 *	failing CTL SEED PART PID|FILE COMMAND...
 *
 * CTL is the control channel of an instance. Runs COMMAND once for each system call, each of its
 * errors, and each n up to the number of such calls. The n-th such call fails in the process PID,
 * or in those of COMMAND's processes that run FILE. With PART only one of PART cases is run, chosen
 * by SEED. Prints a table of calls by errors. After each case the path must be up, and the stream
 * of a bystander must carry bytes.
 *
 * FAILING_ONLY=CALL[,ERROR[,N]] repeats some cases. FAILING_WITHOUT="CALL,ERROR ..." leaves some
 *out.
 *
 * Exits with 1 if a process crashes, if a program hangs or reads wrong bytes, or if an error that
 * passes ends the stream of the bystander.
 */
#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/campaign/failing/failing.h"
#include "tests/campaign/machines/machines.h"
#include "tests/system/tool.h"

enum { MOST_N = 60, DEADLINE_MS = 8000, MOST_FAULTS = 25 };

enum outcome { DONE, FAILED, LATE, WRONG, CRASHED, HUNG, OUTCOMES };
static const char *const outcome_names[] = {"done", "failed", "late", "wrong", "crashed", "hung"};

static struct world world;
static struct bystander bystander;
static char **command;
static pid_t target; /* 0: processes of the command */
static unsigned int faults, bystanders_lost;
static bool path_is_gone; /* for good */
static uint64_t nr_checks;

/* Waits for a byte or the end of file on @go, then executes the command. */
static _Noreturn void become_command(int go)
{
	int null = open("/dev/null", O_RDWR);
	char byte;

	(void)dup2(null, 0);
	if (!getenv("FAILING_TELLS")) {
		(void)dup2(null, 1);
		(void)dup2(null, 2);
	}
	(void)!read(go, &byte, 1);
	execvp(command[0], command);
	_exit(127);
}

/* Starts the command as a grandchild: main() would get the stops of a traced child. Returns the
 * child, which ends as the command does, and sets @pid to the grandchild. */
static pid_t start(pid_t *pid)
{
	int go[2], tell[2], status;
	pid_t child;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(tell, O_CLOEXEC) < 0 || (child = fork()) < 0)
		die("no child");
	if (child == 0) {
		close(go[1]);
		*pid = fork();
		if (*pid == 0)
			become_command(go[0]);
		if (write(tell[1], pid, sizeof(*pid)) < 0 || waitpid(*pid, &status, 0) < 0)
			_exit(127);
		_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	}
	close(go[0]);
	close(tell[1]);
	if (read(tell[0], pid, sizeof(*pid)) != sizeof(*pid))
		die("no grandchild");
	if (!target)
		tracer_attach(*pid);
	close(go[1]);
	close(tell[0]);
	return child;
}

static enum outcome run(void)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	pid_t pid, child = start(&pid);
	int status;

	while (waitpid(child, &status, WNOHANG | __WNOTHREAD) == 0) {
		if (now_ms() > deadline) {
			kill(pid, SIGKILL);
			waitpid(child, &status, __WNOTHREAD);
			return HUNG;
		}
		usleep(500);
	}
	if (WEXITSTATUS(status) > 128)
		return CRASHED;
	switch (WEXITSTATUS(status)) {
	case 0:
		return DONE;
	case 2:
		return LATE;
	case 3:
		return WRONG;
	default:
		return FAILED;
	}
}

static bool path_comes(void)
{
	static struct lfp_ctl_request ping;

	for (int64_t end = now_ms() + DEADLINE_MS; now_ms() < end; usleep(5000)) {
		ping = (struct lfp_ctl_request){.op = LFP_CTL_PING};
		if (ctl_ask(&world, &ping, -1, NULL) == 0)
			return true;
	}
	return false;
}

/* Returns false if the bystander was lost, after starting another one. */
static bool bystander_stays(void)
{
	if (path_comes() && bystander_is_well(&bystander, nr_checks++))
		return true;
	bystanders_lost++;
	close(bystander.near);
	close(bystander.host);
	if (path_comes())
		bystander_begin(&world, &bystander);
	else
		path_is_gone = true;
	return false;
}

static void fault(const struct failing_call *call, int error, unsigned int n, const char *what)
{
	printf("FAULT %s %s, call %u on %s: %s\n", call->name, failure_name(call, error), n,
	       tracer_file(), what);
	faults++;
}

static void try_one(const struct failing_call *call, int error, unsigned int n,
		    unsigned int outcomes[static OUTCOMES], unsigned int *lost)
{
	static int crashes;
	enum outcome outcome;
	bool stays;

	tracer_order(call->nr, error, n);
	outcome = run();
	if (!tracer_has_failed())
		return;
	outcomes[outcome]++;
	if (tracer_crash() != crashes && outcome != CRASHED)
		outcome = CRASHED;
	crashes = tracer_crash();
	stays = bystander_stays();
	*lost += !stays;
	if (outcome >= WRONG || (outcome == LATE && failure_is_passing(call, error)))
		fault(call, error, n, outcome_names[outcome]);
	if (!stays && failure_is_passing(call, error))
		fault(call, error, n, "the bystander is lost");
	if (path_is_gone) {
		fault(call, error, n,
		      target && tracer_has_ended(target) ? "the daemon has ended"
							 : "the path does not come back");
		exit(1);
	}
}

/* Returns true if FAILING_WITHOUT has "@call,@error". */
static bool is_left_out(const char *call, const char *error)
{
	const char *without = getenv("FAILING_WITHOUT");
	char text[64];

	snprintf(text, sizeof(text), " %s,%s ", call, error);
	return without && strstr(without, text);
}

static bool is_chosen(uint64_t seed, unsigned long part, const struct failing_call *call, int error,
		      unsigned int n)
{
	uint64_t hash = seed ^ (uint64_t)call->nr << 32 ^ (uint64_t)error << 16 ^ n;
	const char *only = getenv("FAILING_ONLY");
	char text[64];

	snprintf(text, sizeof(text), "%s,%s,%u", call->name, failure_name(call, error), n);
	if (is_left_out(call->name, failure_name(call, error)))
		return false;
	if (only)
		return !strncmp(text, only, strlen(only));
	hash = (hash ^ hash >> 31) * 0x9E3779B97F4A7C15u;
	hash = (hash ^ hash >> 29) * 0xD1B54A32D192ED03u;
	return (hash >> 33) % part == 0;
}

static unsigned int try_error(const struct failing_call *call, int error, unsigned int count,
			      uint64_t seed, unsigned long part)
{
	unsigned int outcomes[OUTCOMES] = {0}, cases = 0, lost = 0;

	for (unsigned int n = 1; n <= count && n <= MOST_N && faults < MOST_FAULTS; n++)
		if (is_chosen(seed, part, call, error, n))
			try_one(call, error, n, outcomes, &lost);
	for (unsigned int i = 0; i < OUTCOMES; i++)
		cases += outcomes[i];
	if (!cases)
		return 0;
	printf("%-18s %-14s %3u", call->name, failure_name(call, error), cases);
	for (unsigned int i = 0; i < OUTCOMES; i++)
		if (outcomes[i])
			printf("  %s %u", outcome_names[i], outcomes[i]);
	if (lost)
		printf("  path or bystander lost %u", lost);
	printf("\n");
	return cases;
}

int main(int argc, char **argv)
{
	static unsigned int counts[CALLS_MAX];
	unsigned int cases = 0;
	uint64_t seed;
	unsigned long part;

#ifndef __x86_64__
	printf("only for x86-64\n");
	return 77;
#endif
	if (argc < 6)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	world.ctl_path = argv[1];
	seed = number(argv[2]);
	part = number(argv[3]);
	command = argv + 5;
	if (isdigit((unsigned char)*argv[4]))
		target = (pid_t)number(argv[4]);
	tracer_begin(target ? NULL : argv[4]);
	bystander_begin(&world, &bystander);
	if (target)
		tracer_attach(target);
	for (int i = 0; i < 2; i++) { /* the first run may make calls whose results are kept */
		tracer_order(-1, 0, 0);
		if (run() != DONE)
			die("without a fault the command should work");
	}
	for (const struct failing_call *call = failing_calls; call->name; call++)
		counts[call->nr] = tracer_count(call->nr);
	for (const struct failing_call *call = failing_calls; call->name; call++)
		for (const int *error = call->errors; error < call->errors + ERRORS_MAX && *error;
		     error++)
			cases += try_error(call, *error, counts[call->nr], seed, part);
	printf("%s: %u cases, %u of them end the path or the bystander, %u faults\n", argv[4],
	       cases, bystanders_lost, faults);
	return faults != 0;
}
