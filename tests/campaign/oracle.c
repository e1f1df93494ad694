/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.c - random sequences of socket calls, natively and on LFP
 *
 *	oracle direct SEED FIRST COUNT TIER LIST :: NATIVE... :: LFP...
 *	oracle execute TIER LIST
 *
 * "direct" compares COUNT sequences of SEED, from number FIRST on. NATIVE and LFP are the commands
 * that start "execute", the program of these calls. LIST has the differences of TIER. Ends with 1
 * if sequences differ.
 */
#include <stdio.h>
#include <string.h>

#include "tests/campaign/oracle/oracle.h"
#include "tests/system/tool.h"

static int usage(void)
{
	fprintf(stderr, "oracle direct SEED FIRST COUNT TIER LIST :: NATIVE... :: LFP...\n");
	return 64;
}

int main(int argc, char **argv)
{
	struct director_orders orders;
	int second = 9;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[1], "execute")) {
		differences_read(argv[3], argv[2]);
		execute();
	}
	if (argc < 11 || strcmp(argv[1], "direct") != 0 || strcmp(argv[7], "::") != 0)
		return usage();
	while (second < argc - 1 && strcmp(argv[second], "::") != 0)
		second++;
	if (second >= argc - 1)
		return usage();
	argv[second] = NULL;
	differences_read(argv[6], argv[5]);
	orders = (struct director_orders){
		.seed = number(argv[2]),
		.first = number(argv[3]),
		.count = number(argv[4]),
		.native = argv + 8,
		.lfp = argv + second + 1,
	};
	return direct(&orders);
}
