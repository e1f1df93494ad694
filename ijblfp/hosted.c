/* SPDX-License-Identifier: Apache-2.0 */
/* hosted.c - an LFP instance within lfpd's process */
#include "ijblfp/hosted.h"

#include <errno.h>
#include <string.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/server.h"
#include "ijblfp/wiring.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"

struct hosted {
	struct instance *inst; /* NULL when it is gone */
	struct lfp_pidfile pidfile;
	struct ijblfp_statements st;
	struct near_network network, *use; /* NULL: none */
	char id[3];
};

/* A process has one instance, as it is one lfpd. */
static struct hosted the_one;

static void end(struct hosted *hosted)
{
	if (hosted->inst)
		ijblfp_instance_stop(hosted->inst);
}

static void on_started(void *data, int error)
{
	struct hosted *hosted = data;

	if (error)
		end(hosted);
	else
		lfp_msg("VLFB010I", "Instance %s is up.", hosted->id);
}

static void on_stop(void *data)
{
	end(data);
}

static void drop_network(struct hosted *hosted)
{
	if (hosted->use)
		near_network_finish(hosted->use);
	hosted->use = NULL;
}

static void on_gone(void *data)
{
	struct hosted *hosted = data;

	hosted->inst = NULL;
	drop_network(hosted);
	lfp_pidfile_remove(&hosted->pidfile);
	lfp_msg("VLFB019I", "Instance %s has ended.", hosted->id);
}

/* Reads the statements of @nn and checks that they are for this lfpd and this transport. Returns an
 * exit code. */
static int read_statements(const char *nn, const char *lfpd, const struct transport *transport,
			   struct ijblfp_statements *st)
{
	struct lfp_reader_errors errors;
	char file[LFP_PLACE_MAX];
	int rc = lfp_place_vse_conf(file, nn);
	FILE *in;

	if (rc) {
		lfp_msg("VLFB005E", "The path of the statements %s is invalid: %s.", nn,
			lfp_place_strerror(rc));
		return LFP_EXIT_CONFIG;
	}
	in = fopen(file, "re");
	if (!in) {
		lfp_msg("VLFB002E", "Cannot read the statements in %s: %s.", file, strerror(errno));
		return LFP_EXIT_CONFIG;
	}
	rc = ijblfp_statements_read_all(st, in, file, &errors);
	fclose(in);
	if (rc) {
		ijblfp_statements_report(&errors);
		return LFP_EXIT_CONFIG;
	}
	if (strcmp(st->id, nn)) {
		lfp_msg("VLFB004E", "The statements in %s are those of instance %s, not of %s.",
			file, st->id, nn);
		return LFP_EXIT_CONFIG;
	}
	if (transport_chosen(&st->transport) != transport || strcmp(st->iucv_dest_appname, lfpd)) {
		lfp_msg("VLFB049E",
			"Instance %s cannot run within lfpd %s: its statements must have Transport "
			"= "
			"%s and IucvDestAppName = %s.",
			nn, lfpd, transport->name, lfpd);
		return LFP_EXIT_CONFIG;
	}
	return LFP_EXIT_OK;
}

static int start(struct hosted *hosted, uv_loop_t *loop, struct instance_config *config)
{
	int code = server_lock(hosted->id, &hosted->pidfile), rc;

	if (code)
		return code == SERVER_ALREADY_UP ? LFP_EXIT_FAILURE : code;
	rc = lfp_pidfile_write(&hosted->pidfile);
	if (rc)
		lfp_msg("VLFB016E", "Instance %s cannot create its pid file %s: %s.", hosted->id,
			hosted->pidfile.path, strerror(-rc));
	else
		hosted->inst = instance_create(loop, config, &rc);
	if (hosted->inst)
		return LFP_EXIT_OK;
	lfp_pidfile_remove(&hosted->pidfile);
	return LFP_EXIT_FAILURE;
}

int hosted_prepare(const char *nn, const char *lfpd, const struct transport *transport)
{
	int code = read_statements(nn, lfpd, transport, &the_one.st);

	return code ? code : server_network(&the_one.st, &the_one.network, &the_one.use);
}

int hosted_start(uv_loop_t *loop, const char *vmid, struct hosted **out)
{
	struct instance_config config = {
		.transport = transport_chosen(&the_one.st.transport),
		.on_started = on_started,
		.on_stop = on_stop,
		.on_gone = on_gone,
	};
	int code;

	config.st = the_one.st;
	config.network = the_one.use;
	strcpy(the_one.id, config.st.id);
	strcpy(config.vmid, vmid);
	config.data = &the_one;
	code = start(&the_one, loop, &config);
	if (code)
		drop_network(&the_one);
	else
		*out = &the_one;
	return code;
}

void hosted_stop(struct hosted *hosted)
{
	end(hosted);
}
