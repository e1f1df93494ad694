/* SPDX-License-Identifier: Apache-2.0 */
/* machines.c - drives the state machines of both daemons at random: see machines/machines.h
 *
 *	machines CTL SEED FIRST COUNT [tell]
 *
 * CTL is the control channel of an instance. Runs COUNT sequences of SEED, from number FIRST on.
 * "tell" prints each step. MACHINES_DAEMONS has the process ids of the daemons. Ends with 1 if the
 * bystander's stream is lost, or slow.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/campaign/machines/machines.h"
#include "tests/system/tool.h"

enum { STEPS = 60 };

static void run(struct world *w, uint64_t seed, uint64_t nr)
{
	w->random = (seed + 1) * 0x9E3779B97F4A7C15u ^ (nr + 1) * 0xD1B54A32D192ED03u;
	for (int i = 0; i < STEPS; i++)
		world_step(w);
	world_empty(w);
}

int main(int argc, char **argv)
{
	static struct world w;
	struct bystander bystander;
	uint64_t seed, first, count;

	if (argc < 5)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	w.ctl_path = argv[1];
	seed = number(argv[2]);
	first = number(argv[3]);
	count = number(argv[4]);
	w.tells = argc > 5;
	held_up_watch(getenv("MACHINES_DAEMONS"));
	world_begin(&w);
	bystander_begin(&w, &bystander);
	for (uint64_t nr = first; nr < first + count; nr++) {
		int64_t begun = now_ms();

		run(&w, seed, nr);
		if (!bystander_is_well(&bystander, nr)) {
			printf("seed %lu sequence %lu: the bystander's stream is lost or slow, "
			       "after %ld ms\n",
			       (unsigned long)seed, (unsigned long)nr, (long)(now_ms() - begun));
			return 1;
		}
	}
	printf("%lu sequences, %lu steps, %lu answers, %lu of them good\n", (unsigned long)count,
	       w.steps, w.answers, w.good);
	return 0;
}
