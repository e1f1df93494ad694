/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - the configuration file of an lfpd instance */

/*
 * Theory of operation
 *
 * config_scan() takes the values out of the file. iniparser's result is only compared with them.
 * Its dictionary has no line numbers, which messages need, and it is a lenient reader: of a key
 * given twice the last one wins, a '#' or ';' inside a value cuts it, a backslash at the end of a
 * line joins the next one (and the last line vanishes), a section hides the keys after it, a
 * byte-order mark becomes part of the first key. The scan refuses any line that iniparser would
 * change. The comparison ensures that: an accepted file means the same to each program that reads
 * it by iniparser. All syntax errors and wrong values are told; checks of the whole follow only if
 * there are none. The table (config-table.c) has the permitted values.
 */
#include "lfpd/conf/config-inner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <iniparser.h>

#include "lfp/codepage.h"
#include "lfp/share.h"
#include "lfp/window.h"
#include "transport/transport.h"

int config_fail(struct config_reader *rd, int line, const char *key, const char *fmt, ...)
{
	struct lfp_reader_error err;
	va_list ap;

	va_start(ap, fmt);
	(void)lfp_reader_fail(&err, rd->path, line, key, fmt, ap);
	va_end(ap);
	lfp_reader_errors_add(rd->errs, &err);
	return -EINVAL;
}

static int ignore_error(const char *fmt, ...)
{
	(void)fmt;
	return 0;
}

static int take_value(struct config_reader *rd, struct lfpd_config *config, size_t i)
{
	char reason[128];

	if (!lfp_field_set(&rd->fields[i], config, rd->seen[i].value, reason, sizeof(reason)))
		return 0;
	return config_fail(rd, rd->seen[i].line, rd->fields[i].key, "%s", reason);
}

/* Whether iniparser finds the value of the scan. */
static bool is_same(const struct config_reader *rd, const dictionary *dict, size_t i)
{
	const struct scanned *seen = &rd->seen[i];
	const char *value;
	char name[64];

	/* A key outside of sections is ":key" in its dictionary. */
	snprintf(name, sizeof(name), ":%s", rd->fields[i].key);
	value = iniparser_getstring(dict, name, NULL);
	return value && seen->line ? !strcmp(value, seen->value) : !value && !seen->line;
}

static int compare_values(struct config_reader *rd)
{
	dictionary *dict;
	int rc = 0;

	iniparser_set_error_callback(ignore_error);
	dict = iniparser_load(rd->path);
	iniparser_set_error_callback(NULL);
	if (!dict)
		return config_fail(rd, 0, "", "iniparser cannot read the file");
	for (size_t i = 0; !rc && i < rd->nr; i++) {
		if (!is_same(rd, dict, i))
			rc = config_fail(rd, rd->seen[i].line, rd->fields[i].key,
					 "the file has changed while it was read");
	}
	iniparser_freedict(dict);
	return rc;
}

static int take_values(struct config_reader *rd, struct lfpd_config *config)
{
	int rc = 0;

	for (size_t i = 0; i < rd->nr; i++) {
		if (rd->seen[i].line && take_value(rd, config, i))
			rc = -EINVAL;
	}
	return rc;
}

static int line_of(const struct config_reader *rd, const char *key)
{
	return rd->seen[lfp_fields_find(rd->fields, rd->nr, key) - rd->fields].line;
}

static int check_transport(struct config_reader *rd, const struct lfpd_config *config)
{
	struct transport_fault fault;
	const char *key;

	if (!transport_settings_check(&config->transport, TRANSPORT_LFPD, config->mtu_size, &fault))
		return 0;
	key = fault.key ? fault.key : "MTU_SIZE";
	return config_fail(rd, line_of(rd, key), key, "%s", fault.text);
}

/* Refuses a user's limit above the instance's limit, which could have no effect. */
static int check_share(struct config_reader *rd, const char *key, unsigned int most,
		       const char *whole_key, unsigned int whole)
{
	if (most <= whole)
		return 0;
	return config_fail(rd, line_of(rd, key), key, "%u is more than %s, which is %u", most,
			   whole_key, whole);
}

static int check_shares(struct config_reader *rd, const struct lfpd_config *config)
{
	int rc = check_share(rd, "MAX_SOCKETS_USER", config->max_sockets_user, "MAX_SOCKETS",
			     config->max_sockets);

	if (rc)
		return rc;
	return check_share(rd, "MAX_TASKS_USER", config->max_tasks_user, "MAX_VSE_TASKS",
			   config->max_vse_tasks);
}

/* A code page from the file was looked for when it was read. */
static int check_codepage(struct config_reader *rd, const struct lfpd_config *config)
{
	struct lfp_codepage *codepage = lfp_codepage_open(config->vse_codepage);

	if (!codepage)
		return config_fail(
			rd, 0, "VSE_CODEPAGE",
			"iconv does not know %s, the default; install more code pages of "
			"the C library, or choose another one",
			config->vse_codepage);
	lfp_codepage_close(codepage);
	return 0;
}

