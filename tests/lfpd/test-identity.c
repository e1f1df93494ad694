/* SPDX-License-Identifier: Apache-2.0 */
/* test-identity.c - the identity that HELLO claims, and the one that the transport reports */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/places.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/vse.h"
#include "transport/path.h"
#include "transport/choice.h"

#define ENDS 3

/* z/VSE sides over HiperSockets, in the loop of lfpd's. */
struct side {
	struct host host;
	struct end {
		struct side *side;
		struct path *path;
		int status; /* of HELLO_REPLY, or -1 */
	} ends[ENDS];
	unsigned int nr_ends;
	char log[64];
	unsigned int round;
};

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct end *end = path_data(path);

	(void)why;
	if (frame->code == LFP_HELLO_REPLY)
		end->status = frame->status;
	return 0;
}

static void on_ready(struct path *path)
{
	(void)path;
}

static void on_down(struct path *path, int error, const char *why)
{
	(void)path;
	(void)error;
	(void)why;
}

static const struct path_ops ops = {
	.on_frame = on_frame,
	.on_ready = on_ready,
	.on_down = on_down,
};

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct end *end = data;

	assert_int_equal(status, 0);
	end->path = path_create(&end->side->host.loop, conn, LFP_FROM_LFPD, 8192, &ops, end);
	assert_non_null(end->path);
}

static void set(struct lfpd_config *config, const char *key, const char *value)
{
	size_t nr;
	const struct lfp_field *fields = lfpd_config_fields(&nr);
	char reason[128];

	assert_int_equal(lfp_field_set(lfp_fields_find(fields, nr, key), config, value, reason,
				       sizeof(reason)),
			 0);
}

/* The settings of a side that has this hsuid. */
static struct transport_settings settings_of(const char *hsuid)
{
	struct lfpd_config config;
	size_t nr;
	const struct lfp_field *fields = lfpd_config_fields(&nr);

	lfp_fields_init(fields, nr, &config, sizeof(config));
	if (hsuid && *hsuid)
		set(&config, "IUCV_HSUID", hsuid);
	return config.transport;
}

static int setup(void **state)
{
	struct side *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->round = *state ? *(unsigned int *)*state : 0;
	snprintf(s->log, sizeof(s->log), "/tmp/test-identity-XXXXXX");
	close(mkstemp(s->log));
	setenv("LFPD_TEST_LOG", s->log, 1);
	host_init(&s->host);
	set(&s->host.config, "TRANSPORT", "hipersockets");
	set(&s->host.config, "IUCV_HSUID", "LINHS");
	strcpy(s->host.config.peer_iucv_vmid, "VSEHS");
	strcpy(s->host.config.peer_iucv_appname, "TESTV");
	host_start(&s->host);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct side *s = *state;

	for (unsigned int i = 0; i < s->nr_ends; i++)
		path_close(s->ends[i].path, NULL);
	host_stop(&s->host);
	unlink(s->log);
	free(s);
	return 0;
}

/* SYN comes from @hsuid and @own, HELLO says @vmid and @appname: the status of its answer. */
static int hello(struct side *s, const char *hsuid, const char *own, const char *vmid,
		 const char *appname)
{
	char place[LFP_PLACE_MAX];
	struct transport_where where = {
		.path = place,
		.vmid = "LINHS",
		.name = "TEST",
		.own = own,
		.settings = settings_of(hsuid),
		.mtu = 8192,
	};
	struct lfp_frame frame = {.code = LFP_HELLO, .request = 1};
	uint64_t limit = uv_hrtime() + UINT64_C(60000000000);
	struct end *end = &s->ends[s->nr_ends++];

	*end = (struct end){.side = s, .status = -1};

	assert_int_equal(lfp_place_lfpd(place, "TEST", "path"), 0);
	assert_int_equal(transport_hipersockets.connect(&s->host.loop, &where, on_connected, end),
			 0);
	frame.hello = (struct lfp_hello){
		.version = LFP_PROTOCOL_VERSION,
		.threshold = 25,
		.mtu = 8192,
		.msglimit = 64,
		.window = VSE_WINDOW,
		.dest_vmid = "LINHS",
		.dest_appname = "TEST",
	};
	snprintf(frame.hello.vmid, sizeof(frame.hello.vmid), "%s", vmid);
	snprintf(frame.hello.appname, sizeof(frame.hello.appname), "%s", appname);
	for (bool said = false; end->status < 0; host_turn(&s->host)) {
		assert_true(uv_hrtime() < limit);
		if (end->path && !said)
			said = !path_send(end->path, &frame);
	}
	return end->status;
}

static void assert_logged(const struct side *s, const char *text)
{
	char all[4096];
	FILE *in = fopen(s->log, "re");

	assert_non_null(in);
	all[fread(all, 1, sizeof(all) - 1, in)] = '\0';
	fclose(in);
	if (!strstr(all, text))
		fail_msg("'%s' is not in '%s'", text, all);
}

static void agrees(void **state)
{
	struct side *s = *state;

	assert_int_equal(hello(s, "VSEHS", "TESTV", "VSEHS", "TESTV"), 0);
	assert_non_null(s->host.inst.session);
}

/* The configuration would admit HELLO's names, but the connection belongs to another peer. */
static void lies_about_its_id(void **state)
{
	struct side *s = *state;

	assert_int_equal(hello(s, "OTHERHS", "TESTV", "VSEHS", "TESTV"), EACCES);
	assert_logged(s, "because z/VM user id VSEHS is not that of the connection, OTHERHS.");
	assert_null(s->host.inst.session);
}

static void lies_about_its_application(void **state)
{
	struct side *s = *state;

	assert_int_equal(hello(s, "VSEHS", "OTHER", "VSEHS", "TESTV"), EACCES);
	assert_logged(s, "because application name TESTV is not that of the connection, OTHER.");
	assert_null(s->host.inst.session);
}

/* The configuration decides about a peer whose HELLO is true. */
static void is_another(void **state)
{
	struct side *s = *state;

	assert_int_equal(hello(s, "VSEHS", "OTHER", "VSEHS", "OTHER"), EACCES);
	assert_logged(s, "because application name OTHER is not PEER_IUCV_APPNAME TESTV.");
}

/* The next one with the names of the first. Where two connections can have the same it is refused
 * and no more; where they cannot, the first connection's peer is gone, and the next client is
 * admitted.
 */
static void comes_anew(void **state)
{
	struct transport lone = transport_hipersockets;
	struct side *s = *state;
	struct session *first;

	assert_int_equal(hello(s, "VSEHS", "TESTV", "VSEHS", "TESTV"), 0);
	first = s->host.inst.session;
	lone.lone = s->round;
	path_conn(first->path)->transport = &lone;
	assert_int_equal(hello(s, "VSEHS", "TESTV", "VSEHS", "TESTV"), EBUSY);
	if (!s->round) {
		assert_ptr_equal(s->host.inst.session, first);
		path_conn(first->path)->transport = &transport_hipersockets;
		return;
	}
	assert_null(s->host.inst.session);
	assert_logged(s, "The path to TESTV of VSEHS is lost: another connection uses its names");
	assert_int_equal(hello(s, "VSEHS", "TESTV", "VSEHS", "TESTV"), 0);
	assert_non_null(s->host.inst.session);
}

static unsigned int rounds[] = {0, 1};

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(agrees),
		TEST(lies_about_its_id),
		TEST(lies_about_its_application),
		TEST(is_another),
		{"a second one of the same names", comes_anew, setup, teardown, &rounds[0]},
		{"of names that only one can have", comes_anew, setup, teardown, &rounds[1]},
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
