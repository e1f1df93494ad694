/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - the instances of lfpd: start, readiness, end, and start again */
#include "via/instance.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "via/child.h"
#include "via/journal.h"
#include "via/place.h"
#include "via/strays.h"

#define RUN_LFPD      "/run/vselfpd"
#define CHECK_SECONDS 60    /* an emulated processor is slow */
#define PATIENCE      10000 /* ms from SIGTERM to SIGKILL */
#define STEADY        60000 /* ms of running after which a failure is the first one again */
#define LONGEST_PAUSE 30000 /* ms between two starts */

struct via_instance via_instances[VIA_INSTANCES_MAX];

const char *via_state_text(enum via_state state)
{
	static const char *const texts[] = {
		"-",    "no good configuration", "stopped", "starting", "running", "stopping",
		"waits"};

	return texts[state];
}

struct via_instance *via_instance_find(const char *name)
{
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		if (via_instances[i].state && !strcmp(via_instances[i].name, name))
			return &via_instances[i];
	return NULL;
}

static void on_time(struct via_timer *timer);
static void on_output(struct via_watch *watch, short events);

struct via_instance *via_instance_make(const char *name)
{
	struct via_instance *inst = via_instance_find(name);

	for (size_t i = 0; i < VIA_INSTANCES_MAX && !inst; i++) {
		if (via_instances[i].state)
			continue;
		inst = &via_instances[i];
		memset(inst, 0, sizeof(*inst));
		inst->state = VIA_BAD;
		inst->user = VIA_FIRST_USER + (uid_t)i;
		snprintf(inst->name, sizeof(inst->name), "%s", name);
		snprintf(inst->dir, sizeof(inst->dir), VIA_PLACES "/%s", name);
		inst->timer.on_time = on_time;
		inst->output.on_ready = on_output;
		inst->timer.data = inst->output.data = inst;
	}
	return inst;
}

/* The line of lfpd's that says why: the last error, else the last line. */
static void note_reason(struct via_instance *inst, const char *text, size_t len)
{
	snprintf(inst->reason, sizeof(inst->reason), "%.*s", (int)len, text);
}

static bool is_error(const char *text, size_t len)
{
	return len > 8 && !memcmp(text, "VLFD", 4) && text[7] == 'E';
}

static void on_line(void *data, const char *text, size_t len)
{
	struct via_instance *inst = data;

	via_journal_line(inst->name, text, len);
	if (is_error(text, len))
		note_reason(inst, text, len);
}

static void close_output(struct via_instance *inst)
{
	if (!inst->output.on)
		return;
	via_watch_remove(&inst->output);
	close(inst->output.fd);
}

