/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c - the configuration file is read again while the instance runs */
#include "lfpd/restart/reload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/interface.h"
#include "lfp/endpoint.h"
#include "lfp/log.h"
#include "lfpd/log/log.h"
#include "lfpd/names/resolver.h"
#include "lfpd/names/rules-thread.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/policy.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/paused.h"
#include "lfpd/sock/relimit.h"
#include "lfpd/state/session.h"
#include "lfpd/users/share.h"
#include "lfpd/users/who.h"

/* Names of keys, for a message. */
struct names {
	char text[512];
	size_t len;
};

static void add_name(struct names *names, const char *key)
{
	if (names->len < sizeof(names->text))
		names->len +=
			(size_t)snprintf(names->text + names->len, sizeof(names->text) - names->len,
					 "%s%s", names->len ? ", " : "", key);
}

static int __attribute__((format(printf, 4, 5)))
refuse(const struct instance *inst, FILE *answer, int error, const char *fmt, ...)
{
	char text[640];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lfp_msg("VLFD130E",
		"Instance %s keeps its configuration, because the new one has an error: %s.",
		inst->config.iucv_src_appname, text);
	if (answer)
		fprintf(answer, "error\t%s\n", text);
	return error;
}

void reload_publish(struct instance *inst)
{
	char reason[128];

	/* The reader of the file has checked it. */
	(void)lfp_publish_parse(&inst->publish, inst->config.publish, reason, sizeof(reason));
}

void reload_log(const struct instance *inst)
{
	const struct lfpd_config *config = &inst->config;

	lfp_log_set_warnings(config->log_level >= LFPD_LOG_WARNING || inst->verbose);
	lfp_log_set_info((config->log_level >= LFPD_LOG_INFO && config->log_info_msg) ||
			 inst->verbose);
	lfp_log_set_debug(config->log_level >= LFPD_LOG_DEBUG || inst->verbose);
}

int reload_admin_group(struct instance *inst)
{
	bool set = *inst->config.admin_group.name;
	gid_t gid = set ? inst->config.admin_group.id : getegid();
	char place[LFP_PLACE_MAX];
	int rc;

	/* Without the key the socket keeps the mode that it was made with. */
	if (!set && inst->admin_gid == (gid_t)-1)
		return 0;
	rc = lfp_place_lfpd(place, inst->config.iucv_src_appname, "admin");
	if (!rc && chown(place, (uid_t)-1, gid))
		rc = -errno;
	if (!rc)
		rc = inst->metrics_ops->give(inst, gid);
	if (!rc)
		inst->admin_gid = set ? gid : (gid_t)-1;
	return rc;
}

void reload_path_mode(const struct instance *inst)
{
	const struct lfpd_config *config = &inst->config;
	bool by_peer = *config->peer_user.name || *config->peer_group.name;
	const char *file = inst->stopping ? NULL : inst->listener->file;

	int rc = file ? lfp_socket_mode(file, by_peer ? 0666 : 0660) : 0;

	if (rc && rc != -ENOENT)
		lfp_msg("VLFD136W",
			"Cannot change the mode of the path's socket of instance %s: %s.",
			config->iucv_src_appname, strerror(-rc));
}

static void tell_admin_group(struct instance *inst)
{
	int rc = reload_admin_group(inst);

	if (rc)
		lfp_msg("VLFD134W",
			"Cannot change the group of the admin socket of instance %s: %s.",
			inst->config.iucv_src_appname, strerror(-rc));
}

/* A session that is connected stays, even if the new names would refuse it. */
static void look_at_peer(const struct instance *inst)
{
	const struct lfp_hello *hello;

	if (!inst->session)
		return;
	hello = &inst->session->hello;
	if ((*inst->config.peer_iucv_vmid && strcmp(hello->vmid, inst->config.peer_iucv_vmid)) ||
	    (*inst->config.peer_iucv_appname &&
	     strcmp(hello->appname, inst->config.peer_iucv_appname)))
		lfp_msg("VLFD133W",
			"%s of %s stays connected to instance %s, although it would not be "
			"admitted now.",
			hello->appname, hello->vmid, inst->config.iucv_src_appname);
}

static void apply(struct instance *inst, struct in_addr old_hostid)
{
	reload_log(inst);
	policy_init(&inst->policy, &inst->config);
	reload_publish(inst);
	if (inst->session)
		who_ask(inst->session);
	relimit_all(inst);
	joined_reload(inst);
	if (inst->config.vse_hostid.s_addr != old_hostid.s_addr) {
		resolver_forget_host_name(inst);
		resolver_find_host_name(inst);
	}
	tell_admin_group(inst);
	reload_path_mode(inst);
	look_at_peer(inst);
	paused_go_on_all(inst);
}

/* Keys that cannot change keep their values in @fresh. */
static void sort_out(const struct instance *inst, struct lfpd_config *fresh, FILE *answer,
		     bool rules_changed, struct names *changed, struct names *kept)
{
	const struct lfp_field *fields;
	size_t nr;

	fields = lfpd_config_fields(&nr);
	for (size_t i = 0; i < nr; i++) {
		bool live = fields[i].flags & LFP_FIELD_LIVE;

		/* The rules may change although their file has the same name. */
		if (lfp_field_equal(&fields[i], fresh, &inst->config) &&
		    !(rules_changed && !strcmp(fields[i].key, "POLICY_FILE")))
			continue;
		if (!live)
			lfp_field_copy(&fields[i], fresh, &inst->config);
		add_name(live ? changed : kept, fields[i].key);
		if (answer)
			fprintf(answer, "%s\t%s\n", live ? "changed" : "kept", fields[i].key);
	}
}

