/* SPDX-License-Identifier: Apache-2.0 */
/* machine-modes.c - the modes of logical partitions: their processors, systems and usage */
#include <stdio.h>

#include "transport/machine.h"

const char *const machine_modes[MODES] = {"ESA390", "TPF", "CF", "LINUX", "ZVM"};
const char *const machine_systems[SYSTEMS] = {"ZVM", "ZVSE", "LINUX", "ZOS", "TPF", "ZTPF", "CFCC"};
const char *const machine_pus[PUS] = {"CP", "IFL", "ZAAP", "ZIIP", "ICF"};

#define BIT(n) (1u << (n))

/*
 * The six rows of "LPAR Modes on z10 and later" of IBM's presentation. A partition has only
 * processors of @pus, at least one of each in @needs, and at least one of @any if that is not 0.
 * With @alone it has one kind only. All are dedicated or all are shared, in every row.
 */
static const struct row {
	enum machine_mode mode;
	unsigned int pus, needs, any;
	bool alone;
	unsigned int systems;
} rows[] = {
	/* "z/Architecture operating systems, ESA/390 operating systems, Linux" */
	{MODE_ESA390, BIT(PU_CP), BIT(PU_CP), 0, true,
	 BIT(SYSTEM_ZVM) | BIT(SYSTEM_ZVSE) | BIT(SYSTEM_LINUX) | BIT(SYSTEM_ZOS)},
	/* "CPs and zAAPs or zIIPs: z/OS, z/VM (V5.3 and later, for guest exploitation)" */
	{MODE_ESA390, BIT(PU_CP) | BIT(PU_ZAAP) | BIT(PU_ZIIP), BIT(PU_CP),
	 BIT(PU_ZAAP) | BIT(PU_ZIIP), false, BIT(SYSTEM_ZOS) | BIT(SYSTEM_ZVM)},
	{MODE_TPF, BIT(PU_CP), BIT(PU_CP), 0, true, BIT(SYSTEM_TPF) | BIT(SYSTEM_ZTPF)},
	{MODE_CF, BIT(PU_ICF) | BIT(PU_CP), 0, BIT(PU_ICF) | BIT(PU_CP), true, BIT(SYSTEM_CFCC)},
	{MODE_LINUX, BIT(PU_IFL) | BIT(PU_CP), 0, BIT(PU_IFL) | BIT(PU_CP), true,
	 BIT(SYSTEM_LINUX) | BIT(SYSTEM_ZVM)},
	{MODE_ZVM, BIT(PUS) - 1, 0, BIT(PUS) - 1, false, BIT(SYSTEM_ZVM)},
};

static unsigned int pus_of(const struct machine_lpar *lpar, bool *mixed)
{
	enum machine_usage usage = USAGE_NONE;
	unsigned int pus = 0;

	*mixed = false;
	for (int pu = 0; pu < PUS; pu++) {
		if (lpar->usage[pu] == USAGE_NONE)
			continue;
		*mixed |= usage != USAGE_NONE && usage != lpar->usage[pu];
		usage = lpar->usage[pu];
		pus |= BIT(pu);
	}
	return pus;
}

static bool fits(const struct row *row, unsigned int pus)
{
	if ((pus & ~row->pus) || (pus & row->needs) != row->needs)
		return false;
	if (row->any && !(pus & row->any))
		return false;
	return !row->alone || !(pus & (pus - 1));
}

const char *machine_mode_allows(const struct machine_lpar *lpar, char why[static MACHINE_TEXT])
{
	const char *mode = machine_modes[lpar->mode];
	bool mixed, found = false, runs = false;
	unsigned int pus = pus_of(lpar, &mixed);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].mode != lpar->mode || !fits(&rows[i], pus))
			continue;
		found = true;
		runs |= (rows[i].systems & BIT(lpar->runs)) != 0;
	}
	if (!found)
		snprintf(why, MACHINE_TEXT, "mode %s does not have these processors", mode);
	else if (!runs)
		snprintf(why, MACHINE_TEXT, "mode %s with these processors does not run %s", mode,
			 machine_systems[lpar->runs]);
	else if (mixed)
		snprintf(why, MACHINE_TEXT, "all processors of mode %s must be DED, or all SHR",
			 mode);
	return found && runs && !mixed ? NULL : why;
}
