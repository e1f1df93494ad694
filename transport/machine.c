/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - a declared machine, and the levels that LFP requires of it */
#include "transport/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Servers that z/VSE 4.3 or later supports, the older ones first. */
static const char *const servers[] = {
	"Z800",  "Z900",  "Z890", "Z990", "Z9",  "Z10", "Z196", "Z114",
	"ZEC12", "ZBC12", "Z13",  "Z13S", "Z14", "Z15", "Z16",  "Z17",
};
#define SERVER_Z10  5
#define SERVER_Z196 6

void machine_init(struct machine *machine)
{
	memset(machine, 0, sizeof(*machine));
	machine->server = -1;
}

bool machine_is(const char *word)
{
	return !strcmp(word, "MACHINE") || !strcmp(word, "LEVEL") || !strcmp(word, "MODE");
}

static int find(const char *const *names, int nr, const char *word)
{
	for (int i = 0; i < nr; i++) {
		if (!strcmp(names[i], word))
			return i;
	}
	return -1;
}

static bool wrong(char why[static MACHINE_TEXT], const char *text, const char *word)
{
	snprintf(why, MACHINE_TEXT, "%s%s%.40s", text, *word ? " " : "", word);
	return false;
}

/* Numbers apart by dots and hyphens. */
static bool take_version(struct machine_version *version, const char *text)
{
	char *end;

	memset(version, 0, sizeof(*version));
	version->given = true;
	for (size_t i = 0; i < MACHINE_NUMBERS; i++) {
		unsigned long number;

		if (*text < '0' || *text > '9')
			return false;
		number = strtoul(text, &end, 10);
		if (number > 99999)
			return false;
		version->number[i] = (unsigned int)number;
		if (!*end)
			return true;
		if (*end != '.' && *end != '-')
			return false;
		text = end + 1;
	}
	return false;
}

static bool take_machine(struct machine *machine, char **words, size_t nr, char *why)
{
	struct machine_version driver;

	if (machine->server >= 0)
		return wrong(why, "is given twice", "");
	if (nr != 2 && (nr != 4 || strcmp(words[2], "DRIVER")))
		return wrong(why, "takes a server, and DRIVER with a number", "");
	machine->server = find(servers, (int)(sizeof(servers) / sizeof(servers[0])), words[1]);
	if (machine->server < 0)
		return wrong(why, "z/VSE does not support the server", words[1]);
	if (nr == 4 && !take_version(&driver, words[3]))
		return wrong(why, "the driver level is not a number:", words[3]);
	machine->driver = nr == 4 ? driver.number[0] : 0;
	return true;
}

/* The words behind the version of LEVEL: KEY n. */
static bool take_linux(struct machine *machine, struct machine_version *level, char **words,
		       size_t nr, char *why)
{
	const char *minor = level == &machine->sles ? "SP" : "UPDATE";
	struct machine_version number;

	for (size_t i = 0; i < nr; i += 2) {
		if (i + 1 == nr || !take_version(&number, words[i + 1]))
			return wrong(why, "a number is missing after", words[i]);
		if (!strcmp(words[i], minor))
			level->number[1] = number.number[0];
		else if (!strcmp(words[i], "KERNEL"))
			machine->kernel = number;
		else
			return wrong(why, "unexpected word", words[i]);
	}
	return true;
}

static bool take_level(struct machine *machine, char **words, size_t nr, char *why)
{
	static const char *const names[] = {"ZVM", "ZVSE", "SLES", "RHEL", "VIA"};
	struct machine_version *levels[] = {&machine->zvm, &machine->zvse, &machine->sles,
					    &machine->rhel};
	int which = nr > 1 ? find(names, 5, words[1]) : -1;

	if (which < 0)
		return wrong(why, "takes ZVM, ZVSE, SLES, RHEL or VIA", "");
	if (which == 4) {
		machine->via = true;
		return nr == 2 ? true : wrong(why, "unexpected word", words[2]);
	}
	if (levels[which]->given)
		return wrong(why, "is given twice for", words[1]);
	if (nr < 3 || !take_version(levels[which], words[2]))
		return wrong(why, "a version is missing after", words[1]);
	if (which >= 2)
		return take_linux(machine, levels[which], words + 3, nr - 3, why);
	machine->ptfs |= which == 1 && nr == 4 && !strcmp(words[3], "PTFS");
	if (nr > 4 || (nr == 4 && (which != 1 || strcmp(words[3], "PTFS"))))
		return wrong(why, "unexpected word", words[nr - 1]);
	return true;
}

