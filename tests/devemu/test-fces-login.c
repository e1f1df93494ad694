/* SPDX-License-Identifier: Apache-2.0 */
/* test-fces-login.c - encryption of a fabric's paths, their key servers, and the displays */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devemu/fces/connection.h"
#include "devemu/fabric/login.h"
#include "devemu/report/display.h"
#include "devemu/scenario/scenario.h"
#include "tests/devemu/fabric-rig.h"
#include "tests/devemu/fces-rig.h"

static struct fabric_rig rig;
static struct fabric_error error;

/* "CHP CU: reason" of each path that is not encrypted. */
static char said[2000];

static void note(void *context, const struct fabric_path *path, const char *why)
{
	const size_t len = strlen(said);

	(void)context;
	snprintf(said + len, sizeof(said) - len, "%02X %04X: %s%s\n", path->config->chpid,
		 path->config->cu, why, path->barred ? " (barred)" : "");
}

static const char *const ends = "channel 50 fces=%s%s\ncontrol-unit 7800 fces=%s%s\n"
				"path 50 7800\ndevice 7800 cu=7800\ntime 25ms\n"
				"load a devices=7800 streams=1\n%s";

/* One channel, one control unit. Returns what fces_login() does. */
static int log_in(const char *channel, const char *channel_server, const char *unit,
		  const char *unit_server, const char *servers)
{
	char text[1500];
	FILE *file;
	struct lfp_reader_error err;

	snprintf(text, sizeof(text), ends, channel, channel_server, unit, unit_server, servers);
	file = fmemopen(text, strlen(text), "r");
	assert_non_null(file);
	if (scenario_read(&rig.config, "test", file, &err) < 0)
		fail_msg("%s", err.text);
	fclose(file);
	assert_int_equal(fabric_create(&rig.fabric, &rig.config, &error), 0);
	said[0] = '\0';
	return fces_login(rig.fabric, NULL, note, NULL, &error);
}

static bool shows(const char *command, const char *line)
{
	char why[120];

	assert_int_equal(display_command(rig.fabric, command, 1, fabric_rig_catch(&rig), why), 0);
	return strstr(fabric_rig_caught(&rig), line) != NULL;
}

/* Both displays, and the state they show. */
static bool is_encrypted(void)
{
	const bool encrypted = rig.fabric->path->fces != NULL;

	assert_true(shows("D M=DEV(7800)", encrypted ? "CONNECTION SECURITY   Encr\n"
						     : "CONNECTION SECURITY   None\n"));
	assert_true(shows("D M=CHP(50),PATHINFO", encrypted ? "  Encr\n" : "  None\n"));
	assert_int_equal(rig.fabric->path->frame_extra, encrypted ? 32 : 0);
	return encrypted;
}

static void both_ends_and_a_server(void **state)
{
	uint8_t data[5000], out[5000];

	(void)state;
	assert_int_equal(log_in("yes", "", "yes", "", "key-server own\n"), 0);
	assert_string_equal(said, "");
	assert_true(is_encrypted());
	memset(data, 0x42, sizeof(data));
	assert_int_equal(fces_carry(rig.fabric->path->fces, true, 1, data, sizeof(data), out), 0);
	assert_memory_equal(data, out, sizeof(data));
	assert_int_equal(fabric_run(rig.fabric), 0);
	assert_true(rig.fabric->load[0].ended > 10);
	fabric_rig_done(&rig);
}

static void an_end_that_is_not_capable(void **state)
{
	(void)state;
	assert_int_equal(log_in("yes", "", "no", "", "key-server own\n"), 0);
	assert_string_equal(said, "50 7800: CU7800 is not capable of encryption\n");
	assert_false(is_encrypted());
	assert_true(shows("D M=CHP(50)", "CONNECTION SECURITY CAPABILITY = ENCRYPTION\n"));
	fabric_rig_done(&rig);
	assert_int_equal(log_in("no", "", "yes", "", "key-server own\n"), 0);
	assert_string_equal(said, "50 7800: CHP50 is not capable of encryption\n");
	assert_false(is_encrypted());
	assert_true(shows("D M=CHP(50)", "CONNECTION SECURITY CAPABILITY = NONE\n"));
	fabric_rig_done(&rig);
	assert_int_equal(log_in("no", "", "no", "", "key-server own\n"), 0);
	assert_string_equal(said, "");
	assert_false(is_encrypted());
	fabric_rig_done(&rig);
}

static void without_a_server(void **state)
{
	(void)state;
	assert_int_equal(log_in("yes", "", "yes", "", ""), 0);
	assert_string_equal(said, "50 7800: there is no key server\n");
	assert_false(is_encrypted());
	/* It works, in the clear. */
	assert_int_equal(fabric_run(rig.fabric), 0);
	assert_true(rig.fabric->load[0].ended > 10);
	fabric_rig_done(&rig);
}

