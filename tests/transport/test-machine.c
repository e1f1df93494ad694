/* SPDX-License-Identifier: Apache-2.0 */
/* test-machine.c - a declared machine, against each rule and each row of IBM's presentation */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/machine.h"
#include "transport/vm-directory.h"

struct findings {
	unsigned int ok, missing, advice;
	char text[2000];
};

static void note(void *data, enum machine_finding finding, const char *what, const char *text)
{
	struct findings *found = data;
	size_t used = strlen(found->text);

	found->ok += finding == MACHINE_OK;
	found->missing += finding == MACHINE_MISSING;
	found->advice += finding == MACHINE_ADVICE;
	snprintf(found->text + used, sizeof(found->text) - used, "%s: %s; ", what, text);
}

static int read_text(const char *text, struct findings *found)
{
	const struct machine_report report = {.line = note, .data = found};
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct lfp_reader_error err;
	struct vm_directory *dir;
	int rc;

	assert_non_null(in);
	memset(found, 0, sizeof(*found));
	rc = vm_directory_read(in, "vm", &dir, &err);
	fclose(in);
	if (rc) {
		snprintf(found->text, sizeof(found->text), "%s", err.text);
		return rc;
	}
	machine_check(vm_directory_machine(dir), &report);
	vm_directory_free(dir);
	return 0;
}

/* What the presentation requires, one rule after the other: just enough, and just too little. */
static void each_level_is_checked(void **state)
{
	static const struct {
		const char *text;
		unsigned int missing, advice;
	} cases[] = {
		/* In a z/VM environment */
		{"LEVEL ZVM 5.3\nLEVEL ZVSE 4.3", 0, 0},
		{"LEVEL ZVM 5.3\nLEVEL ZVSE 4.2", 1, 0},
		{"MACHINE Z9\nLEVEL ZVM 4.4\nLEVEL ZVSE 4.3", 0, 0},
		{"LEVEL ZVM 5.4\nLEVEL SLES 10 SP 3 KERNEL 2.6.16.60-0.57.1", 0, 0},
		{"LEVEL ZVM 5.4\nLEVEL SLES 10 SP 3 KERNEL 2.6.16.60-0.57.0", 1, 0},
		{"LEVEL ZVM 5.4\nLEVEL SLES 10 SP 3", 1, 0},
		{"LEVEL ZVM 5.4\nLEVEL SLES 10 SP 2 KERNEL 2.6.16.60-0.57.1", 1, 0},
		{"LEVEL ZVM 5.4\nLEVEL SLES 11 SP 1", 0, 0},
		{"LEVEL ZVM 5.4\nLEVEL SLES 11", 1, 0},
		{"LEVEL ZVM 5.4\nLEVEL RHEL 5 UPDATE 5", 0, 0},
		{"LEVEL ZVM 5.4\nLEVEL RHEL 5 UPDATE 4", 1, 0},
		{"LEVEL ZVM 5.4\nLEVEL RHEL 6", 0, 0},
		{"MACHINE Z10\nLEVEL ZVM 5.4\nMODE ZVM RUNS ZVM CP SHR IFL SHR", 0, 0},
		{"MACHINE Z9\nLEVEL ZVM 5.4\nMODE ZVM RUNS ZVM CP SHR", 1, 0},
		{"MACHINE Z10\nLEVEL ZVM 5.3\nMODE ZVM RUNS ZVM CP SHR", 1, 0},
		{"MACHINE Z10\nLEVEL ZVM 5.4\nMODE ESA390 RUNS ZVM CP SHR", 0, 1},
		{"MACHINE Z10\nLEVEL ZVM 5.4\nMODE LINUX RUNS ZVM CP SHR", 0, 1},
		{"MACHINE Z10\nLEVEL ZVM 5.3\nMODE ESA390 RUNS ZVM CP SHR ZIIP SHR", 0, 1},
		{"MACHINE Z10\nLEVEL ZVM 5.2\nMODE ESA390 RUNS ZVM CP SHR ZIIP SHR", 1, 1},
		{"MACHINE Z10\nLEVEL ZVM 5.2\nMODE ESA390 RUNS ZVM CP DED ZAAP DED", 1, 1},
		{"LEVEL ZVM 5.2\nMODE ESA390 RUNS ZVM CP SHR", 0, 1},
		{"LEVEL ZVM 5.4\nMODE ESA390 RUNS ZVSE CP SHR\nMODE LINUX RUNS LINUX IFL SHR", 1,
		 0},
		{"LEVEL ZVM 5.4\nMODE ESA390 RUNS ZOS CP SHR\nMODE ZVM RUNS ZVM CP SHR", 0, 0},
		/* z/VM IP Assist */
		{"LEVEL VIA\nLEVEL ZVM 6.1\nLEVEL ZVSE 5.1", 0, 0},
		{"LEVEL VIA\nLEVEL ZVM 5.4\nLEVEL ZVSE 5.1", 1, 0},
		{"LEVEL VIA\nLEVEL ZVM 6.1\nLEVEL ZVSE 4.3", 1, 0},
		/* In an LPAR environment */
		{"MACHINE Z196 DRIVER 93\nLEVEL ZVSE 5.1 PTFS\nLEVEL SLES 11 SP 2\n"
		 "MODE ESA390 RUNS ZVSE CP SHR\nMODE LINUX RUNS LINUX IFL DED",
		 0, 0},
		{"MACHINE Z114 DRIVER 93", 0, 0},
		{"MACHINE Z196 DRIVER 86", 1, 0},
		{"MACHINE Z196", 1, 0},
		{"MACHINE Z10 DRIVER 93", 1, 0},
		{"MACHINE ZEC12", 0, 0},
		{"LEVEL ZVSE 5.1", 1, 0},
		{"LEVEL ZVSE 5.2", 0, 0},
		{"LEVEL ZVSE 4.3 PTFS", 1, 0},
		{"LEVEL SLES 11 SP 1", 1, 0},
		{"LEVEL RHEL 6", 1, 0},
		{"LEVEL RHEL 7", 0, 0},
		{"MODE ESA390 RUNS ZVSE CP SHR", 1, 0},
	};
	struct findings found;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_text(cases[i].text, &found), 0);
		if (found.missing != cases[i].missing || found.advice != cases[i].advice)
			fail_msg("%s: %s", cases[i].text, found.text);
		assert_true(found.ok + found.missing + found.advice > 0);
	}
}