static bool take_mode(struct machine *machine, char **words, size_t nr, char *why)
{
	struct machine_lpar lpar = {0};
	int mode, runs;

	if (nr < 6 || nr % 2 || strcmp(words[2], "RUNS"))
		return wrong(why, "takes a mode, RUNS and a system, and processors with DED or SHR",
			     "");
	mode = find(machine_modes, MODES, words[1]);
	runs = find(machine_systems, SYSTEMS, words[3]);
	if (mode < 0 || runs < 0)
		return wrong(why, mode < 0 ? "unknown mode" : "unknown system",
			     words[mode < 0 ? 1 : 3]);
	lpar.mode = (enum machine_mode)mode;
	lpar.runs = (enum machine_system)runs;
	for (size_t i = 4; i < nr; i += 2) {
		int pu = find(machine_pus, PUS, words[i]);
		bool shared = !strcmp(words[i + 1], "SHR");

		if (pu < 0)
			return wrong(why, "unknown processors", words[i]);
		if (lpar.usage[pu] != USAGE_NONE)
			return wrong(why, "processors are given twice:", words[i]);
		if (!shared && strcmp(words[i + 1], "DED"))
			return wrong(why, "neither DED nor SHR:", words[i + 1]);
		lpar.usage[pu] = shared ? USAGE_SHR : USAGE_DED;
	}
	if (machine->nr_lpars == MACHINE_LPARS)
		return wrong(why, "there are more than 4 partitions", "");
	machine->lpar[machine->nr_lpars++] = lpar;
	return true;
}

bool machine_take(struct machine *machine, char **words, size_t nr, char why[static MACHINE_TEXT])
{
	machine->declared = true;
	if (!strcmp(words[0], "MACHINE"))
		return take_machine(machine, words, nr, why);
	return !strcmp(words[0], "LEVEL") ? take_level(machine, words, nr, why)
					  : take_mode(machine, words, nr, why);
}

/* Returns true if @version is at least @least, which ends with a zero. */
static bool at_least(const struct machine_version *version, const unsigned int *least)
{
	for (size_t i = 0; i < MACHINE_NUMBERS; i++) {
		if (version->number[i] != least[i])
			return version->number[i] > least[i];
	}
	return true;
}

#define LEAST(...) ((const unsigned int[MACHINE_NUMBERS]){__VA_ARGS__})

static void tell(const struct machine_report *report, bool holds, enum machine_finding else_,
		 const char *what, const char *text)
{
	report->line(report->data, holds ? MACHINE_OK : else_, what, text);
}

static bool is_lpar_environment(const struct machine *machine)
{
	for (size_t i = 0; i < machine->nr_lpars; i++) {
		if (machine->lpar[i].runs == SYSTEM_ZVM)
			return false;
	}
	return !machine->zvm.given && !machine->via;
}

static const struct machine_lpar *lpar_of(const struct machine *machine, enum machine_system runs)
{
	for (size_t i = 0; i < machine->nr_lpars; i++) {
		if (machine->lpar[i].runs == runs)
			return &machine->lpar[i];
	}
	return NULL;
}

/* "SUSE 10 Service Pack 3 together with security update kernel 2.6.16.60-0.57.1, 11 Service Pack 1,
 * Red Hat 5 Update 5, 6" */
static void check_linux_vm(const struct machine *machine, const struct machine_report *report)
{
	if (machine->sles.given && machine->sles.number[0] == 10)
		tell(report,
		     at_least(&machine->sles, LEAST(10, 3)) && machine->kernel.given &&
			     at_least(&machine->kernel, LEAST(2, 6, 16, 60, 0, 57, 1)),
		     MACHINE_MISSING, "Linux",
		     "SLES 10 needs Service Pack 3 with kernel 2.6.16.60-0.57.1");
	else if (machine->sles.given)
		tell(report, at_least(&machine->sles, LEAST(11, 1)), MACHINE_MISSING, "Linux",
		     "SLES must be 11 Service Pack 1 or later, or 10 Service Pack 3");
	if (machine->rhel.given)
		tell(report, at_least(&machine->rhel, LEAST(5, 5)), MACHINE_MISSING, "Linux",
		     "RHEL must be 5 Update 5 or later");
}

/* "z/VSE and Linux on System z are configured as z/VM guests within the same LPAR": so one of the
 * partitions runs z/VM. */
static void check_guests(const struct machine *machine, const struct machine_report *report)
{
	if (machine->nr_lpars)
		tell(report, lpar_of(machine, SYSTEM_ZVM), MACHINE_MISSING, "LPAR mode",
		     "z/VSE and Linux must be guests of z/VM in one LPAR");
}

