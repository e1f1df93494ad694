/* SPDX-License-Identifier: Apache-2.0 */
/* isolation.c - privileges that lfpd drops: capabilities, then root's user and groups, then system
 * calls */
#include "lfpd/policy/isolation.h"

#include <errno.h>
#include <grp.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/interface.h"
#include "lfp/log.h"
#include "lfp/places.h"

#define GROUPS_MAX 256

/* CAP_NET_RAW: with HOST_INTERFACE, where the kernel wants it. */
static const cap_value_t kept[] = {CAP_NET_BIND_SERVICE, CAP_NET_RAW};

static size_t nr_kept(bool raw)
{
	return raw && lfp_interface_needs_capability() ? 2 : 1;
}

/* Capabilities that isolate_config() needs: to read any user's file, to make directories and give
 * them away, to become another user, and to make that irrevocable; and before it, for HOST_NETNS,
 * to enter a namespace. */
static const cap_value_t starting[] = {
	CAP_NET_BIND_SERVICE, CAP_NET_RAW, CAP_DAC_OVERRIDE, CAP_CHOWN,
	CAP_SETUID,           CAP_SETGID,  CAP_SETPCAP,      CAP_SYS_ADMIN};

struct identity {
	uid_t uid;
	gid_t gid;
	const char *name;
	gid_t groups[GROUPS_MAX + 1];
	int nr_groups;
};

static bool is_private_tree(void)
{
	const char *root = lfp_root();

	return *root && strcmp(root, "-");
}

static bool is_held(cap_value_t value)
{
	cap_flag_value_t has = CAP_CLEAR;
	cap_t caps = cap_get_proc();

	if (caps) {
		(void)cap_get_flag(caps, value, CAP_PERMITTED, &has);
		cap_free(caps);
	}
	return has == CAP_SET;
}

/* Drops all capabilities except these. */
static int set_capabilities(const cap_value_t *values, size_t nr, bool inheritable)
{
	static const cap_flag_t sets[] = {CAP_PERMITTED, CAP_EFFECTIVE, CAP_INHERITABLE};
	cap_t caps = cap_init();
	int rc = caps ? 0 : -ENOMEM;

	for (size_t v = 0; v < nr && !rc; v++)
		for (size_t i = 0; is_held(values[v]) && i < (inheritable ? 3 : 2) && !rc; i++)
			if (cap_set_flag(caps, sets[i], 1, &values[v], CAP_SET))
				rc = -errno;
	if (!rc && cap_set_proc(caps))
		rc = -errno;
	if (caps)
		cap_free(caps);
	return rc;
}

/* An executed program cannot gain capabilities outside the bounding set. A process without
 * CAP_SETPCAP cannot change the set, but has few capabilities anyway.
 */
static int drop_bounding(size_t nr)
{
	if (!is_held(CAP_SETPCAP))
		return 0;
	for (cap_value_t cap = 0; cap < cap_max_bits(); cap++) {
		if (cap == kept[0] || (nr > 1 && cap == kept[1]) || cap_get_bound(cap) <= 0)
			continue;
		if (cap_drop_bound(cap))
			return -errno;
	}
	return 0;
}

int isolate_early(void)
{
	int rc = 0;

	if (is_private_tree())
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	if (!rc && geteuid() == 0) {
		cap_reset_ambient();
		rc = drop_bounding(nr_kept(true));
		if (!rc)
			rc = set_capabilities(starting, sizeof(starting) / sizeof(starting[0]),
					      false);
	}
	if (rc)
		lfp_msg("VLFD034E", "lfpd cannot drop its privileges: %s.", strerror(-rc));
	else
		lfp_debug("isolate_early: no new privileges, and the capabilities of the start");
	return rc;
}

