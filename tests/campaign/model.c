/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - tries every sequence of steps on one socket: see model/model.h
 *
 *	model SECONDS DEPTH        tries all sequences of up to DEPTH steps, for SECONDS at most
 *	model STEP...              one sequence, and prints each state
 *
 * Exits with 1 if a check fails.
 */
#include <ctype.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lfp/log.h"
#include "tests/campaign/model/model.h"

enum { MOST_NODES = 1 << 18, CHAINS = 1 << 19, DEEPEST = 100, MOST_FAULTS = 20 };

/* A state that was reached, by a step from another one. */
static struct node {
	unsigned int parent;
	uint8_t step, depth; /* from a new socket */
	uint8_t tried;       /* steps from where the search began */
} nodes[MOST_NODES];
static unsigned int nr_nodes;

/* Starting points of the search, from which few steps lead far: a new socket, a connected one, and
 * connections that are dissolved or reset while data is under way. */
#define CONNECTED STEP_CONNECT, STEP_TO_LFPD, STEP_TO_VSE
static const uint8_t beginnings[][16] = {
	{STEPS},
	{CONNECTED, STEPS},
	{CONNECTED, STEP_HOST_SEND, STEP_DISSOLVE, STEP_TO_LFPD, STEPS},
	{CONNECTED, STEP_WRITE, STEP_HOST_RESET, STEP_TO_VSE, STEPS},
	{CONNECTED, STEP_GIVE, STEP_HOST_SEND, STEP_WRITE, STEPS},
	{CONNECTED, STEP_HOST_SEND, STEP_SUSPEND, STEP_TO_LFPD, STEP_WRITE, STEPS},
	{STEP_LISTEN, STEP_TO_LFPD, STEP_TO_VSE, STEPS},
};
static uint64_t seen[CHAINS];
static char root[] = "/tmp/lfp-model-XXXXXX";
static unsigned long runs;
static unsigned int faults;

void die(const char *what)
{
	fprintf(stderr, "model: %s\n", what);
	exit(2);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void clean_up(void)
{
	(void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Returns true if the state is new. */
static bool is_new(const char *text)
{
	uint64_t hash = 14695981039346656037u;
	size_t at;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 1099511628211u;
	hash += !hash;
	for (at = hash % CHAINS; seen[at] && seen[at] != hash; at = (at + 1) % CHAINS)
		;
	if (seen[at])
		return false;
	seen[at] = hash;
	return true;
}

/* Fills @steps with the steps that lead to a node. Returns their number. */
static unsigned int way_to(unsigned int node, uint8_t steps[static DEEPEST])
{
	unsigned int depth = nodes[node].depth;

	for (unsigned int i = depth; i > 0; node = nodes[node].parent)
		steps[--i] = nodes[node].step;
	return depth;
}

static void report(const uint8_t *steps, unsigned int nr, const char *fault)
{
	printf("FAULT %s:", fault);
	for (unsigned int i = 0; i < nr; i++)
		printf(" %s", step_names[steps[i]]);
	printf("\n");
	faults++;
}

/* Tries one more step in the state of a node: the first one from @step on that makes sense there.
 * Returns that step, or STEPS. */
static unsigned int try_step(unsigned int node, unsigned int step)
{
	static char text[TEXT_MAX], fault[FAULT_MAX];
	uint8_t steps[DEEPEST + 1];
	unsigned int depth = way_to(node, steps);

	sequence_begin();
	for (unsigned int i = 0; i < depth; i++)
		(void)step_take((enum step)steps[i]);
	while (step < STEPS && !step_take((enum step)step))
		step++;
	if (step < STEPS) {
		steps[depth] = (uint8_t)step;
		depth++;
		state_describe(text, sizeof(text));
		if (nr_nodes < MOST_NODES && is_new(text))
			nodes[nr_nodes++] = (struct node){node, (uint8_t)step, (uint8_t)depth,
							  (uint8_t)(nodes[node].tried + 1)};
	}
	runs++;
	if (!sequence_end(fault, sizeof(fault)))
		report(steps, depth, fault);
	return step;
}

/* Puts the steps to the starting points into nodes[], then these points. Returns the index of the
 * first point. */
static unsigned int begin_search(void)
{
	enum { NR = sizeof(beginnings) / sizeof(*beginnings) };
	struct node last[NR];

	nr_nodes = 1; /* the new socket */
	for (unsigned int i = 0; i < NR; i++) {
		struct node at = nodes[0];

		for (const uint8_t *step = beginnings[i]; *step < STEPS; step++) {
			at.parent = step == beginnings[i] ? 0 : nr_nodes - 1;
			at.step = *step;
			at.depth++;
			nodes[nr_nodes++] = at;
		}
		last[i] = at;
	}
	memcpy(&nodes[nr_nodes], last, sizeof(last));
	nr_nodes += NR;
	return nr_nodes - NR;
}

static int try_all(unsigned int seconds, unsigned int depth)
{
	time_t end = time(NULL) + (time_t)seconds;
	unsigned int at = begin_search(), complete = 0;

	for (; at < nr_nodes && nodes[at].tried < depth && faults < MOST_FAULTS; at++) {
		if (time(NULL) >= end)
			break;
		complete = nodes[at].tried;
		for (unsigned int step = 0; step < STEPS; step++)
			step = try_step(at, step);
	}
	if (at == nr_nodes || nodes[at].tried >= depth)
		complete++;
	printf("%lu sequences, %u states; all sequences of %u steps were tried\n", runs, nr_nodes,
	       complete);
	return faults != 0;
}

static int repeat(char **names, int nr)
{
	static char text[TEXT_MAX], fault[FAULT_MAX];
	bool good;

	sequence_begin();
	for (int i = 0; i < nr; i++) {
		unsigned int step = 0;

		while (step < STEPS && strcmp(step_names[step], names[i]))
			step++;
		if (step == STEPS)
			die("no such step");
		if (!step_take((enum step)step))
			printf("%s makes no sense here\n", names[i]);
		state_describe(text, sizeof(text));
		printf("== %s\n%s\n", names[i], text);
	}
	good = sequence_end(fault, sizeof(fault));
	printf("%s\n", good ? "good" : fault);
	return !good;
}

int main(int argc, char **argv)
{
	static char place[sizeof(root) + 16];
	int rc;

	if (argc < 2 || (isdigit((unsigned char)*argv[1]) && argc != 3))
		return 64;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	lfp_log_open("model", LFP_LOG_FILE,
		     getenv("MODEL_LOG") ? getenv("MODEL_LOG") : "/dev/null");
	if (!mkdtemp(root) || chmod(root, 0755))
		die("no directory");
	atexit(clean_up);
	linux_begin(root);
	between_begin(root);
	snprintf(place, sizeof(place), "%s/between", root);
	vse_begin(place);
	parties_begin(place);
	if (isdigit((unsigned char)*argv[1]))
		rc = try_all((unsigned int)strtoul(argv[1], NULL, 10),
			     (unsigned int)strtoul(argv[2], NULL, 10));
	else
		rc = repeat(argv + 1, argc - 1);
	vse_end();
	linux_end();
	between_end();
	return rc;
}
