/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - the process that starts and ends the processes of the program's own TCP/IP stack */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lfp-run/environment.h"
#include "lfp-run/partition.h"

/* ms */
#define START_MS 30000 /* until lfpd or lfp-stack is ready; its device may be in use */
#define UP_MS    10000 /* until the instance has its path */
#define DRAIN_MS 10000 /* until the program's last data is sent */
#define END_MS   15000 /* until lfpd or lfp-stack has ended; it may still send */
#define STEP_MS  10

/* A process of the partition. */
struct part_process {
	pid_t pid;
	int pidfd;
};

struct keeper {
	struct partition *part;
	struct part_process peer, instance; /* peer: lfpd, which hosts the instance, or lfp-stack */
	int notify;                         /* socket for READY=1 of the peer */
};

static bool hosts_instance(const struct keeper *keeper)
{
	return keeper->part->stack == MUX_STACK_HOST;
}

/* The process with the instance. */
static struct part_process *front(struct keeper *keeper)
{
	return hosts_instance(keeper) ? &keeper->peer : &keeper->instance;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Fills @path with that of a program of this installation: beside lfp-run, else in
 * VSELFPD_SBINDIR. */
static void find_program(char path[static PATH_MAX], const char *name)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (len > 0) {
		exe[len] = '\0';
		slash = strrchr(exe, '/');
		if (slash)
			*slash = '\0';
		if (snprintf(path, PATH_MAX, "%s/%s", exe, name) < PATH_MAX && !access(path, X_OK))
			return;
	}
	snprintf(path, PATH_MAX, VSELFPD_SBINDIR "/%s", name);
}

/* Executes a program, in the child. All programs write their messages to one file. Its last line is
 * the reason if a start fails. */
static void become(const struct keeper *keeper, pid_t parent, const char *name, char *const *argv)
{
	char path[PATH_MAX], log[LFP_PLACE_MAX + 32];
	int fd;

	snprintf(log, sizeof(log), "%s/log", keeper->part->dir);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
	find_program(path, name);
	/* Ignored signals stay ignored, and end_all() may come before this program has a handler.
	 */
	signal(SIGTERM, SIG_DFL);
	/* If the keeper is killed, this process ends, too (prctl(2), PR_SET_PDEATHSIG). */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	if (keeper->part->log >= 0 && !strcmp(name, "lfpd"))
		(void)fcntl(keeper->part->log, F_SETFD, 0);
	if (environment_no_preload() < 0 || setenv("LFP_ROOT", keeper->part->dir, 1) ||
	    unsetenv(MUX_STACK_VARIABLE) || unsetenv("JOURNAL_STREAM"))
		_exit(1);
	execv(path, argv);
	dprintf(STDERR_FILENO, "%s: %s\n", path, strerror(errno));
	_exit(1);
}

static int spawn(struct keeper *keeper, struct part_process *process, const char *name,
		 char *const *argv)
{
	pid_t self = getpid();

	process->pidfd = -1;
	process->pid = fork();
	if (process->pid == 0)
		become(keeper, self, name, argv);
	if (process->pid > 0)
		process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	return process->pidfd < 0 ? -errno : 0;
}

/* Waits until the process has ended, at most @ms. Returns true if it has. */
static bool has_ended(const struct part_process *process, long ms)
{
	struct pollfd poll_fd = {.fd = process->pidfd, .events = POLLIN};

	return process->pid <= 0 || (process->pidfd >= 0 && poll(&poll_fd, 1, (int)ms) > 0);
}

static void end_process(struct part_process *process, long ms)
{
	if (process->pid <= 0)
		return;
	if (!has_ended(process, ms))
		kill(process->pid, SIGKILL);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pid = 0;
}