/* One request to reload. */
struct reload {
	struct lfp_list entry; /* in instance->reloads */
	struct instance *instance;
	reload_done done;
	void *data;
	FILE *answer; /* memory; NULL without @done */
	char *text;
	size_t len;
	bool begun;
	struct lfpd_config fresh;
};

static int check(struct instance *inst, const struct lfpd_config *fresh, FILE *answer)
{
	struct hostid_fault fault;
	int rc = lfp_interface_try(fresh->host_interface);

	if (rc)
		return refuse(inst, answer, rc, "%s: HOST_INTERFACE = %s: %s", inst->config_path,
			      fresh->host_interface, lfp_interface_strerror(rc));
	rc = hostid_check(fresh, &fault);
	if (rc == -EADDRNOTAVAIL)
		return refuse(inst, answer, rc, "%s: %s = %s is not an address of this host",
			      inst->config_path, fault.key, fault.addr);
	if (rc)
		return refuse(inst, answer, rc, "%s: no socket can be bound to %s = %s: %s",
			      inst->config_path, fault.key, fault.addr, strerror(-rc));
	return 0;
}

/* Uses a configuration that is right, and its rules. */
static void use(struct instance *inst, struct lfpd_config *fresh, struct rules *rules,
		struct metrics *metrics, FILE *answer)
{
	const char *name = inst->config.iucv_src_appname;
	struct names changed = {.len = 0}, kept = {.len = 0};
	struct in_addr old_hostid = inst->config.vse_hostid;

	if (answer)
		fputs("ok\n", answer);
	sort_out(inst, fresh, answer, ruling_use(inst, rules), &changed, &kept);
	inst->config = *fresh;
	inst->metrics_ops->use(inst, metrics);
	if (changed.len)
		apply(inst, old_hostid);
	/* After ADMIN_GROUP. */
	log_reopen(inst);
	if (changed.len) {
		lfp_msg("VLFD131I", "Instance %s uses new values of %s.", name, changed.text);
	} else if (!kept.len) {
		lfp_msg("VLFD135I",
			"Instance %s has reloaded its configuration: nothing has changed.", name);
	}
	if (kept.len)
		lfp_msg("VLFD132W", "Instance %s keeps its values of %s until its next start.",
			name, kept.text);
}

static int go_on(struct reload *reload, struct rules *rules)
{
	struct instance *inst = reload->instance;
	struct lfpd_config *fresh = &reload->fresh;
	struct metrics *metrics;
	int rc = check(inst, fresh, reload->answer);

	if (rc)
		goto error;
	rc = inst->metrics_ops->open(inst, fresh->metrics_listen, &metrics);
	if (rc) {
		rc = refuse(inst, reload->answer, rc, "%s: METRICS_LISTEN = %s: %s",
			    inst->config_path, fresh->metrics_listen, strerror(-rc));
		goto error;
	}
	use(inst, fresh, rules, metrics, reload->answer);
	return 0;

error:
	rules_thread_free(inst->loop, rules);
	return rc;
}

/* The request has its answer. */
static void end(struct reload *reload, int rc)
{
	lfp_list_del(&reload->entry);
	if (reload->answer)
		fclose(reload->answer);
	/* Without memory for the text there is none. */
	reload->done(reload->data, rc, reload->text, reload->len);
	free(reload);
}

static void serve(struct instance *inst);

static void on_read(void *data, struct rules *rules, int rc, const struct lfp_reader_error *err)
{
	struct reload *reload = data;
	struct instance *inst = reload->instance;

	if (inst->stopping) {
		rules_free(rules);
		rc = -ECANCELED;
	} else if (rc) {
		rc = refuse(inst, reload->answer, rc, "%s", err->text);
	} else {
		rc = go_on(reload, rules);
	}
	end(reload, rc);
	serve(inst);
}

/* Reads the configuration, and begins to read the rules. For an error the request ends. */
static void begin(struct reload *reload)
{
	struct instance *inst = reload->instance;
	struct lfp_reader_error error;
	int rc = inst->stopping ? -ECANCELED : 0;

	reload->begun = true;
	if (!rc && !inst->config_path)
		rc = refuse(inst, reload->answer, -ENOENT, "it has no configuration file");
	if (!rc) {
		rc = lfpd_config_read(&reload->fresh, inst->config_path,
				      inst->config.iucv_src_appname, &error);
		if (rc)
			(void)refuse(inst, reload->answer, rc, "%s", error.text);
	}
	if (!rc) {
		rc = rules_thread_read(inst->loop, reload->fresh.policy_file, on_read, reload);
		if (!rc)
			return;
		(void)refuse(inst, reload->answer, rc, "%s", strerror(-rc));
	}
	end(reload, rc);
}

/* Begins with the first request, and with the ones after those that end at once. A callback may
 * have asked for one that is under way by now. */
static void serve(struct instance *inst)
{
	struct reload *first;

	while ((first = lfp_list_first_entry(&inst->reloads, struct reload, entry)) &&
	       !first->begun)
		begin(first);
}

bool reload_is_full(const struct instance *inst)
{
	const struct reload *reload;
	unsigned int nr = 0;

	lfp_list_each(reload, &inst->reloads, entry)
		nr += !reload->begun;
	return nr >= RELOADS_WAITING_MAX;
}

bool reload_is_under_way(const struct instance *inst)
{
	return !lfp_list_empty(&inst->reloads);
}

int reload(struct instance *inst, reload_done done, void *data)
{
	struct reload *reload = calloc(1, sizeof(*reload));

	if (!reload)
		return -ENOMEM;
	reload->instance = inst;
	reload->done = done;
	reload->data = data;
	reload->answer = open_memstream(&reload->text, &reload->len);
	lfp_list_init(&reload->entry);
	lfp_list_append(&inst->reloads, &reload->entry);
	serve(inst);
	return 0;
}
