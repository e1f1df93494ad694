/* SPDX-License-Identifier: Apache-2.0 */
/* test-hs-hostile.c - a process writes random bytes to both HiperSockets devices while traffic runs
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "transport/hs-inner.h"
#include "tests/transport/hostile.h"

static struct qdio_segment *segment;

/* A valid state, or any byte. */
static uint8_t any_state(void)
{
	static const uint8_t states[] = {QDIO_IN_NOT_INIT, QDIO_IN_EMPTY,  QDIO_IN_PRIMED,
					 QDIO_IN_ACK,      QDIO_IN_ERROR,  QDIO_OUT_NOT_INIT,
					 QDIO_OUT_PRIMED,  QDIO_OUT_EMPTY, QDIO_OUT_PENDING,
					 QDIO_OUT_ERROR};

	return hostile_random() % 8 ? states[hostile_random() % sizeof(states)]
				    : (uint8_t)hostile_random();
}

/* The words by which the machines agree. */
static void scribble_control(const struct qdio_side *side)
{
	struct qdio_control *control = side->control;

	switch (hostile_random() % 5) {
	case 0:
		hostile_word((uint8_t *)&control->dsci, 1, 1);
		break;
	case 1:
		hostile_word((uint8_t *)&control->active, 1, 1);
		break;
	case 2:
		hostile_word((uint8_t *)&control->pended, 8, 1);
		break;
	case 3:
		hostile_word((uint8_t *)&control->settled, 8, 1);
		break;
	default:
		hostile_word((uint8_t *)&control->fill, 8, 1);
	}
}

/* States, control words, descriptors, frames, everything. */
static void scribble(uint8_t *memory, size_t size)
{
	const struct qdio_side *side = &segment->side[hostile_random() % 2];
	uint32_t queue = hostile_random() % QDIO_QUEUES, index = hostile_random() % QDIO_BUFFERS;
	size_t at;

	switch (hostile_random() % 6) {
	case 0:
		atomic_store(&side->slsb[queue][index], any_state());
		return;
	case 1:
		scribble_control(side);
		return;
	case 2:
		at = index * QDIO_SBAL + hostile_random() % QDIO_SBAL;
		side->sbal[queue][at] = (uint8_t)hostile_random();
		return;
	case 3: /* the heads of frames */
		at = (hostile_random() % 2 ? side->in : side->out) +
		     (size_t)index * segment->geometry.frame + hostile_random() % (HS_HEAD + 64);
		memory[at] = (uint8_t)hostile_random();
		return;
	case 4: /* QAOBs and the list of pending transfers */
		at = hostile_random() % 2
			     ? side->qaob + index * QDIO_QAOB + hostile_random() % QDIO_QAOB
			     : (size_t)((uint8_t *)(side->pending + index) - memory) +
				       hostile_random() % sizeof(side->pending[0]);
		memory[at] = (uint8_t)hostile_random();
		return;
	default:
		at = hostile_random() % (size - 64);
		for (uint32_t i = 0; i < 1 + hostile_random() % 32; i++)
			memory[at + i] = (uint8_t)hostile_random();
	}
}

static uint8_t *memory_of(struct transport_conn *base, size_t *size)
{
	segment = &((struct hs_conn *)base)->segment;
	*size = segment->size;
	return segment->memory;
}

static void test_hostile(void **state)
{
	struct hostile hostile = {
		.transport = &transport_hipersockets,
		.maps = "memfd:qdio",
		.memory = memory_of,
		.scribble = scribble,
		.where = {.mtu = 8074, .name = "LFPD"},
	};

	(void)state;
	settings_init(&hostile.where.settings);
	settings_set(&hostile.where.settings, "HS_MTU", "8192");
	hostile_run(&hostile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile)};

	return cmocka_run_group_tests_name("a hostile peer on HiperSockets", tests, NULL, NULL);
}
