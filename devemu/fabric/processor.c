/* SPDX-License-Identifier: Apache-2.0 */
/* processor.c - serving jobs in slices */
#include "devemu/fabric/processor.h"

#include <string.h>

static void serve(struct sim *sim, struct processor *processor, struct processor_job *job)
{
	int64_t piece = job->left;

	if (processor->discipline != DISCIPLINE_FCFS) {
		piece = processor->discipline == DISCIPLINE_RR ? job->unit : processor->quantum;
		if (!processor->head && sim_next(sim) > sim->now + piece) {
			const int64_t quiet = sim_next(sim) - sim->now;

			/* One more than fits, so that the last, partial slice is served
			 * completely. */
			piece = quiet < job->left ? (quiet / piece + 1) * piece : job->left;
		}
		if (piece > job->left)
			piece = job->left;
	}
	processor->serving = job;
	processor->slice = piece;
	sim_after(sim, piece, &processor->node);
}

static void on_slice_end(struct sim *sim, struct sim_node *node)
{
	struct processor *processor = (struct processor *)node;
	struct processor_job *job = processor->serving;
	struct processor_job *next = processor->head;

	processor->busy += (uint64_t)processor->slice;
	job->left -= processor->slice;
	processor->serving = NULL;
	if (job->left > 0) {
		job->next = NULL;
		if (next)
			processor->tail->next = job;
		else
			processor->head = job;
		processor->tail = job;
		next = processor->head;
	}
	if (next) {
		processor->head = next->next;
		serve(sim, processor, next);
	}
	if (job->left == 0)
		job->done->handler(sim, job->done);
}

void processor_init(struct processor *processor, enum discipline discipline, int64_t quantum)
{
	memset(processor, 0, sizeof(*processor));
	processor->node.handler = on_slice_end;
	processor->discipline = discipline;
	processor->quantum = quantum;
}

void processor_submit(struct sim *sim, struct processor *processor, struct processor_job *job,
		      int64_t left, int64_t unit)
{
	job->left = left;
	job->unit = unit;
	job->next = NULL;
	if (!processor->serving) {
		serve(sim, processor, job);
		return;
	}
	if (processor->head)
		processor->tail->next = job;
	else
		processor->head = job;
	processor->tail = job;
}
