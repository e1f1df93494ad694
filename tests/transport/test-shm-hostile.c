/* SPDX-License-Identifier: Apache-2.0 */
/* test-shm-hostile.c - a process writes random bytes to all shared memory while traffic runs */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "transport/shm-inner.h"
#include "tests/transport/hostile.h"

#define CONTROL 65536u

/* Where: the words of both rings, the heads of packets, everything. */
static void scribble(uint8_t *memory, size_t size)
{
	uint32_t way = hostile_random() % 4;
	size_t at = CONTROL + hostile_random() % (size - CONTROL - 64);

	if (way < 2) {
		hostile_word(memory + hostile_random() % 8 * SHM_LINE, 8, 8);
		return;
	}
	if (way == 2)
		at &= ~(size_t)7;
	for (uint32_t i = 0; i < 1 + hostile_random() % 32; i++)
		memory[at + i] = (uint8_t)hostile_random();
}

/* The mapping has each ring twice; once is enough. */
static uint8_t *memory_of(struct transport_conn *base, size_t *size)
{
	struct shm_conn *conn = (struct shm_conn *)base;

	*size = CONTROL + conn->in.size;
	return conn->memory;
}

static void test_hostile(void **state)
{
	struct hostile hostile = {
		.transport = &transport_shm,
		.maps = "lfp-path",
		.memory = memory_of,
		.scribble = scribble,
		.where = {.mtu = 8192},
	};

	(void)state;
	settings_init(&hostile.where.settings);
	settings_set(&hostile.where.settings, "ShmRingSize", "65536");
	hostile_run(&hostile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile)};

	return cmocka_run_group_tests_name("a hostile peer in shared memory", tests, NULL, NULL);
}