static void on_output(struct via_watch *watch, short events)
{
	struct via_instance *inst = watch->data;
	char data[4096];
	ssize_t n = read(watch->fd, data, sizeof(data));

	(void)events;
	if (n > 0) {
		via_lines_feed(&inst->lines, data, (size_t)n, on_line, inst);
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	via_lines_end(&inst->lines, on_line, inst);
	close_output(inst);
}

/* The first error in the output of "lfpd -n". */
static void find_reason(struct via_instance *inst, const char *text)
{
	const char *at = text;

	note_reason(inst, text, strcspn(text, "\n"));
	while (*at) {
		size_t len = strcspn(at, "\n");

		if (is_error(at, len)) {
			note_reason(inst, at, len);
			return;
		}
		at += len + (at[len] == '\n');
	}
}

static int check(struct via_instance *inst, const char *dir)
{
	char file[64], text[4096];
	const char *argv[] = {"lfpd", "-n", "-f", file, NULL};
	const struct via_child child = {
		.program = VIA_LFPD, .argv = argv, .dir = dir, .user = inst->user};
	int code;

	snprintf(file, sizeof(file), VIA_CONFIG "/lfpd-%s.conf", inst->name);
	code = via_child_run(&child, CHECK_SECONDS, text, sizeof(text));
	if (code < 0)
		snprintf(inst->reason, sizeof(inst->reason), "lfpd cannot be run: %s",
			 strerror(-code));
	else if (code >= 128)
		snprintf(inst->reason, sizeof(inst->reason), "lfpd has not checked it within %d s",
			 CHECK_SECONDS);
	else if (code)
		find_reason(inst, text);
	return code;
}

bool via_instance_configure(struct via_instance *inst, const struct via_files *files,
			    uint64_t generation)
{
	char staged[64];
	int rc;

	snprintf(staged, sizeof(staged), VIA_PLACES "/%s.new", inst->name);
	rc = place_write(staged, files, inst->user);
	if (rc)
		snprintf(inst->reason, sizeof(inst->reason), "its files cannot be written: %s",
			 strerror(-rc));
	if (!rc)
		rc = check(inst, staged);
	if (!rc)
		rc = place_write(inst->dir, files, inst->user);
	place_remove(staged);
	if (rc) {
		inst->refused = generation;
		via_say("VLFD510E", "%s: generation %llu of the configuration is not used: %s",
			inst->name, (unsigned long long)generation, inst->reason);
		if (inst->generation)
			via_say("VLFD511W", "%s keeps generation %llu, the last good one.",
				inst->name, (unsigned long long)inst->generation);
		else
			via_say("VLFD512W", "%s does not serve.", inst->name);
		return false;
	}
	inst->generation = generation;
	inst->refused = 0;
	*inst->reason = '\0';
	if (inst->state == VIA_RUNNING)
		kill(inst->pid, SIGHUP);
	else if (inst->state == VIA_STARTING)
		inst->rereads = true;
	else if (inst->state == VIA_BAD)
		inst->state = VIA_STOPPED;
	return true;
}

static int launch(struct via_instance *inst)
{
	char file[64];
	const char *argv[] = {"lfpd", "-d", "-f", file, NULL};
	const struct via_child child = {.program = VIA_LFPD,
					.argv = argv,
					.dir = inst->dir,
					.user = inst->user,
					.binds = true,
					.notifies = true};
	int out;
	pid_t pid;

	if (place_make(RUN_LFPD, inst->name, inst->user))
		return -errno;
	snprintf(file, sizeof(file), VIA_CONFIG "/lfpd-%s.conf", inst->name);
	pid = via_child_start(&child, &out);
	if (pid < 0)
		return pid;
	close_output(inst); /* the previous process's, which is gone */
	inst->lines.len = 0;
	inst->output.fd = out;
	inst->output.events = POLLIN;
	via_watch_add(&inst->output);
	inst->pid = pid;
	return 0;
}

int via_instance_start(struct via_instance *inst)
{
	int rc;

	if (inst->state != VIA_STOPPED && inst->state != VIA_WAITING)
		return inst->state == VIA_BAD ? -EINVAL : -EBUSY;
	via_timer_stop(&inst->timer);
	rc = launch(inst);
	if (rc) {
		snprintf(inst->reason, sizeof(inst->reason), "it cannot be started: %s",
			 strerror(-rc));
		via_say("VLFD513E", "%s cannot be started: %s.", inst->name, strerror(-rc));
		inst->state = VIA_STOPPED;
		return rc;
	}
	inst->state = VIA_STARTING;
	inst->rereads = false;
	inst->started = via_now();
	inst->starts++;
	*inst->reason = '\0';
	return 0;
}

static void on_time(struct via_timer *timer)
{
	struct via_instance *inst = timer->data;

	if (inst->state == VIA_STOPPING)
		kill(inst->pid, SIGKILL);
	else if (inst->state == VIA_WAITING)
		(void)via_instance_start(inst);
}

/* Its user may be another instance's next: nothing of this one stays. */
static void release(struct via_instance *inst)
{
	char run[64];

	/* What the process has left behind may have it open for ever. */
	close_output(inst);
	snprintf(run, sizeof(run), RUN_LFPD "/%s", inst->name);
	place_remove(run);
	place_remove(inst->dir);
	inst->state = VIA_NONE;
}

void via_instance_stop(struct via_instance *inst, bool goes)
{
	inst->goes |= goes;
	via_timer_stop(&inst->timer);
	if (inst->pid) {
		if (inst->state != VIA_STOPPING)
			kill(inst->pid, SIGTERM);
		inst->state = VIA_STOPPING;
		via_timer_set(&inst->timer, PATIENCE);
	} else if (inst->goes) {
		release(inst);
	} else if (inst->state != VIA_BAD) {
		inst->state = VIA_STOPPED;
	}
}

static void start_later(struct via_instance *inst)
{
	int64_t pause = 1000;

	if (via_now() - inst->started > STEADY)
		inst->starts = 0;
	for (unsigned int i = 1; i < inst->starts && pause < LONGEST_PAUSE; i++)
		pause *= 2;
	inst->state = VIA_WAITING;
	via_timer_set(&inst->timer, pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE);
}

static void tell_end(const struct via_instance *inst, int status)
{
	if (inst->state == VIA_STOPPING)
		via_say("VLFD514I", "%s has stopped.", inst->name);
	else if (WIFSIGNALED(status))
		via_say("VLFD515E", "%s: lfpd was ended by signal %d, and is started again.",
			inst->name, WTERMSIG(status));
	else
		via_say("VLFD516E", "%s: lfpd has ended with exit code %d.", inst->name,
			WEXITSTATUS(status));
}

bool via_instance_ended(pid_t pid, int status)
{
	struct via_instance *inst = NULL;
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	for (size_t i = 0; i < VIA_INSTANCES_MAX && !inst; i++)
		if (via_instances[i].state && via_instances[i].pid == pid)
			inst = &via_instances[i];
	if (!inst)
		return false;
	if (inst->output.on) /* the last lines, which say why */
		inst->output.on_ready(&inst->output, POLLIN);
	/* The next one of this user finds nothing that could touch it. */
	kill(-pid, SIGKILL);
	if (via_strays_own_users())
		via_strays_kill_user(inst->user);
	inst->pid = 0;
	via_timer_stop(&inst->timer);
	tell_end(inst, status);
	if (inst->goes)
		release(inst);
	else if (inst->state == VIA_STOPPING)
		inst->state = VIA_STOPPED;
	else if (code == LFP_EXIT_CONFIG || code == LFP_EXIT_USAGE)
		inst->state = VIA_BAD; /* another start would have the same end */
	else
		start_later(inst);
	return true;
}

bool via_instance_has(pid_t pid)
{
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		if (via_instances[i].state && via_instances[i].pid == pid)
			return true;
	return false;
}

void via_instance_ready(pid_t pid)
{
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		if (via_instances[i].pid == pid && via_instances[i].state == VIA_STARTING) {
			via_instances[i].state = VIA_RUNNING;
			if (via_instances[i].rereads)
				kill(pid, SIGHUP);
		}
}

bool via_instances_ended(void)
{
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		if (via_instances[i].state && via_instances[i].pid)
			return false;
	return true;
}
