/* SPDX-License-Identifier: Apache-2.0 */
/* macro-list.c - prints the words of EZASMI and SOCKET for vseasm(1), from the library's tables */
#include <stdio.h>
#include <string.h>

#include "libvsesock/asm/ezasmi-statement.h"
#include "libvsesock/asm/socket-statement.h"
#include "libvsesock/csi/request.h"
#include "libvsesock/ezasmi/ezasmi.h"

static void print_common(const char *but)
{
	for (size_t i = 0; asm_common_at(i); i++)
		if (strcmp(asm_common_at(i), but) != 0)
			printf(" %s", asm_common_at(i));
}

static void print_all(const char *kind, const char *(*at)(size_t i))
{
	fputs(kind, stdout);
	for (size_t i = 0; at(i); i++)
		printf(" %s", at(i));
	putchar('\n');
}

int main(void)
{
	const struct smi_type *type;

	for (size_t i = 0; (type = smi_type_at(i)) != NULL; i++) {
		if (asm_lacking(type->name)) {
			printf("lacking %s %s\n", type->name, asm_lacking(type->name));
			continue;
		}
		printf("type %s", type->name);
		for (int k = 0; k < SMI_KEYWORDS && type->keywords[k].kind; k++)
			printf(" %s", type->keywords[k].name);
		if (type->numbers)
			fputs(" NS", stdout);
		print_common("CALAREA");
		putchar('\n');
	}
	fputs("type CANCEL", stdout);
	print_common("ECB");
	putchar('\n');
	print_all("functions", csi_function_at);
	print_all("connections", csi_type_at);
	print_all("fields", asm_field_at);
	return 0;
}
