/* SPDX-License-Identifier: Apache-2.0 */
/* test-program.c - finding programs, and telling those that would ignore the shim */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lfp-run/program.h"
#include "tests/qemu-user.h"

static char folder[] = "/tmp/lfp-run-XXXXXX";

static void put_file(char path[static PATH_MAX], const char *name, const void *bytes, size_t len,
		     mode_t mode)
{
	int fd;

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void put_script(char path[static PATH_MAX], const char *name, const char *text)
{
	put_file(path, name, text, strlen(text), 0755);
}

/* Headers of an ELF file: the part that lfp-run reads. */
static void put_elf(char path[static PATH_MAX], const char *name, const char *interpreter,
		    unsigned char class, mode_t mode)
{
	struct {
		ElfW(Ehdr) head;
		ElfW(Phdr) part;
		char text[64];
	} file = {0};

	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.head.e_ident[EI_CLASS] = class;
	file.head.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	file.head.e_type = ET_DYN;
#if defined(__x86_64__)
	file.head.e_machine = EM_X86_64;
#elif defined(__s390x__)
	file.head.e_machine = EM_S390;
#elif defined(__aarch64__)
	file.head.e_machine = EM_AARCH64;
#endif
	file.head.e_phoff = offsetof(__typeof__(file), part);
	file.head.e_phentsize = sizeof(file.part);
	file.head.e_phnum = 1;
	file.part.p_type = interpreter ? PT_INTERP : PT_LOAD;
	if (interpreter) {
		file.part.p_offset = offsetof(__typeof__(file), text);
		file.part.p_filesz = strlen(interpreter) + 1;
		memcpy(file.text, interpreter, strlen(interpreter) + 1);
	}
	put_file(path, name, &file, sizeof(file), mode);
}

static void test_find(void **state)
{
	char path[PATH_MAX], found[PATH_MAX], search[PATH_MAX + 64];

	(void)state;
	put_script(path, "tool", "#!/bin/sh\n");
	assert_int_equal(program_find(found, path), 0);
	assert_string_equal(found, path);
	snprintf(search, sizeof(search), "/nowhere:%s", folder);
	setenv("PATH", search, 1);
	assert_int_equal(program_find(found, "tool"), 0);
	assert_string_equal(found, path);
	assert_int_equal(program_find(found, "other"), -ENOENT);
	assert_int_equal(program_find(found, ""), -ENOENT);
	assert_int_equal(program_find(found, "/nowhere/tool"), -ENOENT);
	assert_int_equal(program_find(found, folder), -EACCES);
	put_file(path, "text", "x", 1, 0644);
	assert_int_equal(program_find(found, "text"), -EACCES);
	/* an empty piece is the working directory */
	setenv("PATH", "/nowhere:", 1);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(program_find(found, "tool"), 0);
	assert_string_equal(found, "./tool");
	assert_int_equal(chdir("/"), 0);
}

static void test_judge(void **state)
{
	char path[PATH_MAX], script[PATH_MAX], text[PATH_MAX + 64];

	(void)state;
	QEMU_USER_LACKS("a /bin/sh of its machine");
	snprintf(path, sizeof(path), "/proc/self/exe");
	assert_int_equal(program_judge(path), PROGRAM_FINE);
	put_elf(path, "static", NULL, ELFCLASS64, 0755);
	assert_int_equal(program_judge(path), PROGRAM_STATIC);
	put_elf(path, "musl", "/lib/ld-musl-x.so.1", ELFCLASS64, 0755);
	assert_int_equal(program_judge(path), PROGRAM_OTHER_LIBC);
	put_elf(path, "small", "/lib/ld-linux.so.2", ELFCLASS32, 0755);
	assert_int_equal(program_judge(path), PROGRAM_FOREIGN);
	put_script(script, "fine", "#!/bin/sh\n");
	assert_int_equal(program_judge(script), PROGRAM_FINE);
	put_file(path, "nothing", "", 0, 0755);
	assert_int_equal(program_judge(path), PROGRAM_FINE);

	/* a script counts as its interpreter, which the result names */
	snprintf(text, sizeof(text), "#! %s/static -x\nsomething\n", folder);
	put_script(script, "script", text);
	assert_int_equal(program_judge(script), PROGRAM_STATIC);
	snprintf(text, sizeof(text), "%s/static", folder);
	assert_string_equal(script, text);
	snprintf(text, sizeof(text), "#!%s/loop\n", folder);
	put_script(script, "loop", text);
	assert_int_equal(program_judge(script), PROGRAM_FINE);
}

static void test_set_user_id(void **state)
{
	char path[PATH_MAX];

	(void)state;
	if (getuid() != 0)
		skip();
	put_elf(path, "set", NULL, ELFCLASS64, 0755);
	assert_int_equal(chown(path, 1, 1), 0);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(program_judge(path), PROGRAM_SETID);
	assert_int_equal(chmod(path, 02755), 0);
	assert_int_equal(program_judge(path), PROGRAM_SETID);
	assert_int_equal(chmod(path, 02745), 0); /* mandatory locking, not set-group-id */
	assert_int_equal(program_judge(path), PROGRAM_STATIC);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[sizeof(folder) + 16];

	(void)state;
	setenv("PATH", "/usr/bin:/bin", 1);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_set_user_id),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
