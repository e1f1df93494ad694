/* SPDX-License-Identifier: Apache-2.0 */
/* display.c - D M=CPU */
#include "devemu/engine/display.h"

void cpu_display(const struct cpu_machine *machine, unsigned int cps, unsigned int ziips,
		 bool (*online)(const void *context, unsigned int cpu), const void *context,
		 FILE *out)
{
	fputs("PROCESSOR STATUS\nID  CPU                SERIAL\n", out);
	for (unsigned int i = 0; i < cps + ziips; i++)
		/* The serial number of a processor: the partition, the end of the machine's
		 * serial number, the machine's type. */
		fprintf(out, "%02X  %c%-1s                 %02X%s%s\n", i,
			!online || online(context, i) ? '+' : '-', i < cps ? "" : "I",
			machine->lpar_id, machine->serial + 1, machine->machine);
	fprintf(out,
		"CPC ND = 00%s.%s.IBM.02.0000000%s\n"
		"CPC SI = %s.%s.IBM.02.00000000000%s\n"
		"CPC ID = 00\n"
		"CPC NAME = %s\n"
		"LP NAME = %-8s   LP ID = %X\n"
		"CSS ID = %X\n"
		"MIF ID = %X\n"
		"+ ONLINE    - OFFLINE    . DOES NOT EXIST    W WLM-MANAGED    N NOT AVAILABLE\n",
		machine->machine, machine->model, machine->serial, machine->machine,
		machine->capacity, machine->serial, machine->cpc, machine->lpar, machine->lpar_id,
		machine->css, machine->mif);
	if (ziips)
		fputs("I INTEGRATED INFORMATION PROCESSOR (zIIP)\n", out);
	fputs("CPC ND   CENTRAL PROCESSING COMPLEX NODE DESCRIPTOR\n"
	      "CPC SI   SYSTEM INFORMATION FROM STSI INSTRUCTION\n"
	      "CPC ID   CENTRAL PROCESSING COMPLEX IDENTIFIER\n"
	      "CPC NAME CENTRAL PROCESSING COMPLEX NAME\n"
	      "LP NAME  LOGICAL PARTITION NAME\n"
	      "LP ID    LOGICAL PARTITION IDENTIFIER\n",
	      out);
}