static int open_notify(struct keeper *keeper)
{
	struct sockaddr_un addr;
	char path[LFP_PLACE_MAX + 32];
	int rc;

	snprintf(path, sizeof(path), "%s/notify", keeper->part->dir);
	rc = lfp_unix_addr(&addr, path);
	if (rc < 0)
		return rc;
	keeper->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (keeper->notify < 0 ||
	    bind(keeper->notify, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    setenv("NOTIFY_SOCKET", path, 1))
		return -errno;
	return 0;
}

/* Waits for READY=1 of the peer. Returns false if the peer or the program ends first. */
static bool is_ready(struct keeper *keeper)
{
	struct pollfd fds[] = {{.fd = keeper->notify, .events = POLLIN},
			       {.fd = keeper->peer.pidfd, .events = POLLIN},
			       {.fd = keeper->part->program, .events = POLLIN}};
	long end = now_ms() + START_MS;
	char text[512];
	ssize_t n;

	for (long left = START_MS; left > 0; left = end - now_ms()) {
		if (poll(fds, 3, (int)left) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents & POLLIN) {
			n = recv(keeper->notify, text, sizeof(text) - 1, MSG_DONTWAIT);
			text[n > 0 ? n : 0] = '\0';
			if (strstr(text, "READY=1"))
				return true;
		} else if (fds[1].revents || fds[2].revents) {
			return false;
		}
	}
	return false;
}

/* Nobody reads it any more: a sender must not wait until it has room. */
static bool close_notify(struct keeper *keeper)
{
	close(keeper->notify);
	keeper->notify = -1;
	return true;
}

static int make_peer_dir(const struct partition *part, char path[static LFP_PLACE_MAX + 64])
{
	snprintf(path, LFP_PLACE_MAX + 64, "%s/run/vselfpd/" PARTITION_NAME "/path", part->dir);
	return lfp_place_make_parent(path);
}

static bool start_peer(struct keeper *keeper)
{
	char path[LFP_PLACE_MAX + 64], pid[16];
	char *lfpd[] = {(char[]){"lfpd"},
			(char[]){"-d"},
			(char[]){"--vmid"},
			(char[]){PARTITION_VMID},
			(char[]){"-f"},
			keeper->part->conf,
			NULL};
	char *stack[] = {(char[]){"lfp-stack"}, keeper->part->conf, path, pid, NULL};
	bool host = hosts_instance(keeper);

	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	return make_peer_dir(keeper->part, path) == 0 && open_notify(keeper) == 0 &&
	       spawn(keeper, &keeper->peer, host ? "lfpd" : "lfp-stack", host ? lfpd : stack) ==
		       0 &&
	       is_ready(keeper) && unsetenv("NOTIFY_SOCKET") == 0 && close_notify(keeper);
}

static bool spawn_instance(struct keeper *keeper)
{
	char statements[LFP_PLACE_MAX + 32];
	char *argv[] = {(char[]){"ijblfpop"},
			(char[]){"-d"},
			(char[]){"--vmid"},
			(char[]){PARTITION_VMID},
			(char[]){"START"},
			statements,
			NULL};

	snprintf(statements, sizeof(statements), "%s/etc/vselfp/lfp-%s.conf", keeper->part->dir,
		 keeper->part->nn);
	return spawn(keeper, &keeper->instance, "ijblfpop", argv) == 0;
}

/* Starts the instance, unless lfpd hosts it, and waits for its path. */
static bool start_instance(struct keeper *keeper)
{
	char ctl[LFP_PLACE_MAX + 32];
	long end = now_ms() + UP_MS;

	if (!hosts_instance(keeper) && !spawn_instance(keeper))
		return false;
	snprintf(ctl, sizeof(ctl), "%s/run/vselfp/%s/ctl", keeper->part->dir, keeper->part->nn);
	while (instance_ping(ctl, UP_MS / 1000)) {
		if (has_ended(front(keeper), STEP_MS) || now_ms() > end)
			return false;
	}
	return true;
}

/* Stops the instance: it ends after the program's tasks and sockets, and so sends the last data. */
static void drain(struct keeper *keeper)
{
	char *argv[] = {(char[]){"ijblfpop"}, (char[]){"STOP"}, keeper->part->nn, NULL};
	struct part_process stop = {0};

	if (front(keeper)->pid > 0 && !has_ended(front(keeper), 0) &&
	    spawn(keeper, &stop, "ijblfpop", argv) == 0)
		end_process(&stop, DRAIN_MS);
}

static void end_all(struct keeper *keeper)
{
	end_process(&keeper->instance, 0);
	/* lfp-stack ends with the path, when it has sent everything. */
	if (hosts_instance(keeper) && keeper->peer.pid > 0)
		kill(keeper->peer.pid, SIGTERM);
	end_process(&keeper->peer, END_MS);
	partition_remove(keeper->part->dir);
}

static void keep(struct keeper *keeper)
{
	struct pollfd fds[] = {{.fd = keeper->part->program, .events = POLLIN},
			       {.fd = keeper->peer.pidfd, .events = POLLIN},
			       {.fd = keeper->instance.pidfd, .events = POLLIN}};

	while (poll(fds, 3, -1) < 0 && errno == EINTR)
		;
	drain(keeper);
}

/* Leaves the program's session, signals and descriptors. Moves the kept descriptors to 3 and up. */
static void detach(struct partition *part, int *tell)
{
	static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
				      SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM};
	int kept[] = {*tell, -1, part->program, part->log}, null;
	sigset_t none;

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int i = 0; i < 4; i++)
		kept[i] = kept[i] < 0 ? -1 : fcntl(kept[i], F_DUPFD_CLOEXEC, 100);
	close_range(0, 99, 0);
	null = open("/dev/null", O_RDWR);
	for (int fd = 1; fd <= 2; fd++)
		dup2(null, fd);
	for (int i = 0; i < 4; i++)
		kept[i] = kept[i] < 0 ? -1 : dup3(kept[i], 3 + i, O_CLOEXEC);
	close_range(7, ~0u, 0);
	*tell = 3;
	part->program = 5;
	part->log = kept[3]; /* PARTITION_LOG_FD */
	umask(022);
	(void)!chdir("/");
}

