/* SPDX-License-Identifier: Apache-2.0 */
/* fake-start.c - the start of the fake instance, and of the test with the shim */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/places.h"
#include "tests/libvsesock/fake-parts.h"
#include "tests/libvsesock/fake.h"
#include "tests/qemu-user.h"

#define ROOT "FAKE_ROOT"

static int pair_listener;
static struct sockaddr_un pair_addr;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int listen_at(struct sockaddr_un *addr, int type, const char *path)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (lfp_place_make_parent(path) < 0 || lfp_unix_addr(addr, path) < 0 || fd < 0 ||
	    bind(fd, (struct sockaddr *)addr, sizeof(*addr)) < 0 || listen(fd, 128) < 0)
		die(path);
	return fd;
}

static pid_t fork_fake(const char *root)
{
	char path[PATH_MAX];
	struct sockaddr_un addr;
	pid_t parent = getpid(), pid;
	int listener;

	snprintf(path, sizeof(path), "%s/run/vselfp/00/ctl", root);
	listener = listen_at(&addr, SOCK_SEQPACKET, path);
	snprintf(path, sizeof(path), "%s/pair", root);
	pair_listener = listen_at(&pair_addr, SOCK_STREAM, path);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			fake_serve(listener, pair_listener, &pair_addr);
		_exit(1);
	}
	close(listener);
	close(pair_listener);
	return pid;
}

/* The programs to be tested are in the build folder, the library is in its lib/. */
static void find_shim(char shim[static PATH_MAX])
{
	char exe[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		die("/proc/self/exe");
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(path, sizeof(path), "%s/../../lib/libvsesock-preload.so", exe);
	if (!realpath(path, shim))
		die(path);
}

static void remove_root(void)
{
	char command[PATH_MAX];

	unsetenv("LD_PRELOAD");
	snprintf(command, sizeof(command), "rm -rf '%s'", getenv(ROOT));
	if (system(command) != 0)
		fputs("the fake's folder is still there\n", stderr);
}

/*
 * The shim then comes before the sanitizer's library, which does no harm. A thread that is
 * cancelled leaves the marks of its frames on its stack, and the sanitizer itself steps on them
 * when it gives back the thread's signal stack: it is to do without.
 */
static void prepare_sanitizer(void)
{
	const char *old = getenv("ASAN_OPTIONS");
	char text[512];

	snprintf(text, sizeof(text), "%s:verify_asan_link_order=0:use_sigaltstack=0",
		 old ? old : "");
	setenv("ASAN_OPTIONS", text, 1);
}

void fake_start(char **argv)
{
	char root[] = "/tmp/vsesock-XXXXXX", shim[PATH_MAX], text[16];
	const char *old = getenv("LD_PRELOAD");
	char preload[2 * PATH_MAX];

	if (getenv(ROOT)) {
		atexit(remove_root);
		return;
	}
	if (!mkdtemp(root))
		die(root);
	find_shim(shim);
	snprintf(preload, sizeof(preload), "%s%s%s", shim, old ? ":" : "", old ? old : "");
	snprintf(text, sizeof(text), "%d", (int)fork_fake(root));
	prepare_sanitizer();
	setenv("FAKE_PID", text, 1);
	setenv(ROOT, root, 1);
	setenv("LFP_ROOT", root, 1);
	setenv("LFP_ID", "00", 1);
	setenv("LD_PRELOAD", preload, 1);
	execv(this_program(), argv);
	die("exec");
}

void fake_stop(void)
{
	pid_t pid = (pid_t)strtol(getenv("FAKE_PID"), NULL, 10);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