/* Each cell of "LPAR Modes on z10 and later": a set of processors by mode, and each system. */
static void each_cell_of_the_table_is_checked(void **state)
{
	static const struct {
		enum machine_mode mode;
		const char *pus; /* of C I A Z F: CP, IFL, zAAP, zIIP, ICF */
		const char
			*systems; /* of V S L O T P C: z/VM, z/VSE, Linux, z/OS, TPF, z/TPF, CFCC */
	} cells[] = {
		{MODE_ESA390, "C", "VSLO"}, {MODE_ESA390, "CA", "VO"}, {MODE_ESA390, "CZ", "VO"},
		{MODE_ESA390, "CAZ", "VO"}, {MODE_TPF, "C", "TP"},     {MODE_CF, "F", "C"},
		{MODE_CF, "C", "C"},        {MODE_LINUX, "I", "VL"},   {MODE_LINUX, "C", "VL"},
	};
	static const char pus[] = "CIAZF", systems[] = "VSLOTPC";

	(void)state;
	for (int mode = 0; mode < MODES; mode++) {
		for (unsigned int set = 1; set < 1u << PUS; set++) {
			struct machine_lpar lpar = {.mode = (enum machine_mode)mode};
			const char *runs = mode == MODE_ZVM ? "V" : "";
			char name[PUS + 1] = "", why[MACHINE_TEXT];

			for (int pu = 0; pu < PUS; pu++) {
				if (set & 1u << pu) {
					lpar.usage[pu] = USAGE_DED;
					strncat(name, &pus[pu], 1);
				}
			}
			for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
				if ((int)cells[i].mode == mode && !strcmp(cells[i].pus, name))
					runs = cells[i].systems;
			}
			for (int system = 0; system < SYSTEMS; system++) {
				lpar.runs = (enum machine_system)system;
				assert_int_equal(!machine_mode_allows(&lpar, why),
						 strchr(runs, systems[system]) != NULL);
			}
		}
	}
}