/* Writes the reason to @tell: the last line of the log, or @otherwise if the log is empty. */
static void tell_why(const struct keeper *keeper, int tell, const char *otherwise)
{
	char path[LFP_PLACE_MAX + 32], line[1024], last[1024] = "";
	FILE *in;

	snprintf(path, sizeof(path), "%s/log", keeper->part->dir);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (*line != '\n')
			memcpy(last, line, sizeof(last));
	if (in)
		fclose(in);
	last[strcspn(last, "\n")] = '\0';
	dprintf(tell, "%s", *last ? last : otherwise);
}

static int run(struct partition *part, int tell)
{
	struct keeper keeper = {.part = part, .notify = -1, .instance = {.pidfd = -1}};
	char why[PATH_MAX];
	bool peer, up;

	if (partition_make(part, why)) {
		dprintf(tell, "%s", why);
		close(tell);
		return 1;
	}
	peer = start_peer(&keeper);
	up = peer && start_instance(&keeper);
	if (up)
		(void)!write(tell, "", 1);
	else
		tell_why(&keeper, tell,
			 peer ? "its LFP instance has no path" : "it was not ready in time");
	close(tell);
	if (up)
		keep(&keeper);
	end_all(&keeper);
	return !up;
}

/* Starts the keeper, and becomes the sweeper. If the keeper is killed, PR_SET_PDEATHSIG ends its
 * processes, and the sweeper becomes their parent (prctl(2), PR_SET_CHILD_SUBREAPER). */
static int run_swept(struct partition *part, int tell)
{
	pid_t child;

	detach(part, &tell);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child == 0)
		return run(part, tell);
	if (child < 0)
		dprintf(tell, "fork: %s", strerror(errno));
	close(tell);
	while (waitpid(-1, NULL, 0) > 0)
		;
	partition_remove(part->dir);
	return child < 0;
}

/* Reads the keeper's answer: a NUL byte, or the reason. */
static int hear(int fd, char why[static PATH_MAX])
{
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && used < PATH_MAX - 1) {
		n = read(fd, why + used, PATH_MAX - 1 - used);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			used += (size_t)n;
	}
	why[used] = '\0';
	if (used == 1 && !*why)
		return 0;
	if (!used)
		snprintf(why, PATH_MAX, "its keeper has ended unexpectedly");
	if (used > 1 && why[used - 1] == '.')
		why[used - 1] = '\0';
	return -1;
}

int keeper_start(struct partition *part, char why[static PATH_MAX])
{
	int ends[2], rc;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		snprintf(why, PATH_MAX, "pipe: %s", strerror(errno));
		return -1;
	}
	child = fork();
	if (child == 0) {
		/* Fork twice: the program may wait for all of its children, and the keeper must not
		 * be one. */
		child = fork();
		if (child == 0)
			_exit(run_swept(part, ends[1]));
		_exit(child < 0);
	}
	close(ends[1]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	rc = hear(ends[0], why);
	close(ends[0]);
	return rc;
}
