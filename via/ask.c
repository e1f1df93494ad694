/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - an answer of lfpd-admin, as it comes */
#include "via/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "via/child.h"

#define PATIENCE  60000 /* ms for an answer */
#define WORDS_MAX 8
#define ASKS_MAX  8

static struct via_ask *asks[ASKS_MAX];

static void finish(struct via_ask *ask)
{
	int code = ask->code;

	if (!ask->over || ask->pid)
		return;
	via_timer_stop(&ask->timer);
	for (size_t i = 0; i < ASKS_MAX; i++)
		if (asks[i] == ask)
			asks[i] = NULL;
	ask->on_end(ask->data, code);
}

static void on_output(struct via_watch *watch, short events)
{
	struct via_ask *ask = watch->data;
	char data[4096];
	ssize_t n = read(watch->fd, data, sizeof(data));

	(void)events;
	if (n > 0) {
		via_lines_feed(&ask->lines, data, (size_t)n, ask->on_line, ask->data);
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	via_lines_end(&ask->lines, ask->on_line, ask->data);
	via_watch_remove(watch);
	close(watch->fd);
	ask->over = true;
	finish(ask);
}

static void on_time(struct via_timer *timer)
{
	struct via_ask *ask = timer->data;

	if (ask->pid)
		kill(-ask->pid, SIGKILL);
}

int via_ask_start(struct via_ask *ask, const struct via_instance *inst, const char *const words[])
{
	const char *argv[WORDS_MAX + 4] = {"lfpd-admin", "-i", inst->name};
	struct via_child child = {.program = VIA_ADMIN, .dir = inst->dir, .user = inst->user};
	size_t place = 0;
	pid_t pid;

	while (place < ASKS_MAX && asks[place])
		place++;
	if (place == ASKS_MAX)
		return -EBUSY;
	for (size_t i = 0; i < WORDS_MAX && words[i]; i++)
		argv[3 + i] = words[i];
	child.argv = argv;
	pid = via_child_start(&child, &ask->output.fd);
	if (pid < 0)
		return pid;
	asks[place] = ask;
	ask->pid = pid;
	ask->over = false;
	ask->code = 0;
	ask->lines.len = 0;
	ask->output.events = POLLIN;
	ask->output.on_ready = on_output;
	ask->timer.on_time = on_time;
	ask->output.data = ask->timer.data = ask;
	via_watch_add(&ask->output);
	via_timer_set(&ask->timer, PATIENCE);
	return 0;
}

void via_ask_pause(struct via_ask *ask, bool paused)
{
	if (ask->over || !ask->output.on_ready)
		return;
	if (paused)
		via_watch_remove(&ask->output);
	else
		via_watch_add(&ask->output);
}

/* Its process is reaped as any other. */
void via_ask_drop(struct via_ask *ask)
{
	bool there = false;

	for (size_t i = 0; i < ASKS_MAX; i++)
		if (asks[i] == ask) {
			asks[i] = NULL;
			there = true;
		}
	if (!there)
		return;
	via_timer_stop(&ask->timer);
	if (ask->pid)
		kill(-ask->pid, SIGKILL);
	if (!ask->over) {
		via_watch_remove(&ask->output);
		close(ask->output.fd);
	}
	ask->pid = 0;
}

bool via_ask_has(pid_t pid)
{
	for (size_t i = 0; i < ASKS_MAX; i++)
		if (asks[i] && asks[i]->pid == pid)
			return true;
	return false;
}

bool via_ask_ended(pid_t pid, int status)
{
	struct via_ask *ask = NULL;

	for (size_t i = 0; i < ASKS_MAX && !ask; i++)
		if (asks[i] && asks[i]->pid == pid)
			ask = asks[i];
	if (!ask)
		return false;
	ask->pid = 0;
	ask->code = WIFEXITED(status) ? WEXITSTATUS(status) : LFP_EXIT_UNAVAILABLE;
	finish(ask);
	return true;
}
