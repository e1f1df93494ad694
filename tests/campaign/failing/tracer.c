/* SPDX-License-Identifier: Apache-2.0 */
/* tracer.c - a thread that traces processes (ptrace) and lets one of their system calls fail */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/campaign/failing/failing.h"
#include "tests/system/tool.h"

enum { TRACEES = 1024 };

/* Guards all variables below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static const char *only_file;
static pid_t wanted, ended[TRACEES];
static unsigned int nr_ended;
static int crash;
static struct inside *inside; /* NULL: there is none */

static struct {
	long nr;
	int error;
	unsigned int n, counts[CALLS_MAX];
	bool failed;
	char file[128];
} order = {.nr = -1};

static void on_kick(int sig)
{
	(void)sig;
}

#ifdef __x86_64__
/* Threads whose call fails when it returns; 0: a free place. */
static struct {
	pid_t tid;
	int error;
} failing[16];

static bool counts(pid_t tid)
{
	char path[64], file[256];
	const char *name;
	ssize_t n;

	if (!only_file)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	n = readlink(path, file, sizeof(file) - 1);
	if (n < 0)
		return false;
	file[n] = '\0';
	name = strrchr(file, '/');
	return name && !strcmp(name + 1, only_file);
}

static void note_file(pid_t tid, unsigned long fd)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", tid, fd);
	n = readlink(path, order.file, sizeof(order.file) - 1);
	order.file[n > 0 ? n : 0] = '\0';
}

/* Returns false for the cases that errors.c leaves out. */
static bool can_fail(void)
{
	return !((order.nr == SYS_write || order.nr == SYS_read) &&
		 strstr(order.file, "[eventfd]")) &&
	       !(order.nr == SYS_mmap && order.n == 1 && only_file);
}

static void fail_call(pid_t tid, struct user_regs_struct *regs)
{
	note_file(tid, (unsigned long)regs->rdi);
	if (!can_fail())
		return;
	for (size_t i = 0; i < sizeof(failing) / sizeof(*failing); i++) {
		if (failing[i].tid)
			continue;
		failing[i].tid = tid;
		failing[i].error = order.error;
		order.failed = true;
		/* Linux frees the descriptor even if close() fails (close(2)), so the call runs. */
		if (order.nr != SYS_close) {
			regs->orig_rax = (unsigned long)-1;
			ptrace(PTRACE_SETREGS, tid, NULL, regs);
		}
		return;
	}
}

static void return_error(pid_t tid, struct user_regs_struct *regs)
{
	for (size_t i = 0; i < sizeof(failing) / sizeof(*failing); i++) {
		if (failing[i].tid != tid)
			continue;
		failing[i].tid = 0;
		regs->rax = (unsigned long long)-failing[i].error;
		ptrace(PTRACE_SETREGS, tid, NULL, regs);
	}
}

static void on_call(pid_t tid)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0 ||
	    ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		return_error(tid, &regs);
		return;
	}
	if (regs.orig_rax >= CALLS_MAX || !counts(tid))
		return;
	order.counts[regs.orig_rax]++;
	if ((long)regs.orig_rax == order.nr && order.counts[order.nr] == order.n)
		fail_call(tid, &regs);
}
#else
static void on_call(pid_t tid)
{
	(void)tid;
}
#endif

static void attach_all(pid_t pid)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && ptrace(PTRACE_SEIZE, tid, NULL, options) == 0)
			ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	}
	if (dir)
		closedir(dir);
}

static bool is_crash(int sig)
{
	return sig == SIGSEGV || sig == SIGABRT || sig == SIGBUS || sig == SIGILL ||
	       sig == SIGFPE || sig == SIGSYS;
}

static void on_stop(pid_t tid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80)) {
		on_call(tid);
		sig = 0;
	} else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		return;
	} else if (event) {
		sig = 0;
	}
	ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(uintptr_t)sig);
}

static void *trace(void *arg)
{
	int status;
	pid_t tid;

	(void)arg;
	for (;;) {
		tid = waitpid(-1, &status, __WALL | __WNOTHREAD);
		pthread_mutex_lock(&lock);
		if (wanted)
			attach_all(wanted);
		wanted = 0;
		if (tid > 0 && WIFSTOPPED(status)) {
			on_stop(tid, status);
		} else if (tid > 0) {
			ended[nr_ended++ % TRACEES] = tid;
			if (WIFSIGNALED(status) && is_crash(WTERMSIG(status)))
				crash = WTERMSIG(status);
		}
		pthread_mutex_unlock(&lock);
		if (tid < 0 && errno == ECHILD)
			usleep(200);
	}
	return NULL;
}

static void map_inside(void)
{
	const char *path = getenv("INSIDE_PAGE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at;

	if (fd < 0)
		return;
	at = mmap(NULL, sizeof(*inside), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	inside = at;
	close(fd);
}

void tracer_begin(const char *only)
{
	struct sigaction action = {.sa_handler = on_kick};

	map_inside();
	only_file = only;
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, trace, NULL))
		die("no thread");
}

void tracer_attach(pid_t pid)
{
	bool waits = true;

	pthread_mutex_lock(&lock);
	wanted = pid;
	pthread_mutex_unlock(&lock);
	while (waits) {
		pthread_kill(thread, SIGUSR1);
		usleep(100);
		pthread_mutex_lock(&lock);
		waits = wanted != 0;
		pthread_mutex_unlock(&lock);
	}
}

void tracer_order(long nr, int error, unsigned int n)
{
	pthread_mutex_lock(&lock);
	memset(&order, 0, sizeof(order));
	order.nr = nr;
	order.error = error;
	order.n = n;
	pthread_mutex_unlock(&lock);
	if (!inside)
		return;
	atomic_store(&inside->call, 0);
	for (int i = 0; i < INSIDE_END - INSIDE_FIRST; i++)
		atomic_store(&inside->counts[i], 0);
	atomic_store(&inside->done, 0);
	atomic_store(&inside->jump, error);
	atomic_store(&inside->at, n);
	atomic_store(&inside->call, (int)nr);
}

unsigned int tracer_count(long nr)
{
	unsigned int n;

	if (nr >= INSIDE_FIRST)
		return inside ? atomic_load(&inside->counts[nr - INSIDE_FIRST]) : 0;
	pthread_mutex_lock(&lock);
	n = order.counts[nr];
	pthread_mutex_unlock(&lock);
	return n;
}

bool tracer_has_failed(void)
{
	bool failed;

	pthread_mutex_lock(&lock);
	failed = order.failed || (inside && atomic_load(&inside->done));
	pthread_mutex_unlock(&lock);
	return failed;
}

const char *tracer_file(void)
{
	return order.file;
}

int tracer_crash(void)
{
	int was;

	pthread_mutex_lock(&lock);
	was = crash;
	pthread_mutex_unlock(&lock);
	return was;
}

bool tracer_has_ended(pid_t pid)
{
	bool has = false;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < TRACEES && i < nr_ended; i++)
		has |= ended[i] == pid;
	pthread_mutex_unlock(&lock);
	return has;
}