static int check_whole(struct config_reader *rd, const struct lfpd_config *config)
{
	for (size_t i = 0; i < rd->nr; i++) {
		if (rd->fields[i].mandatory && lfp_field_absent(&rd->fields[i], config))
			return config_fail(rd, 0, rd->fields[i].key, "is mandatory and missing");
	}
	if (config->restrict_to_hostid && !config->has_vse_hostid)
		return config_fail(rd, 0, "VSE_HOSTID", "is mandatory with RESTRICT_TO_HOSTID");
	if (*config->host_interface && config->allow_loopback)
		return config_fail(
			rd, line_of(rd, "ALLOW_LOOPBACK"), "ALLOW_LOOPBACK",
			"sockets confined to HOST_INTERFACE cannot reach loopback addresses");
	if (check_codepage(rd, config) || check_transport(rd, config))
		return -EINVAL;
	return check_shares(rd, config);
}

static int check_name(struct config_reader *rd, const struct lfpd_config *config, const char *name)
{
	int line = rd->seen[0].line; /* IUCV_SRC_APPNAME is the first key of the table */
	const char *base;
	char expected[32];

	if (name) {
		if (*name && strcmp(name, config->iucv_src_appname))
			return config_fail(rd, line, "IUCV_SRC_APPNAME",
					   "%s does not match the instance %s",
					   config->iucv_src_appname, name);
		return 0;
	}
	base = strrchr(rd->path, '/');
	base = base ? base + 1 : rd->path;
	snprintf(expected, sizeof(expected), "lfpd-%s.conf", config->iucv_src_appname);
	if (strcmp(base, expected))
		return config_fail(rd, line, "IUCV_SRC_APPNAME", "%s needs the file name %s",
				   config->iucv_src_appname, expected);
	return 0;
}

static int read_config(struct config_reader *rd, struct lfpd_config *config, const char *name)
{
	int rc = config_scan(rd), values;
	uint32_t msglimit;

	if (rc < 0 && rc != -EINVAL)
		return rc;
	values = take_values(rd, config);
	if (rc || values)
		return -EINVAL;
	rc = compare_values(rd);
	if (rc)
		return rc;
	msglimit = transport_chosen(&config->transport)->msglimit;
	if (msglimit && !line_of(rd, "IUCV_MSGLIMIT"))
		config->iucv_msglimit = msglimit;
	config->has_vse_hostid = config->vse_hostid.s_addr != INADDR_ANY;
	rc = check_whole(rd, config);
	return rc ? rc : check_name(rd, config, name);
}

int lfpd_config_read_all(struct lfpd_config *config, const char *path, const char *name,
			 struct lfp_reader_errors *errs)
{
	struct config_reader *rd = calloc(1, sizeof(*rd));
	const struct lfp_field *fields;
	size_t nr;
	int rc;

	errs->nr = 0;
	fields = lfpd_config_fields(&nr);
	lfp_fields_init(fields, nr, config, sizeof(*config));
	if (!rd) {
		errs->nr = 1;
		memset(&errs->list[0], 0, sizeof(errs->list[0]));
		snprintf(errs->list[0].text, sizeof(errs->list[0].text),
			 "%.255s: no memory to read it", path);
		return -ENOMEM;
	}
	rd->path = path;
	rd->errs = errs;
	rd->fields = fields;
	rd->nr = nr;
	rc = read_config(rd, config, name);
	free(rd);
	return rc;
}

int lfpd_config_read(struct lfpd_config *config, const char *path, const char *name,
		     struct lfp_reader_error *err)
{
	struct lfp_reader_errors errs;
	int rc = lfpd_config_read_all(config, path, name, &errs);

	memset(err, 0, sizeof(*err));
	if (rc)
		*err = errs.list[0];
	return rc;
}

void lfpd_config_print(const struct lfpd_config *config, FILE *out)
{
	const struct lfp_field *fields;
	size_t nr;

	fields = lfpd_config_fields(&nr);
	for (size_t i = 0; i < nr; i++) {
		bool quoted = fields[i].kind == LFP_FIELD_NAME || fields[i].kind == LFP_FIELD_VMID;

		if (lfp_field_absent(&fields[i], config)) {
			fprintf(out, "# %s is not set\n", fields[i].key);
			continue;
		}
		/* A name may hold '#', which starts a comment outside of quotes. */
		quoted = quoted && strchr((const char *)config + fields[i].offset, '#');
		fprintf(out, "%s = %s", fields[i].key, quoted ? "\"" : "");
		lfp_field_print(&fields[i], config, out);
		fputs(quoted ? "\"\n" : "\n", out);
	}
	fprintf(out, "# in force: a window of %u bytes, with a threshold of %u\n",
		lfpd_window_bytes(config), lfpd_window_threshold_bytes(config));
	fprintf(out, "# in force: each user except root has at most %u sockets and %u tasks\n",
		lfpd_sockets_user(config), lfpd_tasks_user(config));
}

unsigned int lfpd_window_bytes(const struct lfpd_config *config)
{
	return lfp_window_round(config->window_size);
}

unsigned int lfpd_window_threshold_bytes(const struct lfpd_config *config)
{
	return lfp_window_threshold(lfpd_window_bytes(config), config->window_threshold);
}

const char *lfpd_config_hosted(const struct lfpd_config *config)
{
	const struct transport *transport = transport_chosen(&config->transport);

	return transport->hosted ? transport->hosted(&config->transport) : NULL;
}

unsigned int lfpd_sockets_user(const struct lfpd_config *config)
{
	return config->max_sockets_user ? config->max_sockets_user
					: lfp_share_of(config->max_sockets);
}

unsigned int lfpd_tasks_user(const struct lfpd_config *config)
{
	return config->max_tasks_user ? config->max_tasks_user
				      : lfp_share_of(config->max_vse_tasks);
}
