/* SPDX-License-Identifier: Apache-2.0 */
/* step.c - a step of a job: one program that // EXEC runs */
#include "vsejob/step.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vsejob/runtime-options.h"

#define ARGUMENTS_MAX   64u
#define ENVIRONMENT_MAX 4096u
#define UPSI_SWITCHES   8
/* Bytes for "LFP_SETPARM=" and "SYSPARM=" with their values. */
#define VARIABLE_MAX 4096u

extern char **environ;

/* The program of a step, and its environment. */
struct launch {
	char program[PATH_MAX];
	char *argv[ARGUMENTS_MAX + 4];
	char *envp[ENVIRONMENT_MAX + 1];
	size_t nr_env;
	char setparm[VARIABLE_MAX];
	char sysparm[64];
	char upsi[UPSI_SWITCHES][32];
};

/* Variables that say which LFP instance a program uses: a job has its own. */
static bool is_choice(const char *variable)
{
	static const char *const names[] = {
		"LFP$ID=", "LFP_ID=", "SYSID=", "SYSPARM=", "LFP_SETPARM="};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

static bool is_same_variable(const char *one, const char *other)
{
	size_t len = strcspn(one, "=");

	return !strncmp(one, other, len + 1);
}

static const char *put_variable(struct launch *launch, char *variable)
{
	for (size_t i = 0; i < launch->nr_env; i++) {
		if (is_same_variable(variable, launch->envp[i])) {
			launch->envp[i] = variable;
			return NULL;
		}
	}
	if (launch->nr_env == ENVIRONMENT_MAX)
		return "the environment has too many variables";
	launch->envp[launch->nr_env++] = variable;
	return NULL;
}

static const char *put_upsi(struct launch *launch, const char *upsi)
{
	const char *wrong = NULL;

	for (int i = 0; i < UPSI_SWITCHES && upsi[i] && !wrong; i++) {
		snprintf(launch->upsi[i], sizeof(launch->upsi[i]), "COB_SWITCH_%d=%s", i,
			 upsi[i] == '1' ? "ON" : "OFF");
		wrong = put_variable(launch, launch->upsi[i]);
	}
	return wrong;
}

static const char *fill_environment(struct launch *launch, const struct step *step,
				    const struct runtime_options *options)
{
	const char *wrong = NULL;

	for (char **p = environ; *p && !wrong; p++) {
		if (!is_choice(*p))
			wrong = put_variable(launch, *p);
	}
	if (*step->setparm) {
		snprintf(launch->setparm, sizeof(launch->setparm), "LFP_SETPARM=%s", step->setparm);
		wrong = wrong ? wrong : put_variable(launch, launch->setparm);
	}
	if (*step->sysparm) {
		snprintf(launch->sysparm, sizeof(launch->sysparm), "SYSPARM=%s", step->sysparm);
		wrong = wrong ? wrong : put_variable(launch, launch->sysparm);
	}
	wrong = wrong ? wrong : put_upsi(launch, step->upsi);
	for (size_t i = 0; i < options->nr && !wrong; i++)
		wrong = put_variable(launch, options->variable[i]);
	launch->envp[launch->nr_env] = NULL;
	return wrong;
}

/* A program of this installation: beside vsejob, else where it is installed. */
static void find_own(char path[static PATH_MAX], const char *name)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (len > 0) {
		exe[len] = '\0';
		slash = strrchr(exe, '/');
		if (slash) {
			*slash = '\0';
			if (snprintf(path, PATH_MAX, "%s/%s", exe, name) < PATH_MAX &&
			    !access(path, X_OK))
				return;
		}
	}
	snprintf(path, PATH_MAX, VSELFPD_SBINDIR "/%s", name);
	if (access(path, X_OK))
		snprintf(path, PATH_MAX, "%s", name); /* PATH, then */
}

static bool is_in_path(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];

	for (; dirs; dirs = strchr(dirs, ':') ? strchr(dirs, ':') + 1 : NULL) {
		int len = (int)strcspn(dirs, ":");

		if (snprintf(path, sizeof(path), "%.*s/%s", len, dirs, name) < PATH_MAX &&
		    !access(path, X_OK))
			return true;
	}
	return false;
}

/* z/VSE has names in upper case; Linux has programs in lower case. */
static const char *find_program(char name[static PATH_MAX], const char *program)
{
	if (snprintf(name, PATH_MAX, "%s", program) >= PATH_MAX)
		return "the name of the program is too long";
	if (strchr(name, '/'))
		return access(name, X_OK) ? strerror(errno) : NULL;
	if (is_in_path(name))
		return NULL;
	for (char *p = name; *p; p++) {
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	}
	return is_in_path(name) ? NULL
				: "there is no such program in PATH, as written or in lower case";
}

static const char *put_arguments(struct launch *launch, size_t nr, char *text)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (nr == ARGUMENTS_MAX)
			return "PARM has more than 60 words";
		launch->argv[nr++] = word;
	}
	launch->argv[nr] = NULL;
	return NULL;
}

static const char *plan(struct launch *launch, struct step *step, char name[static PATH_MAX])
{
	static char run[] = "lfp-run", dashes[] = "--", phase[] = "IJBLFPOP", empty[] = "";
	struct runtime_options options = {.arguments = empty};
	const char *wrong = NULL;

	if (!strcasecmp(step->program, "IJBLFPOP")) {
		find_own(launch->program, "ijblfpop");
		launch->argv[0] = phase;
		launch->argv[1] = step->parm ? step->parm : empty;
		return fill_environment(launch, step, &options);
	}
	if (step->parm)
		wrong = runtime_options_read(&options, step->parm);
	if (!wrong)
		wrong = find_program(name, step->program);
	if (wrong)
		return wrong;
	find_own(launch->program, run);
	launch->argv[0] = run;
	launch->argv[1] = dashes;
	launch->argv[2] = name;
	wrong = put_arguments(launch, 3, options.arguments);
	return wrong ? wrong : fill_environment(launch, step, &options);
}

static void await(pid_t pid, struct step_end *end)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*end = (struct step_end){0};
	if (WIFSIGNALED(status))
		end->signal = WTERMSIG(status);
	else
		end->rc = (unsigned int)WEXITSTATUS(status);
}

const char *step_run(struct step *step, struct step_end *end)
{
	posix_spawn_file_actions_t actions;
	static struct launch launch;
	char name[PATH_MAX];
	const char *wrong;
	pid_t pid;
	int rc;

	memset(&launch, 0, sizeof(launch));
	wrong = plan(&launch, step, name);
	if (wrong)
		return wrong;
	rc = posix_spawn_file_actions_init(&actions);
	if (rc)
		return strerror(rc);
	rc = posix_spawn_file_actions_adddup2(&actions, step->sysipt, STDIN_FILENO);
	fflush(NULL);
	if (!rc)
		rc = posix_spawnp(&pid, launch.program, &actions, NULL, launch.argv, launch.envp);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		return strerror(rc);
	await(pid, end);
	return NULL;
}
