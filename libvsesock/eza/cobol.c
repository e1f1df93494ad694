/* SPDX-License-Identifier: Apache-2.0 */
/* cobol.c - asks GnuCOBOL's run-time system about the parameters of a CALL */
#include <dlfcn.h>

#include "libvsesock/eza/args.h"

/* type numbers of libcob */
#define TYPE_DISPLAY 0x10
#define TYPE_BINARY  0x11
#define TYPE_PACKED  0x12
#define TYPE_COMP5   0x1B

/* Looked up at run time, because C programs use the library, too. */
static struct {
	int (*count)(void);
	int (*size)(int n);
	int (*type)(int n);
} cob;

/* A C program may load a COBOL program later. */
static bool find(void)
{
	void *count, *size, *type;

	if (__atomic_load_n(&cob.count, __ATOMIC_ACQUIRE))
		return true;
	count = dlsym(RTLD_DEFAULT, "cob_get_num_params");
	size = dlsym(RTLD_DEFAULT, "cob_get_param_size");
	type = dlsym(RTLD_DEFAULT, "cob_get_param_type");
	if (!count || !size || !type)
		return false;
	cob.size = (int (*)(int))(uintptr_t)size;
	cob.type = (int (*)(int))(uintptr_t)type;
	__atomic_store_n(&cob.count, (int (*)(void))(uintptr_t)count, __ATOMIC_RELEASE);
	return true;
}

int eza_cobol_count(void)
{
	return find() ? cob.count() : -1;
}

void eza_cobol_describe(struct eza_arg *arg, int n)
{
	int size, type;

	arg->order = EZA_BIG;
	/* libcob complains if it is asked for the size of an omitted parameter. */
	if (!arg->data)
		return;
	size = cob.size(n);
	type = cob.type(n);
	/* An item without a length counts as omitted. */
	if (size <= 0)
		arg->data = NULL;
	else
		arg->size = (size_t)size;
	arg->order = type == TYPE_COMP5 ? EZA_NATIVE : EZA_BIG;
	arg->numeric = type == TYPE_COMP5 || type == TYPE_BINARY;
	arg->decimal = type == TYPE_DISPLAY || type == TYPE_PACKED;
}

int eza_take_args(struct eza_arg *args, int room, int natural, void *first, va_list ap)
{
	int count = eza_cobol_count(), nr = count < 0 ? natural : count;

	if (nr > room)
		return 0;
	for (int i = 0; i < nr; i++) {
		args[i] = (struct eza_arg){.data = i ? va_arg(ap, void *) : first};
		if (count > 0)
			eza_cobol_describe(&args[i], i + 1);
	}
	return nr;
}
