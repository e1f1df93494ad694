/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c - where a program of z/VSE runs: its storage, its parameter, and the services of the
 * system */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* of libvsesock: vsesock(3), ezasoket(3) */
int vse_ecb_wait(void *const ecbs[], int nr, int ms);
int EZACIC14(void *first, ...);
int EZACIC15(void *first, ...);

/* The bit that marks an address of 31 bits, or the last one of a list */
#define HIGH     0x80000000ul
#define PARM_MAX 256
#define TEXT_MAX 256

extern unsigned char phase_first[], phase_last[], phase_save[];
extern unsigned char vseasm_entry[];
extern struct {
	uint32_t at;
	uint16_t len;
	char text[PARM_MAX];
} __attribute__((packed)) phase_parm;

int phase_call(uint32_t entry, uint32_t list, uint32_t save);
int phase_end(uint32_t code);
int phase_write(uint32_t text);
int phase_wait(uint32_t ecb);

static uint32_t address_of(const void *at)
{
	return (uint32_t)(uintptr_t)at;
}

static int fail(const char *what)
{
	perror(what);
	return 16;
}

/* An address of 31 bits has 32, and the first one may be on. So the storage of the program is there
 * a second time with this bit. */
static int show_twice(void)
{
	size_t size = (size_t)(phase_last - phase_first);
	int fd = memfd_create("phase", MFD_CLOEXEC), prot = PROT_READ | PROT_WRITE | PROT_EXEC;
	void *high = phase_first + HIGH;

	if (fd < 0 || write(fd, phase_first, size) != (ssize_t)size)
		return fail("the program's storage");
	if (mmap(phase_first, size, prot, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mmap(high, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) !=
		    high)
		return fail("the program's storage");
	close(fd);
	return 0;
}

/* As EXEC's PARM: the arguments, a blank between. Returns 0, or 16 if they are too long. */
static int take_parm(char **arguments)
{
	size_t used = 0;

	for (; *arguments; arguments++) {
		size_t len = strlen(*arguments);

		if (used + len + 1 > PARM_MAX) {
			fprintf(stderr, "PARM has more than %d characters\n", PARM_MAX - 1);
			return 16;
		}
		memcpy(phase_parm.text + used, *arguments, len);
		used += len;
		if (arguments[1])
			phase_parm.text[used++] = ' ';
	}
	phase_parm.at = address_of(&phase_parm.len) | HIGH;
	phase_parm.len = (uint16_t)used;
	if (used) {
		int len = (int)used;

		EZACIC15(phase_parm.text, &len);
	}
	return 0;
}

int phase_end(uint32_t code)
{
	exit((int)code);
}

/* WTO: a halfword with the length, and the text */
int phase_write(uint32_t at)
{
	const unsigned char *area = (const unsigned char *)(uintptr_t)at;
	int len = area[0] << 8 | area[1];
	char text[TEXT_MAX + 1];

	if (len < 1 || len > TEXT_MAX)
		return 4;
	memcpy(text, area + 2, (size_t)len);
	EZACIC14(text, &len);
	printf("%.*s\n", len, text);
	fflush(stdout);
	return 0;
}

int phase_wait(uint32_t ecb)
{
	void *ecbs[] = {(void *)(ecb | HIGH)};

	return vse_ecb_wait(ecbs, 1, -1) ? 4 : 0;
}

int main(int argc, char **argv)
{
	int rc = show_twice();

	(void)argc;
	if (!rc)
		rc = take_parm(argv + 1);
	return rc ? rc
		  : phase_call(address_of(vseasm_entry), address_of(&phase_parm),
			       address_of(phase_save));
}