/* "z/VM (V5.3 and later, for guest exploitation)", of CPs with zAAPs or zIIPs in ESA/390 mode */
static void check_guest_exploitation(const struct machine *machine, const struct machine_lpar *lpar,
				     const struct machine_report *report)
{
	bool specialty = lpar->usage[PU_ZAAP] != USAGE_NONE || lpar->usage[PU_ZIIP] != USAGE_NONE;

	if (lpar->mode == MODE_ESA390 && specialty && machine->zvm.given)
		tell(report, at_least(&machine->zvm, LEAST(5, 3)), MACHINE_MISSING, "LPAR mode",
		     "zAAPs and zIIPs in ESA/390 mode need z/VM 5.3 or later");
}

static void check_zvm_mode(const struct machine *machine, const struct machine_report *report)
{
	const struct machine_lpar *lpar = lpar_of(machine, SYSTEM_ZVM);

	if (!lpar)
		return;
	check_guest_exploitation(machine, lpar, report);
	if (lpar->mode != MODE_ZVM) {
		report->line(report->data, MACHINE_ADVICE, "LPAR mode",
			     "IBM recommends a z/VM-mode LPAR, with z10 and z/VM 5.4 or later");
		return;
	}
	if (machine->server >= 0)
		tell(report, machine->server >= SERVER_Z10, MACHINE_MISSING, "LPAR mode",
		     "a z/VM-mode LPAR needs z10 or later");
	if (machine->zvm.given)
		tell(report, at_least(&machine->zvm, LEAST(5, 4)), MACHINE_MISSING, "LPAR mode",
		     "a z/VM-mode LPAR needs z/VM 5.4 or later");
}

static void check_vm(const struct machine *machine, const struct machine_report *report)
{
	if (machine->via && machine->zvm.given)
		tell(report, at_least(&machine->zvm, LEAST(6, 1)), MACHINE_MISSING, "z/VM",
		     "z/VM IP Assist needs z/VM 6.1 or later");
	if (machine->zvse.given && machine->via)
		tell(report, at_least(&machine->zvse, LEAST(5, 1)), MACHINE_MISSING, "z/VSE",
		     "z/VM IP Assist needs z/VSE 5.1 or later");
	else if (machine->zvse.given)
		tell(report, at_least(&machine->zvse, LEAST(4, 3)), MACHINE_MISSING, "z/VSE",
		     "LFP under z/VM needs z/VSE 4.3 or later");
	if (!machine->via)
		check_linux_vm(machine, report);
	check_guests(machine, report);
	check_zvm_mode(machine, report);
}

/* "A zEnterprise server (z196 or z114) at driver level 93 or later". Later servers have it. */
static void check_server_lpar(const struct machine *machine, const struct machine_report *report)
{
	bool enough = machine->server > SERVER_Z196 + 1 ||
		      (machine->server >= SERVER_Z196 && machine->driver >= 93);

	if (machine->server >= 0)
		tell(report, enough, MACHINE_MISSING, "server",
		     "LFP in an LPAR needs z196 or z114 at driver level 93, or a later server");
}

static void check_lpar(const struct machine *machine, const struct machine_report *report)
{
	check_server_lpar(machine, report);
	if (machine->zvse.given)
		tell(report,
		     at_least(&machine->zvse, LEAST(5, 2)) ||
			     (at_least(&machine->zvse, LEAST(5, 1)) && machine->ptfs),
		     MACHINE_MISSING, "z/VSE",
		     "LFP in an LPAR needs z/VSE 5.1 with PTFs, or later");
	if (machine->sles.given)
		tell(report, at_least(&machine->sles, LEAST(11, 2)), MACHINE_MISSING, "Linux",
		     "LFP in an LPAR needs SLES 11 Service Pack 2 or later");
	if (machine->rhel.given)
		tell(report, at_least(&machine->rhel, LEAST(7)), MACHINE_MISSING, "Linux",
		     "LFP in an LPAR needs RHEL 7 or later");
	if (machine->nr_lpars)
		tell(report, lpar_of(machine, SYSTEM_ZVSE) && lpar_of(machine, SYSTEM_LINUX),
		     MACHINE_MISSING, "LPAR mode", "z/VSE and Linux must both run in an LPAR");
}

void machine_check(const struct machine *machine, const struct machine_report *report)
{
	if (is_lpar_environment(machine))
		check_lpar(machine, report);
	else
		check_vm(machine, report);
	for (size_t i = 0; i < machine->nr_lpars; i++) {
		char text[MACHINE_TEXT];
		const char *why = machine_mode_allows(&machine->lpar[i], text);

		if (!why)
			snprintf(text, sizeof(text), "mode %s runs %s",
				 machine_modes[machine->lpar[i].mode],
				 machine_systems[machine->lpar[i].runs]);
		tell(report, !why, MACHINE_MISSING, "processors", text);
	}
}
