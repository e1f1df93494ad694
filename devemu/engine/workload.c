/* SPDX-License-Identifier: Apache-2.0 */
/* workload.c - the Workload Activity report */
#include "devemu/engine/workload.h"

#include <math.h>
#include <string.h>

#include "json/json.h"

#define NS 1e9

enum { NUMBER = 16 };

void workload_compute(const struct workload *workload, struct workload_numbers *numbers)
{
	const struct class_account *account = &workload->account;
	const double seconds = workload->interval, percent = 100 / (NS * seconds);
	const double use = (double)account->using_ns, delay = (double)account->delay_ns;
	const double samples = fmax(NS * seconds, use + delay);

	numbers->cp = (double)(account->cp_ns + account->iipcp_ns) * percent;
	numbers->iipcp =
		workload->ziips || workload->project ? (double)account->iipcp_ns * percent : NAN;
	numbers->iip = workload->ziips ? (double)account->iip_ns * percent : NAN;
	numbers->cpu_seconds = (double)(account->cp_ns + account->iipcp_ns + account->iip_ns) / NS;
	numbers->iip_seconds = workload->ziips ? (double)account->iip_ns / NS : NAN;
	numbers->total = numbers->cpu_seconds * workload->units;
	numbers->rate = numbers->total / seconds;
	numbers->using_percent = 100 * use / samples;
	numbers->delay_percent = 100 * delay / samples;
	numbers->velocity = use + delay > 0 ? 100 * use / (use + delay) : 100;
	numbers->index = numbers->velocity > 0 ? workload->goal / numbers->velocity : 0;
}

static const char *fixed(double value, int places, char text[NUMBER])
{
	if (isnan(value))
		strcpy(text, "N/A");
	else
		snprintf(text, NUMBER, "%.*f", places, value);
	return text;
}

/* Service units as RMF prints them: more than six digits in thousands. */
static const char *units(double value, char text[NUMBER])
{
	if (value >= 999999.5)
		snprintf(text, NUMBER, "%.0fK", value / 1000);
	else
		snprintf(text, NUMBER, "%.0f", value);
	return text;
}

static const char *thousands(double value, char text[NUMBER])
{
	snprintf(text, NUMBER, value >= 1000 ? "%.0fK" : "%.0f",
		 value >= 1000 ? value / 1000 : value);
	return text;
}

struct cells {
	char total[NUMBER], rate[NUMBER], absorption[NUMBER], cpu[NUMBER], iip_seconds[NUMBER];
	char cp[NUMBER], iipcp[NUMBER], iip[NUMBER];
};

static void fill(const struct workload_numbers *numbers, struct cells *cells)
{
	units(numbers->total, cells->total);
	snprintf(cells->rate, NUMBER, "%.0f", numbers->rate);
	thousands(numbers->rate, cells->absorption);
	fixed(numbers->cpu_seconds, 1, cells->cpu);
	fixed(numbers->iip_seconds, 1, cells->iip_seconds);
	fixed(numbers->cp, 2, cells->cp);
	fixed(numbers->iipcp, 2, cells->iipcp);
	fixed(numbers->iip, 2, cells->iip);
}

static void head(const struct workload *workload, FILE *out)
{
	fprintf(out,
		"REPORT BY: POLICY=SDPOL     WORKLOAD=IPSECWK     SERVICE CLASS=%-8s  RESOURCE GROUP=*NONE\n"
		"                                                 CRITICAL     =NONE\n"
		"                                                 DESCRIPTION  =IPSec traffic\n\n"
		"TRANSACTIONS   TRANS-TIME HHH.MM.SS.TTT  --DASD I/O--  ---SERVICE----  SERVICE TIMES  "
		"---APPL %%---  PAGE-IN RATES\n",
		workload->class);
}

