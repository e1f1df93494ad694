/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-vm-directory.c - any bytes as the pretend z/VM's directory; each refusal has a reason */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/vm-directory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lfp_reader_error err;
	struct vm_verdict verdict;
	struct vm_directory *dir;
	FILE *in;
	int rc;

	if (!size)
		return 0;
	in = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!in)
		abort();
	rc = vm_directory_read(in, "fuzz", &dir, &err);
	fclose(in);
	if (rc < 0) {
		if (rc != -EINVAL || !err.text[0] || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	vm_directory_ask(dir, "VSER05", "LINLFP", &verdict);
	if (verdict.error ? !verdict.why[0] : !verdict.msglimit || !verdict.from_maxconn)
		abort();
	vm_directory_free(dir);
	return 0;
}
