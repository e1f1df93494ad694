/* SPDX-License-Identifier: Apache-2.0 */
/* statements.c - the statements of a scenario, zdev-scenario(5) */
#include "devemu/scenario/line.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "devemu/clock/sim.h"
#include "devemu/qdio/qdio.h"
#include "devemu/scenario/key.h"
#include "devemu/scenario/scenario.h"
#include "lfp/number.h"

#define ADD(config, list, count)                                                                   \
	config_add(&(config)->list, &(config)->count, sizeof(*(config)->list))

static int seed(struct config *config, struct line *line)
{
	unsigned long value;

	if (names_are(line, 1) < 0)
		return -EINVAL;
	if (lfp_number(line->name[0], 0, ULONG_MAX, &value) < 0)
		return line_fail(line, "", "'%s' is not a number of up to 64 bits", line->name[0]);
	config->seed = value;
	return 0;
}

static int warmup(struct config *config, struct line *line)
{
	return names_are(line, 1) < 0 ? -EINVAL : name_time(line, 0, &config->warmup);
}

static int run_time(struct config *config, struct line *line)
{
	if (names_are(line, 1) < 0 || name_time(line, 0, &config->time) < 0)
		return -EINVAL;
	return config->time > 0 ? 0 : line_fail(line, "", "the time must be more than 0");
}

static int zhpf(struct config *config, struct line *line)
{
	if (names_are(line, 1) < 0)
		return -EINVAL;
	if (value_bool(line->name[0], &config->zhpf) < 0)
		return line_fail(line, "", "'%s' is neither yes nor no", line->name[0]);
	if (config->iecios[0])
		return line_fail(line, "", "the 'iecios' member already sets the switch");
	config->zhpf_line = line->nr;
	return 0;
}

static int iecios(struct config *config, struct line *line)
{
	if (names_are(line, 1) < 0 ||
	    name_text(line, 0, "member", config->iecios, sizeof(config->iecios)) < 0)
		return -EINVAL;
	if (config->zhpf_line)
		return line_fail(line, "", "line %d already sets the switch", config->zhpf_line);
	return 0;
}

static int tcpip(struct config *config, struct line *line)
{
	unsigned int frame = config->hipersockets_frame;

	if (names_are(line, 1) < 0 ||
	    name_text(line, 0, "member", config->tcpip, sizeof(config->tcpip)) < 0 ||
	    key_size(line, "frame", 1, UINT16_MAX + 1, &frame) < 0)
		return -EINVAL;
	if (!qdio_mtu(frame))
		return line_fail(line, "frame", "frames have 16K, 24K, 40K or 64K");
	config->hipersockets_frame = frame;
	return 0;
}

static int setios(struct config *config, struct line *line)
{
	struct setios_config *to = ADD(config, setios, setioses);

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	if (names_are(line, 1) < 0 || name_time(line, 0, &to->at) < 0)
		return -EINVAL;
	if (key_bool(line, "zhpf", &to->zhpf) < 0)
		return -EINVAL;
	return line->keys ? 0 : line_fail(line, "zhpf", "yes or no is required");
}

static int link_speed(struct line *line, const char *key, unsigned int *gbps)
{
	static const char *const words[] = {"4", "8", "16", "32", NULL};
	unsigned int index = UINT_MAX;

	if (key_word(line, key, words, &index) < 0)
		return -EINVAL;
	if (index != UINT_MAX)
		*gbps = 4U << index;
	return 0;
}

static int link_statement(struct config *config, struct line *line)
{
	struct link_config *to = ADD(config, link, links);

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->gbps = 32;
	to->fec = true;
	to->credits = 90;
	to->credit_efficiency = 100;
	to->count = 1;
	if (names_are(line, 1) < 0 || name_text(line, 0, "link", to->name, sizeof(to->name)) < 0 ||
	    link_speed(line, "speed", &to->gbps) < 0 || key_bool(line, "fec", &to->fec) < 0 ||
	    key_distance(line, "distance", &to->metres) < 0 ||
	    key_number(line, "credits", 1, 65535, &to->credits) < 0 ||
	    key_percent(line, "credit-efficiency", 1, &to->credit_efficiency) < 0 ||
	    key_number(line, "count", 1, 64, &to->count) < 0)
		return -EINVAL;
	return 0;
}

/* fcfs, rr, ps (a quantum of 0.2 us) or ps:QUANTUM */
static int discipline(struct line *line, struct channel_config *to)
{
	const char *text = line_value(line, "discipline");

	to->quantum = 200 * SIM_NS;
	if (!text || !strcmp(text, "fcfs"))
		return 0;
	if (!strcmp(text, "rr")) {
		to->discipline = DISCIPLINE_RR;
		return 0;
	}
	to->discipline = DISCIPLINE_PS;
	if (!strcmp(text, "ps"))
		return 0;
	if (strncmp(text, "ps:", 3) || value_time(text + 3, &to->quantum) < 0 ||
	    to->quantum < SIM_NS)
		return line_fail(line, "discipline",
				 "'%s' is not fcfs, rr, ps or ps:TIME (at least 1ns)", text);
	return 0;
}