/* "PUs usage" of each row: all are dedicated or all are shared, and no two kinds differ. */
static void each_usage_of_the_table_is_checked(void **state)
{
	static const struct {
		enum machine_mode mode;
		enum machine_system runs;
		enum machine_pu one, other; /* the same: the row has one kind of processors */
	} rows[] = {
		{MODE_ESA390, SYSTEM_ZVSE, PU_CP, PU_CP},
		{MODE_ESA390, SYSTEM_ZOS, PU_CP, PU_ZAAP},
		{MODE_ESA390, SYSTEM_ZOS, PU_CP, PU_ZIIP},
		{MODE_TPF, SYSTEM_ZTPF, PU_CP, PU_CP},
		{MODE_CF, SYSTEM_CFCC, PU_ICF, PU_ICF},
		{MODE_CF, SYSTEM_CFCC, PU_CP, PU_CP},
		{MODE_LINUX, SYSTEM_LINUX, PU_IFL, PU_IFL},
		{MODE_LINUX, SYSTEM_ZVM, PU_CP, PU_CP},
		{MODE_ZVM, SYSTEM_ZVM, PU_CP, PU_IFL},
		{MODE_ZVM, SYSTEM_ZVM, PU_ZIIP, PU_ICF},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int one = USAGE_DED; one <= USAGE_SHR; one++) {
			for (int other = USAGE_DED; other <= USAGE_SHR; other++) {
				struct machine_lpar lpar = {.mode = rows[i].mode,
							    .runs = rows[i].runs};
				char why[MACHINE_TEXT];

				lpar.usage[rows[i].one] = (enum machine_usage)one;
				lpar.usage[rows[i].other] = (enum machine_usage)other;
				assert_int_equal(!machine_mode_allows(&lpar, why),
						 one == other || rows[i].one == rows[i].other);
			}
		}
	}
}

static void all_are_shared_or_all_dedicated(void **state)
{
	static const char *const mixed[] = {
		"MODE ZVM RUNS ZVM CP SHR IFL DED",
		"MODE ESA390 RUNS ZOS CP DED ZIIP SHR",
	};
	struct findings found;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		read_text(mixed[i], &found);
		assert_non_null(strstr(found.text, "must be DED, or all SHR"));
	}
	read_text("MODE ESA390 RUNS ZVSE CP SHR IFL SHR", &found);
	assert_non_null(strstr(found.text, "mode ESA390 does not have these processors"));
	read_text("MODE ZVM RUNS ZVM CP SHR IFL SHR ZAAP SHR ZIIP SHR ICF SHR", &found);
	assert_int_equal(found.missing, 0);
}

static void wrong_statements_are_named(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"MACHINE", "vm:1: MACHINE: takes a server, and DRIVER with a number"},
		{"MACHINE Z1", "vm:1: MACHINE: z/VSE does not support the server Z1"},
		{"MACHINE Z10\nMACHINE Z10", "vm:2: MACHINE: is given twice"},
		{"LEVEL ZVM", "vm:1: LEVEL: a version is missing after ZVM"},
		{"LEVEL ZVM 6.1 PTFS", "vm:1: LEVEL: unexpected word PTFS"},
		{"LEVEL DEBIAN 12", "vm:1: LEVEL: takes ZVM, ZVSE, SLES, RHEL or VIA"},
		{"LEVEL SLES 11 SP", "vm:1: LEVEL: a number is missing after SP"},
		{"LEVEL SLES 11 UPDATE 1", "vm:1: LEVEL: unexpected word UPDATE"},
		{"LEVEL ZVSE 1..2", "vm:1: LEVEL: a version is missing after ZVSE"},
		{"MODE VM RUNS ZVM CP SHR", "vm:1: MODE: unknown mode VM"},
		{"MODE ZVM RUNS CMS CP SHR", "vm:1: MODE: unknown system CMS"},
		{"MODE ZVM RUNS ZVM PU SHR", "vm:1: MODE: unknown processors PU"},
		{"MODE ZVM RUNS ZVM CP ALL", "vm:1: MODE: neither DED nor SHR: ALL"},
		{"MODE ZVM RUNS ZVM CP DED CP DED", "vm:1: MODE: processors are given twice: CP"},
	};
	struct findings found;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_not_equal(read_text(cases[i].text, &found), 0);
		assert_string_equal(found.text, cases[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_is_checked),
		cmocka_unit_test(each_cell_of_the_table_is_checked),
		cmocka_unit_test(each_usage_of_the_table_is_checked),
		cmocka_unit_test(all_are_shared_or_all_dedicated),
		cmocka_unit_test(wrong_statements_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
