/* SPDX-License-Identifier: Apache-2.0 */
/* test-needed.c - which programs need a library that has to be loaded before the shim */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lfp-run/program.h"

#define BASE 0x10000u

/* A program with one part that is loaded, dynamic entries and strings. */
struct file {
	ElfW(Ehdr) head;
	ElfW(Phdr) parts[2];
	ElfW(Dyn) dynamic[4];
	char strings[256];
};

static char path[] = "/tmp/test-needed.XXXXXX";

static void make(struct file *f, const char *library)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_phoff = offsetof(struct file, parts);
	f->head.e_phentsize = sizeof(ElfW(Phdr));
	f->head.e_phnum = 2;
	f->parts[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = sizeof(*f)};
	f->parts[1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC,
				   .p_offset = offsetof(struct file, dynamic),
				   .p_filesz = sizeof(f->dynamic)};
	f->dynamic[0] = (ElfW(Dyn)){.d_tag = DT_NEEDED, .d_un.d_val = 1};
	f->dynamic[1] = (ElfW(Dyn)){.d_tag = DT_NEEDED, .d_un.d_val = 16};
	f->dynamic[2] = (ElfW(Dyn)){.d_tag = DT_STRTAB,
				    .d_un.d_ptr = BASE + offsetof(struct file, strings)};
	strcpy(f->strings + 1, "libc.so.6");
	snprintf(f->strings + 16, sizeof(f->strings) - 16, "%s", library);
}

static bool look(const struct file *f, size_t len, char name[static NEEDED_NAME])
{
	int fd = open(path, O_RDWR | O_TRUNC);
	bool found;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, f, len), len);
	close(fd);
	found = needed_first(path, name);
	return found;
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void assert_needs(const char *library, bool first)
{
	char name[NEEDED_NAME];
	struct file f;

	make(&f, library);
	assert_int_equal(look(&f, sizeof(f), name), first);
	if (first)
		assert_string_equal(name, library);
}

static void test_names(void **state)
{
	(void)state;
	assert_needs("libasan.so.8", true);
	assert_needs("libhwasan.so.0", true);
	assert_needs("libclang_rt.asan-x86_64.so", true);
	assert_needs("libtsan.so.2", false);
	assert_needs("libubsan.so.1", false);
	assert_needs("libasan.so.8:evil", false);
	assert_needs("libasan.so.8 evil", false);
	assert_needs("/tmp/libasan.so.8", false);
	assert_needs("", false);
}

/* A file may say anything. */
static void test_broken(void **state)
{
	char name[NEEDED_NAME], whole[sizeof(struct file)];
	struct file f;

	(void)state;
	make(&f, "libasan.so.8");
	memcpy(whole, &f, sizeof(whole));
	for (size_t len = 0; len < offsetof(struct file, strings) + 16; len++)
		assert_false(look(&f, len, name));
	for (size_t at = 0; at + 8 <= sizeof(whole); at += 8) {
		memcpy(&f, whole, sizeof(f));
		memset((char *)&f + at, 0xff, 8);
		(void)look(&f, sizeof(f), name);
	}
	make(&f, "libasan.so.8");
	memset(f.strings + 16, 'a', sizeof(f.strings) - 16); /* without an end */
	assert_false(look(&f, sizeof(f), name));
	assert_false(needed_first("/nobody/is/here", name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