static int channel(struct config *config, struct line *line)
{
	static const char *const types[] = {[CHANNEL_FC] = "FC", [CHANNEL_FCP] = "FCP", NULL};
	struct channel_config *to = ADD(config, channel, channels);
	unsigned int type = CHANNEL_FC;

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->card = (unsigned int)(config->channels - 1) / 2;
	strcpy(to->preset, "FEx32S");
	if (names_are(line, 1) < 0 || name_hex(line, 0, "CHPID", 0xFF, &to->chpid) < 0 ||
	    key_text(line, "preset", to->preset, sizeof(to->preset)) < 0 ||
	    key_word(line, "type", types, &type) < 0 || link_speed(line, "speed", &to->gbps) < 0 ||
	    key_not(line, "fec", &to->no_fec) < 0 || discipline(line, to) < 0 ||
	    key_number(line, "card", 0, 65535, &to->card) < 0)
		return -EINVAL;
	to->domain = to->card / 8;
	if (key_number(line, "domain", 0, 65535, &to->domain) < 0 ||
	    key_not(line, "zhpf", &to->no_zhpf) < 0 ||
	    key_not(line, "first-transfer-ready", &to->no_first_transfer_ready) < 0 ||
	    key_fces(line, &to->fces, to->key_server) < 0)
		return -EINVAL;
	to->type = (enum channel_type)type;
	return 0;
}

static int control_unit(struct config *config, struct line *line)
{
	struct control_unit_config *to = ADD(config, control_unit, control_units);

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->ports = 8;
	to->lcu = UINT_MAX;
	strcpy(to->serial, "0000000ZDEV1");
	strcpy(to->preset, "DS8950");
	if (names_are(line, 1) < 0 || name_hex(line, 0, "control unit", 0xFFFF, &to->number) < 0 ||
	    key_text(line, "preset", to->preset, sizeof(to->preset)) < 0 ||
	    key_number(line, "ports", 1, 256, &to->ports) < 0 ||
	    key_not(line, "zhpf", &to->no_zhpf) < 0 ||
	    key_fces(line, &to->fces, to->key_server) < 0 ||
	    key_hex(line, "lcu", 0xFFFF, &to->lcu) < 0 ||
	    key_hex(line, "address", 0xFF, &to->address) < 0 ||
	    key_hex64(line, "wwnn", &to->wwnn) < 0 ||
	    key_text(line, "serial", to->serial, sizeof(to->serial)) < 0)
		return -EINVAL;
	return 0;
}

static int device(struct config *config, struct line *line)
{
	struct device_config *to = ADD(config, device, devices);

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->aliases = UINT_MAX;
	to->hit = 100;
	to->miss_time = 3 * SIM_MS;
	to->cylinders = 65520;
	if (names_are(line, 1) < 0)
		return -EINVAL;
	if (value_devices(line->name[0], &to->number, &to->count) < 0)
		return line_fail(line, "", "'%s' is not a device such as 7800, or 7800-781F",
				 line->name[0]);
	if (!line_value(line, "cu"))
		return line_fail(line, "cu", "the control unit's number is required");
	if (key_hex(line, "cu", 0xFFFF, &to->cu) < 0 || key_percent(line, "hit", 0, &to->hit) < 0 ||
	    key_time(line, "miss", &to->miss_time) < 0 ||
	    key_number(line, "aliases", 0, 65535, &to->aliases) < 0 ||
	    key_not(line, "zhpf", &to->no_zhpf) < 0 ||
	    key_text(line, "volser", to->volser, 7) < 0 ||
	    key_text(line, "file", to->file, sizeof(to->file)) < 0 ||
	    key_number(line, "cylinders", 1, 268435456, &to->cylinders) < 0)
		return -EINVAL;
	return 0;
}

/* NAME,NAME,... */
static int via(struct line *line, struct path_config *to)
{
	const char *text = line_value(line, "via");

	while (text) {
		const size_t len = strcspn(text, ",");

		if (!len || len >= CONFIG_NAME_MAX)
			return line_fail(line, "via", "needs link names of 1 to %d characters",
					 CONFIG_NAME_MAX - 1);
		if (to->via_count == CONFIG_VIA_MAX)
			return line_fail(line, "via", "names more than %d links", CONFIG_VIA_MAX);
		memcpy(to->via[to->via_count], text, len);
		to->via[to->via_count++][len] = '\0';
		text = text[len] ? text + len + 1 : NULL;
	}
	return 0;
}

