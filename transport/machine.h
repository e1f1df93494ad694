/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - a declared machine, and the levels that LFP requires of it */
#ifndef TRANSPORT_MACHINE_H
#define TRANSPORT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Three statements of vm-directory(5) declare a machine, in upper case here:
 *
 *	MACHINE server [DRIVER n]		a server by its name, Z10 or Z196
 *	LEVEL ZVM v.r | ZVSE v.r [PTFS] | SLES n [SP n] [KERNEL n.n...] | RHEL n [UPDATE n] | VIA
 *	MODE mode RUNS system processors DED|SHR ...
 *						a logical partition, at most MACHINE_LPARS
 *
 * mode is ESA390, TPF, CF, LINUX or ZVM, system ZVM, ZVSE, LINUX, ZOS, TPF or CFCC, processors CP,
 * IFL, ZAAP, ZIIP or ICF. VIA is z/VM IP Assist in the place of Linux. An LPAR that runs z/VM, or
 * LEVEL ZVM, makes it LFP in a z/VM environment, else in an LPAR environment.
 *
 * The required levels and the table of modes are those of IBM's presentation, "Prerequisites for
 * using the Linux Fast Path" and "z/VM-Mode LPAR". Later levels than those of the presentation are
 * taken as sufficient, as is Red Hat from 7 on in an LPAR: both are this project's.
 */
#define MACHINE_LPARS   4u
#define MACHINE_NUMBERS 8u /* of a version, such as 2.6.16.60-0.57.1 */
#define MACHINE_TEXT    160u

enum machine_mode { MODE_ESA390, MODE_TPF, MODE_CF, MODE_LINUX, MODE_ZVM, MODES };
enum machine_system {
	SYSTEM_ZVM,
	SYSTEM_ZVSE,
	SYSTEM_LINUX,
	SYSTEM_ZOS,
	SYSTEM_TPF,
	SYSTEM_ZTPF,
	SYSTEM_CFCC,
	SYSTEMS
};
enum machine_pu { PU_CP, PU_IFL, PU_ZAAP, PU_ZIIP, PU_ICF, PUS };
enum machine_usage { USAGE_NONE, USAGE_DED, USAGE_SHR, USAGES };

struct machine_version {
	bool given;
	unsigned int number[MACHINE_NUMBERS]; /* zeros behind the last one */
};

struct machine_lpar {
	enum machine_mode mode;
	enum machine_system runs;
	enum machine_usage usage[PUS];
};

struct machine {
	bool declared;
	int server; /* place among the servers, the older ones first; -1: not declared */
	unsigned int driver;
	struct machine_version zvm, zvse, sles, rhel, kernel;
	bool ptfs, via;
	struct machine_lpar lpar[MACHINE_LPARS];
	size_t nr_lpars;
};

void machine_init(struct machine *machine);

/* Returns true if @word begins a statement about the machine. */
bool machine_is(const char *word);

/* Takes a statement. Returns false, with a half-sentence in @why, if it is wrong. */
bool machine_take(struct machine *machine, char **words, size_t nr, char why[static MACHINE_TEXT]);

enum machine_finding {
	MACHINE_OK,
	MACHINE_MISSING, /* IBM's presentation requires it */
	MACHINE_ADVICE,  /* recommends it */
};

/* Gets a line for each rule that what was declared answers. */
struct machine_report {
	void (*line)(void *data, enum machine_finding finding, const char *what, const char *text);
	void *data;
};

void machine_check(const struct machine *machine, const struct machine_report *report);

/* machine-modes.c: the table of modes. Returns NULL, or what the table does not have, a
 * half-sentence in @why. */
const char *machine_mode_allows(const struct machine_lpar *lpar, char why[static MACHINE_TEXT]);

/* Names of the enums, for messages. */
extern const char *const machine_modes[MODES];
extern const char *const machine_systems[SYSTEMS];
extern const char *const machine_pus[PUS];

#endif