static void body(const struct cells *cells, FILE *out)
{
	static const char form[] =
		"%-7s %5s  %-10s             %1s  %-6s  %4s  %-8s%6s  %-4s   %6s  %-5s %6s  %-8s  %3s\n";
	const struct {
		const char *cell[14];
	} row[] = {
		{{"AVG", "1.00", "ACTUAL", "0", "SSCHRT", "0.0", "IOC", "0", "CPU", cells->cpu,
		  "CP", cells->cp, "SINGLE", "0.0"}},
		{{"MPL", "1.00", "EXECUTION", "0", "RESP", "0.0", "CPU", cells->total, "SRB", "0.0",
		  "AAPCP", "0.00", "BLOCK", "0.0"}},
		{{"ENDED", "0", "QUEUED", "0", "CONN", "0.0", "MSO", "0", "RCT", "0.0", "IIPCP",
		  cells->iipcp, "SHARED", "0.0"}},
		{{"END/S", "0.00", "R/S AFFIN", "0", "DISC", "0.0", "SRB", "0", "IIT", "0.0", "",
		  "", "HSP", "0.0"}},
		{{"#SWAPS", "0", "INELIGIBLE", "0", "Q+PEND", "0.0", "TOT", cells->total, "HST",
		  "0.0", "AAP", "N/A", "HSP MISS", "0.0"}},
		{{"EXCTD", "0", "CONVERSION", "0", "IOSQ", "0.0", "/SEC", cells->rate, "AAP", "N/A",
		  "IIP", cells->iip, "EXP SNGL", "0.0"}},
		{{"AVG ENC", "1.00", "STD DEV", "0", "", "", "", "", "IIP", cells->iip_seconds, "",
		  "", "EXP BLK", "0.0"}},
		{{"REM ENC", "0.00", "", "", "", "", "ABSRPTN", cells->absorption, "", "", "", "",
		  "EXP SHR", "0.0"}},
		{{"MS ENC", "0.00", "", "", "", "", "TRX SERV", cells->absorption, "", "", "", "",
		  "", ""}},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const char *const *cell = row[i].cell;
		char line[160];
		size_t len;

		snprintf(line, sizeof(line), form, cell[0], cell[1], cell[2], cell[3], cell[4],
			 cell[5], cell[6], cell[7], cell[8], cell[9], cell[10], cell[11], cell[12],
			 cell[13]);
		for (len = strlen(line); len > 1 && line[len - 2] == ' '; len--)
			;
		fprintf(out, "%.*s\n", (int)len - 1, line);
	}
}

void workload_text(const struct workload *workload, FILE *out)
{
	struct workload_numbers numbers;
	struct cells cells;

	workload_compute(workload, &numbers);
	fill(&numbers, &cells);
	head(workload, out);
	body(&cells, out);
	fprintf(out,
		"\nPER IMPORTANCE  PERF INDX   EX VEL GOAL  EX VEL ACT   USING%%  DELAY%%\n"
		"1   %10u  %9.1f   %11.0f  %10.1f   %6.1f  %6.1f\n",
		workload->importance, numbers.index, workload->goal, numbers.velocity,
		numbers.using_percent, numbers.delay_percent);
}

void workload_json(const struct workload *workload, FILE *out)
{
	struct workload_numbers numbers;
	json_t *object = json_object();

	workload_compute(workload, &numbers);
	json_object_set_new(object, "service_class", json_text(workload->class));
	json_object_set_new(object, "importance", json_count(workload->importance));
	json_object_set_new(object, "interval_s", json_decimal(workload->interval));
	json_object_set_new(object, "appl_cp", json_decimal(numbers.cp));
	json_object_set_new(object, "appl_iipcp", json_decimal(numbers.iipcp));
	json_object_set_new(object, "appl_iip", json_decimal(numbers.iip));
	json_object_set_new(object, "cpu_s", json_decimal(numbers.cpu_seconds));
	json_object_set_new(object, "iip_s", json_decimal(numbers.iip_seconds));
	json_object_set_new(object, "service_units", json_decimal(numbers.total));
	json_object_set_new(object, "service_units_per_s", json_decimal(numbers.rate));
	json_object_set_new(object, "using_percent", json_decimal(numbers.using_percent));
	json_object_set_new(object, "delay_percent", json_decimal(numbers.delay_percent));
	json_object_set_new(object, "velocity", json_decimal(numbers.velocity));
	json_object_set_new(object, "performance_index", json_decimal(numbers.index));
	(void)json_line(object, JSON_COMPACT, out);
}

void projection_compute(double eligible, double share, double capture,
			struct projection *projection)
{
	projection->eligible = eligible;
	for (int i = 0; i < 2; i++) {
		projection->iip[i] = fmin(eligible, share * capture * (i + 1));
		projection->iipcp[i] = eligible - projection->iip[i];
	}
	projection->ziips = (unsigned int)ceil(eligible / share);
}

void projection_text(const struct projection *projection, FILE *out)
{
	fprintf(out, "PROJECTED: %.2f %% of one CP is eligible, %u zIIP(s) for all of it\n",
		projection->eligible, projection->ziips);
	for (int i = 0; i < 2; i++)
		fprintf(out, "  with %d zIIP(s): IIP %.2f  IIPCP %.2f\n", i + 1, projection->iip[i],
			projection->iipcp[i]);
}

double workload_capture(const struct pool_account *account, unsigned int engines)
{
	uint64_t charged = 0, lost = 0;

	for (unsigned int i = 0; i < engines; i++) {
		const struct engine_account *engine = &account->engine[i];
		const uint64_t rest = engine->thread_ns - engine->charged_ns;

		charged += engine->charged_ns;
		/* A wait that began before the interval counts when it ends. */
		if (rest > engine->waiting_ns)
			lost += rest - engine->waiting_ns;
	}
	return charged ? (double)charged / (double)(charged + lost) : 1;
}