/* Each of two servers of the run's own has another key for the same two ends. */
static void keys_of_two_servers(void **state)
{
	static const char *const two = "key-server one\nkey-server two\n";

	(void)state;
	assert_int_equal(log_in("yes", " key-server=one", "yes", " key-server=two", two), 0);
	assert_string_equal(said, "50 7800: CHP50 and CU7800 have different keys\n");
	assert_false(is_encrypted());
	fabric_rig_done(&rig);
	assert_int_equal(log_in("yes", " key-server=two", "yes", " key-server=two", two), 0);
	assert_true(is_encrypted());
	fabric_rig_done(&rig);
}

static void encryption_may_be_required(void **state)
{
	(void)state;
	for (int unit = 0; unit < 2; unit++) {
		const char *channel = unit ? "yes" : "required";

		assert_int_equal(
			log_in(channel, "", unit ? "required" : "yes", "", "key-server own\n"), 0);
		assert_true(is_encrypted());
		assert_true(path_usable(rig.fabric->path));
		fabric_rig_done(&rig);
		assert_int_equal(log_in(channel, "", unit ? "required" : "yes", "", ""), 0);
		assert_string_equal(said, "50 7800: there is no key server (barred)\n");
		assert_false(is_encrypted());
		assert_true(shows("D M=DEV(7800)", "PATH OPERATIONAL      N\n"));
		/* Nothing goes in the clear. */
		assert_int_equal(fabric_run(rig.fabric), 0);
		assert_int_equal(rig.fabric->load[0].ended, 0);
		assert_true(rig.fabric->load[0].failed > 0);
		fabric_rig_done(&rig);
	}
	assert_int_equal(log_in("required", "", "no", "", "key-server own\n"), 0);
	assert_string_equal(said, "50 7800: CU7800 is not capable of encryption (barred)\n");
	fabric_rig_done(&rig);
}

/* The keys are others in every run, and no event knows. */
static void the_same_events_every_time(void **state)
{
	uint64_t hash = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(log_in("yes", "", "yes", "", "key-server own\n"), 0);
		assert_int_equal(fabric_run(rig.fabric), 0);
		if (i)
			assert_int_equal(rig.fabric->sim.log.hash, hash);
		hash = rig.fabric->sim.log.hash;
		fabric_rig_done(&rig);
	}
}

