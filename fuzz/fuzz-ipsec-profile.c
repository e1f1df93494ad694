/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-ipsec-profile.c - any bytes as a file with rules and keys, of which SAs are made, and as the
 * two files with switches */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/engine/switches.h"
#include "devemu/ipsec/profile.h"
#include "devemu/ipsec/stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_switches(const uint8_t *data, size_t size,
			  int (*read)(struct switches *switches, const char *name, FILE *file,
				      struct lfp_reader_error *err))
{
	struct lfp_reader_error err = {.text = ""};
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
	struct switches switches;
	int rc;

	if (!file)
		abort();
	switches_init(&switches);
	rc = read(&switches, "fuzz", file, &err);
	if (rc < 0 && (rc != -EINVAL || !err.text[0] || strchr(err.text, '\n')))
		abort();
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy *policy = NULL;
	struct lfp_reader_error err = {.text = ""};
	struct stack *stack;
	FILE *file;
	int rc;

	if (size == 0)
		return 0;
	read_switches(data, size, switches_read_profile);
	read_switches(data, size, switches_read_opt);
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!file)
		abort();
	rc = profile_read(&policy, "fuzz", file, &err);
	fclose(file);
	if (rc < 0) {
		if (rc != -EINVAL || !err.text[0] || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	/* Whatever the reader accepts can be used. */
	stack = stack_create(policy, 1);
	if (!stack)
		abort();
	stack_destroy(stack);
	policy_destroy(policy);
	return 0;
}
