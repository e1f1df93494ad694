/* SPDX-License-Identifier: Apache-2.0 */
/* requestor.c - stands for DB2's application requestor in a CICS partition
 *
 *	requestor HOST PORT SQL...
 *
 * One CICS-style task connects to the database, another one sends the query and reads the rows,
 * whose first columns are printed. That needs LFP$CIC=SHARE; without it, the second task may not
 * use the connection.
 */
#include "pg.h"
#include <vsesock.h>

int main(int argc, char **argv)
{
	struct pg pg;
	char sql[400] = "";
	int connects, asks, more, i;

	for (i = 3; i < argc && strlen(sql) + strlen(argv[i]) + 2 <= sizeof(sql); i++) {
		strcat(sql, argv[i]);
		strcat(sql, " ");
	}
	if (argc < 4 || i < argc) {
		fprintf(stderr, "usage: requestor HOST PORT SQL...\n");
		return 16;
	}
	connects = vse_task_begin("DB2CONN");
	if (connects < 0 || pg_connect(&pg, argv[1], argv[2], "lfp", "postgres") != 0) {
		fprintf(stderr, "requestor: %s\n", connects < 0 ? "no CICS-style task" : pg.error);
		return 12;
	}
	asks = vse_task_begin("DB2ASKS"); /* the thread now works for this task */
	if (asks < 0) {
		fprintf(stderr, "requestor: no second task\n");
		return 12;
	}
	more = pg_query(&pg, sql);
	while (more >= 0 && (more = pg_row(&pg)) > 0)
		printf("%.*s\n", (int)pg.size[0], pg.columns && pg.value[0] ? pg.value[0] : "");
	if (more < 0) {
		fprintf(stderr, "requestor: the second task: %s\n", pg.error);
		return 8;
	}
	pg_end(&pg);
	vse_task_end(asks);
	vse_task_end(connects);
	return 0;
}
