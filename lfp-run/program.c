/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - find a program and tell whether the shim would be loaded into it */
#include "lfp-run/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define DEFAULT_PATH "/bin:/usr/bin" /* execvp()'s default */
#define MAX_SCRIPTS  5   /* nested interpreters; for the kernel see fs/exec.c, exec_binprm() */
#define SCRIPT_LINE  256 /* bytes of a script that the kernel reads */
#define MAX_HEADERS  256

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

static int set_path(char path[static PATH_MAX], const char *dir, size_t dirlen, const char *name)
{
	int n;

	/* An empty entry of PATH is the working directory. */
	if (dirlen)
		n = snprintf(path, PATH_MAX, "%.*s/%s", (int)dirlen, dir, name);
	else
		n = snprintf(path, PATH_MAX, "%s", name);
	return n >= 0 && n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int program_find(char path[static PATH_MAX], const char *name)
{
	const char *dirs = getenv("PATH");
	int rc, worst = -ENOENT;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/')) {
		rc = set_path(path, "", 0, name);
		return rc < 0 ? rc : check_executable(path);
	}
	if (!dirs)
		dirs = DEFAULT_PATH;
	for (;;) {
		size_t len = strcspn(dirs, ":");

		/* An empty entry needs "./": execvp() would search for a name without a slash
		 * again. */
		rc = len ? set_path(path, dirs, len, name) : set_path(path, ".", 1, name);
		if (!rc)
			rc = check_executable(path);
		if (!rc)
			return 0;
		if (rc != -ENOENT && rc != -ENOTDIR)
			worst = rc;
		if (!dirs[len])
			return worst;
		dirs += len + 1;
	}
}

/* Reads the last part of the dynamic linker's path, "" without one. Returns 0, or -1 if the file is
 * no ELF file of our machine. */
static int read_interpreter(int fd, char out[static PATH_MAX])
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	char text[PATH_MAX];
	const char *base;

	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    head.e_phentsize != sizeof(part) || head.e_phnum > MAX_HEADERS)
		return -1;
	*out = '\0';
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		off_t at = (off_t)(head.e_phoff + i * sizeof(part));

		if (pread(fd, &part, sizeof(part), at) != (ssize_t)sizeof(part))
			return -1;
		if (part.p_type != PT_INTERP)
			continue;
		if (!part.p_filesz || part.p_filesz > sizeof(text) ||
		    pread(fd, text, part.p_filesz, (off_t)part.p_offset) != (ssize_t)part.p_filesz)
			return -1;
		text[part.p_filesz - 1] = '\0';
		base = strrchr(text, '/');
		snprintf(out, PATH_MAX, "%s", base ? base + 1 : text);
	}
	return 0;
}

static bool read_own(unsigned char ident[static EI_NIDENT], uint16_t *machine,
		     char interpreter[static PATH_MAX])
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) head;
	bool good;

	if (fd < 0)
		return false;
	good = pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       !read_interpreter(fd, interpreter);
	close(fd);
	if (good) {
		memcpy(ident, head.e_ident, EI_NIDENT);
		*machine = head.e_machine;
	}
	return good;
}

/* The shim needs our machine, class and C library. */
static enum program_fault judge_elf(int fd, const unsigned char *start, size_t len)
{
	unsigned char ident[EI_NIDENT];
	char interpreter[PATH_MAX], own[PATH_MAX];
	uint16_t machine, its;

	if (len < offsetof(ElfW(Ehdr), e_machine) + sizeof(its) || !read_own(ident, &machine, own))
		return PROGRAM_FINE;
	memcpy(&its, start + offsetof(ElfW(Ehdr), e_machine), sizeof(its));
	if (start[EI_CLASS] != ident[EI_CLASS] || start[EI_DATA] != ident[EI_DATA] ||
	    its != machine)
		return PROGRAM_FOREIGN;
	if (read_interpreter(fd, interpreter) < 0)
		return PROGRAM_FINE;
	if (!*interpreter)
		return PROGRAM_STATIC;
	/* A build of lfp-run for a sanitizer or a test may be static: there is nothing to compare
	 * with. */
	return *own && strcmp(interpreter, own) != 0 ? PROGRAM_OTHER_LIBC : PROGRAM_FINE;
}

/* Scripts get neither another user nor capabilities from their file (fs/exec.c, bprm_fill_uid()),
 * so only ELF files are checked. */
static enum program_fault judge_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return PROGRAM_FINE;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return PROGRAM_SETID;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
		return PROGRAM_SETID;
	/* Root gains nothing from them. */
	if (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return PROGRAM_CAPABLE;
	return PROGRAM_FINE;
}

/* Takes the interpreter from the first line of a script. */
static bool take_script(char path[static PATH_MAX], const unsigned char *start, size_t len)
{
	char line[SCRIPT_LINE + 1];
	char *from, *end;

	memcpy(line, start, len);
	line[len] = '\0';
	from = line + 2 + strspn(line + 2, " \t");
	end = from + strcspn(from, " \t\n");
	if (end == from)
		return false;
	*end = '\0';
	snprintf(path, PATH_MAX, "%s", from);
	return true;
}

enum program_fault program_judge(char path[static PATH_MAX])
{
	unsigned char start[SCRIPT_LINE];
	enum program_fault fault;
	ssize_t n;
	int fd;

	for (int i = 0; i < MAX_SCRIPTS; i++) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			struct stat st;

			/* Even a program that cannot be read shows whether it is set-user-id. */
			if (!stat(path, &st) && (st.st_mode & S_ISUID) && st.st_uid != getuid())
				return PROGRAM_SETID;
			return PROGRAM_FINE;
		}
		n = pread(fd, start, sizeof(start), 0);
		fault = PROGRAM_FINE;
		if (n >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0) {
			fault = judge_file(fd);
			if (fault == PROGRAM_FINE)
				fault = judge_elf(fd, start, (size_t)n);
			n = 0;
		}
		close(fd);
		if (n < 2 || start[0] != '#' || start[1] != '!' ||
		    !take_script(path, start, (size_t)n))
			return fault;
	}
	return PROGRAM_FINE;
}