static void keys_change_during_a_run(void **state)
{
	uint8_t data[4096] = {0};

	(void)state;
	assert_int_equal(log_in("yes", "", "yes", "", "key-server own\nfces-key-frames 10\n"), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(
			fces_carry(rig.fabric->path->fces, i & 1, 1, data, sizeof(data), data), 0);
	/* 100 frames each way, and 10 a key. */
	assert_true(rig.fabric->path->fces->channel.changes >= 10);
	fabric_rig_done(&rig);
}

/* Turns a bit of the id in the first message of an agreement, once. */
static void turn_id(void *context, bool from_cu, uint8_t *bytes, size_t len)
{
	int *left = context;

	(void)from_cu;
	(void)len;
	if (*left && !memcmp(bytes, "SK\1\1", 4)) {
		bytes[7] ^= 4;
		--*left;
	}
}

/* An unknown id is requested once; the existing key stays known. */
static void keys_change_after_an_unknown_id(void **state)
{
	uint8_t data[4096] = {0};
	int left = 1;

	(void)state;
	assert_int_equal(log_in("yes", "", "yes", "", "key-server own\nfces-key-frames 10\n"), 0);
	fces_connection_tap(rig.fabric->path->fces, turn_id, &left);
	for (int i = 0; i < 2000; i++)
		assert_int_equal(
			fces_carry(rig.fabric->path->fces, i & 1, 1, data, sizeof(data), data), 0);
	assert_int_equal(left, 0);
	assert_int_equal(rig.fabric->path->fces->refused_changes, 1);
	assert_true(rig.fabric->path->fces->channel.changes >= 50);
	fabric_rig_done(&rig);
}

static struct fces_rig server;
static char statement[300];

static void write_keys(const char *text)
{
	FILE *file = fopen(server.file, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

#define ONES "0101010101010101010101010101010101010101010101010101010101010101"
#define TWOS "0202020202020202020202020202020202020202020202020202020202020202"

static int with_server(void **state)
{
	const char *keys = "end CHP50 " ONES "\nend CU7800 " TWOS "\nshare CHP50 CU7800\n";

	(void)state;
	fces_rig_start(&server, NULL, 0);
	fces_rig_stop(&server);
	fces_rig_serve(&server, keys);
	snprintf(statement, sizeof(statement), "key-server K address=%s keys=%s\n", server.socket,
		 server.file);
	return 0;
}

static int without_server(void **state)
{
	(void)state;
	fces_rig_finish(&server);
	return 0;
}

static void a_server_of_another_process(void **state)
{
	(void)state;
	assert_int_equal(log_in("yes", "", "yes", "", statement), 0);
	assert_string_equal(said, "");
	assert_true(is_encrypted());
	fabric_rig_done(&rig);
	fces_rig_stop(&server);
	assert_int_equal(server.served, 2);
}

static void a_server_that_is_not_there(void **state)
{
	(void)state;
	fces_rig_stop(&server);
	assert_int_equal(log_in("yes", "", "yes", "", statement), 0);
	assert_string_equal(said, "50 7800: CHP50 has no key: Connection refused\n");
	assert_false(is_encrypted());
	fabric_rig_done(&rig);
	/* Nor its socket. */
	unlink(server.socket);
	assert_int_equal(log_in("yes", "", "required", "", statement), 0);
	assert_string_equal(said, "50 7800: CHP50 has no key: Connection refused (barred)\n");
	fabric_rig_done(&rig);
}

static void secrets_that_are_wrong(void **state)
{
	char expected[200];

	(void)state;
	write_keys("end CHP50 " ONES "\nend CU7800 " ONES "\n");
	assert_int_equal(log_in("yes", "", "yes", "", statement), 0);
	assert_string_equal(said, "50 7800: CU7800 has no key: the key server has a different "
				  "secret for it\n");
	assert_false(is_encrypted());
	fabric_rig_done(&rig);
	write_keys("end CU7800 " TWOS "\n");
	assert_int_equal(log_in("yes", "", "yes", "", statement), 0);
	snprintf(expected, sizeof(expected), "50 7800: CHP50 has no secret in %s\n", server.file);
	assert_string_equal(said, expected);
	assert_false(is_encrypted());
	fabric_rig_done(&rig);
}

static void two_that_share_no_key(void **state)
{
	(void)state;
	fces_rig_stop(&server);
	fces_rig_serve(&server,
		       "end CHP50 " ONES "\nend CU7800 " TWOS "\nend X " TWOS "\nshare CHP50 X\n");
	assert_int_equal(log_in("yes", "", "yes", "", statement), 0);
	assert_string_equal(said,
			    "50 7800: CHP50 has no key: the key server has no key for these two\n");
	assert_false(is_encrypted());
	fabric_rig_done(&rig);
}

/* Errors in statements and files prevent the run; they are not states of a path. */
static void what_is_wrong_is_said(void **state)
{
	char expected[300];

	(void)state;
	assert_int_equal(log_in("yes", " key-server=nowhere", "yes", "", statement), -22);
	assert_string_equal(error.text, "channel 50: unknown key server nowhere");
	assert_int_equal(error.line, 1);
	fabric_rig_done(&rig);
	assert_int_equal(log_in("yes", "", "yes", "", "key-server a\nkey-server a\n"), -22);
	assert_string_equal(error.text, "key-server a is already defined");
	fabric_rig_done(&rig);
	assert_int_equal(log_in("yes", "", "yes", "", "key-server a address=here keys=x\n"), -22);
	assert_string_equal(error.text,
			    "key-server a: 'here' is neither HOST:PORT nor the path of a socket");
	fabric_rig_done(&rig);
	assert_int_equal(log_in("yes", "", "yes", "", "key-server a address=/x keys=/none/x\n"),
			 -22);
	assert_string_equal(error.text, "key-server a: /none/x: No such file or directory");
	fabric_rig_done(&rig);
	assert_int_equal(chmod(server.file, 0640), 0);
	assert_int_equal(log_in("yes", "", "yes", "", statement), -22);
	snprintf(expected, sizeof(expected),
		 "key-server K: %s: users other than its owner have access to it (chmod 600)",
		 server.file);
	assert_string_equal(error.text, expected);
	fabric_rig_done(&rig);
}

int main(void)
{
#define SERVED(name) cmocka_unit_test_setup_teardown(name, with_server, without_server)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_and_a_server),
		cmocka_unit_test(an_end_that_is_not_capable),
		cmocka_unit_test(without_a_server),
		cmocka_unit_test(keys_of_two_servers),
		cmocka_unit_test(encryption_may_be_required),
		cmocka_unit_test(the_same_events_every_time),
		cmocka_unit_test(keys_change_during_a_run),
		cmocka_unit_test(keys_change_after_an_unknown_id),
		SERVED(a_server_of_another_process),
		SERVED(a_server_that_is_not_there),
		SERVED(secrets_that_are_wrong),
		SERVED(two_that_share_no_key),
		SERVED(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