static int path(struct config *config, struct line *line)
{
	struct path_config *to = ADD(config, path, paths);

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	if (names_are(line, 2) < 0 || name_hex(line, 0, "CHPID", 0xFF, &to->chpid) < 0 ||
	    name_hex(line, 1, "control unit", 0xFFFF, &to->cu) < 0 ||
	    key_number(line, "port", 0, 255, &to->port) < 0 || via(line, to) < 0 ||
	    key_hex(line, "entry", 0xFFFF, &to->entry) < 0 ||
	    key_hex(line, "dest", 0xFFFF, &to->dest) < 0 ||
	    key_number(line, "corrupt-frames", 1, 1000000000, &to->corrupt) < 0)
		return -EINVAL;
	return 0;
}

/* Arrivals a second, up to a thousand million; into arrivals in a million seconds. */
static int rate(struct line *line, uint64_t *micro)
{
	const char *text = line_value(line, "rate");

	if (!text)
		return 0;
	if (value_micro(text, UINT64_C(1000000000000000), micro) < 0 || !*micro)
		return line_fail(line, "rate",
				 "'%s' is not a rate such as 8187.4, up to 1000000000", text);
	return 0;
}

static int load(struct config *config, struct line *line)
{
	static const char *const programs[] = {
		[PROGRAM_AUTO] = "auto", [PROGRAM_CCW] = "ccw", NULL};
	static const char *const arrivals[] = {"random", "even", NULL};
	struct load_config *to = ADD(config, load, loads);
	unsigned int program = PROGRAM_AUTO, even = 0;

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->bytes = 4096;
	to->read = 100;
	to->align = 4096;
	if (names_are(line, 1) < 0 || name_text(line, 0, "load", to->name, sizeof(to->name)) < 0)
		return -EINVAL;
	if (!line_value(line, "devices"))
		return line_fail(line, "devices", "a device or a range of devices is required");
	if (key_devices(line, "devices", &to->device, &to->devices) < 0 ||
	    key_number(line, "streams", 1, 1000000, &to->streams) < 0 ||
	    key_time(line, "think", &to->think) < 0 || rate(line, &to->rate_micro) < 0 ||
	    key_word(line, "arrivals", arrivals, &even) < 0 ||
	    key_size(line, "bytes", 1, 16777216, &to->bytes) < 0 ||
	    key_percent(line, "read", 0, &to->read) < 0 ||
	    key_word(line, "program", programs, &program) < 0 ||
	    key_bool(line, "sync", &to->sync) < 0 ||
	    key_size(line, "align", 1, 1048576, &to->align) < 0)
		return -EINVAL;
	if (!to->streams == !to->rate_micro)
		return line_fail(line, "", "either streams= or rate= is required");
	to->fixed = even;
	to->program = (enum load_program)program;
	return 0;
}

static int fault(struct config *config, struct line *line, bool up)
{
	struct fault_config *to = ADD(config, fault, faults);
	unsigned int domain = UINT_MAX, chpid = UINT_MAX;

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->up = up;
	if (names_are(line, 1) < 0 || name_time(line, 0, &to->at) < 0 ||
	    key_hex(line, "channel", 0xFF, &chpid) < 0 ||
	    key_number(line, "domain", 0, 65535, &domain) < 0 ||
	    key_text(line, "link", to->name, sizeof(to->name)) < 0)
		return -EINVAL;
	if (line->keys != 1)
		return line_fail(line, "", "one of channel=, domain= and link= is required");
	to->target = chpid != UINT_MAX    ? FAULT_CHANNEL
		     : domain != UINT_MAX ? FAULT_DOMAIN
					  : FAULT_LINK;
	to->number = chpid != UINT_MAX ? chpid : domain != UINT_MAX ? domain : 0;
	return 0;
}

static int fail(struct config *config, struct line *line)
{
	return fault(config, line, false);
}

static int restore(struct config *config, struct line *line)
{
	return fault(config, line, true);
}

int statement_take(struct config *config, struct line *line)
{
	static const struct {
		const char *word;
		int (*take)(struct config *, struct line *);
	} statements[] = {
		{"seed", seed},
		{"warmup", warmup},
		{"time", run_time},
		{"zhpf", zhpf},
		{"iecios", iecios},
		{"setios", setios},
		{"tcpip", tcpip},
		{"fces-frame-bytes", statement_fces_frame_bytes},
		{"fces-key-frames", statement_fces_key_frames},
		{"key-server", statement_key_server},
		{"link", link_statement},
		{"channel", channel},
		{"control-unit", control_unit},
		{"device", device},
		{"path", path},
		{"load", load},
		{"fail", fail},
		{"restore", restore},
		{"system", statement_system},
		{"zhyperlink", statement_zhyperlink},
	};

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (!strcmp(statements[i].word, line->word)) {
			int rc = statements[i].take(config, line);

			return rc < 0 ? rc : line_done(line);
		}
	return line_fail(line, "", "unknown statement '%s'", line->word);
}
