/* SPDX-License-Identifier: Apache-2.0 */
/* needed.c - does a program need a library that has to be loaded before the shim? */
#include "lfp-run/program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS 256u
#define MAX_ENTRIES 4096u

/* Parts of the file that are read. */
struct parts {
	int fd;
	ElfW(Ehdr) head;
	ElfW(Phdr) dynamic;
	uint64_t strings; /* their offsets in the file */
};

static bool read_at(int fd, void *to, size_t len, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

static bool read_part(const struct parts *parts, unsigned int i, ElfW(Phdr) * part)
{
	return read_at(parts->fd, part, sizeof(*part), parts->head.e_phoff + i * sizeof(*part));
}

static bool read_head(struct parts *parts)
{
	const ElfW(Ehdr) *head = &parts->head;

	if (!read_at(parts->fd, &parts->head, sizeof(parts->head), 0) ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phnum > MAX_HEADERS)
		return false;
	for (unsigned int i = 0; i < head->e_phnum; i++)
		if (!read_part(parts, i, &parts->dynamic))
			return false;
		else if (parts->dynamic.p_type == PT_DYNAMIC)
			return true;
	return false;
}

/* Returns the file offset of an address of the loaded program. */
static bool find_in_file(const struct parts *parts, uint64_t addr, uint64_t *at)
{
	ElfW(Phdr) part;

	for (unsigned int i = 0; i < parts->head.e_phnum; i++) {
		if (!read_part(parts, i, &part))
			return false;
		if (part.p_type != PT_LOAD || addr < part.p_vaddr ||
		    addr - part.p_vaddr >= part.p_filesz)
			continue;
		*at = part.p_offset + (addr - part.p_vaddr);
		return true;
	}
	return false;
}

static bool read_entry(const struct parts *parts, unsigned int i, ElfW(Dyn) * entry)
{
	return i < MAX_ENTRIES && (i + 1) * sizeof(*entry) <= parts->dynamic.p_filesz &&
	       read_at(parts->fd, entry, sizeof(*entry),
		       parts->dynamic.p_offset + i * sizeof(*entry)) &&
	       entry->d_tag != DT_NULL;
}

static bool find_strings(struct parts *parts)
{
	ElfW(Dyn) entry;

	for (unsigned int i = 0; read_entry(parts, i, &entry); i++)
		if (entry.d_tag == DT_STRTAB)
			return find_in_file(parts, entry.d_un.d_ptr, &parts->strings);
	return false;
}

/* Names of gcc and clang. Other sanitizers, such as the thread sanitizer, may be loaded later. */
static bool wants_to_be_first(const char *name)
{
	static const char *const prefixes[] = {"libasan.so", "libhwasan.so", "libclang_rt.asan",
					       "libclang_rt.hwasan"};

	/* LD_PRELOAD cannot hold a name with these characters. */
	if (strpbrk(name, ": /"))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool find_name(struct parts *parts, char name[static NEEDED_NAME])
{
	ElfW(Dyn) entry;

	if (!read_head(parts) || !find_strings(parts))
		return false;
	for (unsigned int i = 0; read_entry(parts, i, &entry); i++) {
		ssize_t n;

		if (entry.d_tag != DT_NEEDED || entry.d_un.d_val > UINT32_MAX ||
		    parts->strings > INT64_MAX / 2)
			continue;
		n = pread(parts->fd, name, NEEDED_NAME, (off_t)(parts->strings + entry.d_un.d_val));
		if (n > 0 && memchr(name, '\0', (size_t)n) && wants_to_be_first(name))
			return true;
	}
	return false;
}

bool needed_first(const char *path, char name[static NEEDED_NAME])
{
	struct parts parts = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
	bool found;

	if (parts.fd < 0)
		return false;
	found = find_name(&parts, name);
	close(parts.fd);
	return found;
}