/* Finds the user and groups to change to; a name of NULL means no change. Returns an exit code. */
static int find_identity(struct identity *who, const struct lfpd_config *config)
{
	const char *instance = config->iucv_src_appname;
	bool given = *config->user.name;
	const struct passwd *entry;

	*who = (struct identity){.uid = geteuid(), .gid = getegid()};
	if (geteuid() != 0) {
		if (!given || config->user.id == geteuid())
			return LFP_EXIT_OK;
		lfp_msg("VLFD037E",
			"Instance %s cannot run as USER = %s, because root did not start it.",
			instance, config->user.name);
		return LFP_EXIT_CONFIG;
	}
	errno = 0;
	entry = given ? getpwuid(config->user.id) : getpwnam(ISOLATION_USER);
	if (!entry && given) {
		lfp_msg("VLFD036E", "Instance %s cannot run as USER = %s: %s.", instance,
			config->user.name, errno ? strerror(errno) : "no such user");
		return LFP_EXIT_CONFIG;
	}
	if (!entry) {
		lfp_msg("VLFD035W",
			"Instance %s runs as root, but without root's capabilities, because there "
			"is no user " ISOLATION_USER ".",
			instance);
		return LFP_EXIT_OK;
	}
	who->uid = entry->pw_uid;
	who->gid = entry->pw_gid;
	who->name = strdup(entry->pw_name);
	who->nr_groups = GROUPS_MAX;
	if (who->name && getgrouplist(who->name, who->gid, who->groups, &who->nr_groups) >= 0)
		return LFP_EXIT_OK;
	lfp_msg("VLFD036E", "Instance %s cannot run as USER = %s: %s.", instance, entry->pw_name,
		strerror(who->name ? E2BIG : ENOMEM));
	return LFP_EXIT_FAILURE;
}

/* Only a member can give the admin socket to the group. */
static void add_admin_group(struct identity *who, const struct lfpd_config *config)
{
	if (*config->admin_group.name && who->nr_groups <= GROUPS_MAX)
		who->groups[who->nr_groups++] = config->admin_group.id;
}

static int change(const struct identity *who, size_t nr)
{
	int rc;

	/* Executing a file gives root nothing; then nothing of this can be changed any more. */
	if (is_held(CAP_SETPCAP) && prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED))
		return -errno;
	if (prctl(PR_SET_KEEPCAPS, 1))
		return -errno;
	if (who->uid &&
	    (setgroups((size_t)who->nr_groups, who->groups) ||
	     setresgid(who->gid, who->gid, who->gid) || setresuid(who->uid, who->uid, who->uid)))
		return -errno;
	rc = set_capabilities(kept, nr, true);
	/* So that a restart in this process keeps them. */
	for (size_t i = 0; i < nr && !rc; i++)
		if (is_held(kept[i]) && cap_set_ambient(kept[i], CAP_SET))
			rc = -errno;
	/* It must not come back. */
	if (!rc && who->uid && (!setuid(0) || !setgid(0)))
		rc = -EPERM;
	return rc;
}

int isolate_config(const struct lfpd_config *config, const char *file)
{
	const char *instance = config->iucv_src_appname;
	struct identity who;
	size_t nr = nr_kept(*config->host_interface);
	int code, rc = 0;

	if (is_private_tree() && !*config->user.name)
		return LFP_EXIT_OK;
	code = find_identity(&who, config);
	if (code || geteuid() != 0)
		return code;
	/* With a private tree isolate_early() did nothing. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	if (!rc)
		rc = drop_bounding(nr);
	if (!rc)
		rc = isolation_give_places(config, who.uid, who.gid);
	if (!rc && !is_private_tree() && setenv("LFP_ROOT", "/", 1))
		rc = -errno;
	add_admin_group(&who, config);
	if (!rc)
		rc = change(&who, nr);
	if (rc) {
		lfp_msg("VLFD034E", "lfpd cannot drop its privileges: %s.", strerror(-rc));
		code = LFP_EXIT_FAILURE;
	} else {
		lfp_debug("isolate_config: user %u, group %u, %d groups, CAP_NET_BIND_SERVICE%s",
			  (unsigned int)who.uid, (unsigned int)who.gid, who.nr_groups,
			  nr > 1 ? ", CAP_NET_RAW" : "");
		if (access(file, R_OK))
			lfp_msg("VLFD038W",
				"Instance %s cannot reload its configuration later: user %s "
				"cannot read %s: %s.",
				instance, who.name ? who.name : "root", file, strerror(errno));
	}
	free((void *)(uintptr_t)who.name);
	return code;
}

int isolate_run(const struct lfpd_config *config)
{
	int rc;

	if (is_private_tree() && !*config->user.name)
		return 0;
	/* The unit lets a lfpd that hosts an LFP instance make namespaces, for its start. */
	rc = system_calls_refuse(lfpd_config_hosted(config));
	if (rc)
		lfp_msg("VLFD039W", "Instance %s runs without its system call filter: %s.",
			config->iucv_src_appname, strerror(-rc));
	else
		lfp_debug(
			"isolate_run: system calls that lfpd never makes are refused from now on");
	return rc;
}
