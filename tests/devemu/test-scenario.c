/* SPDX-License-Identifier: Apache-2.0 */
/* test-scenario.c - scenarios and IECIOSxx members as they are read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "devemu/clock/sim.h"
#include "devemu/fabric/zhpf.h"
#include "devemu/scenario/scenario.h"

static int read_text(struct config *config, const char *text, struct lfp_reader_error *err)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	rc = scenario_read(config, "S", file, err);
	fclose(file);
	return rc;
}

static void everything_is_taken(void **state)
{
	struct lfp_reader_error err;
	struct config c;

	(void)state;
	if (read_text(
		    &c,
		    "# comment\n\ntitle  All of it  \nseed 18446744073709551615\nwarmup 10ms\n"
		    "time 1.5s # one and a half\nzhpf yes\nsetios 2us zhpf=no\n"
		    "fces-frame-bytes 48\nfces-key-frames 1000\nkey-server own\n"
		    "key-server other address=[::1]:5696 keys=secrets\n"
		    "link L speed=16 fec=no distance=1.5km credits=7 credit-efficiency=85% "
		    "count=2\n"
		    "channel 5a preset=FEx16SA type=FCP speed=8 fec=no discipline=ps:0.2us card=20 "
		    "zhpf=no first-transfer-ready=no fces=required key-server=other\n"
		    "control-unit 7800 preset=ideal ports=4 zhpf=no fces=yes lcu=00BC address=1f "
		    "wwnn=5005076309FFd439 serial=KMX41\n"
		    "zhyperlink 7800 adapter=7 port=1 functions=64 distance=150m\n"
		    "system AP34 date=05/31/2022 clock=09.17.58 machine=2094-S38-730 serial=29B8E "
		    "cpc=RP569 lpar=RALNS42 lpar-id=2a css=1 mif=F cpus=2 ziips=1\n"
		    "display 10ms  D M=DEV(7800)  # not a comment here\n"
		    "device 7800-781F cu=7800 hit=90% miss=2ms aliases=48 zhpf=no volser=XX7800 "
		    "file=/v cylinders=100\n"
		    "path 5A 7800 port=3 via=L,M entry=6628 dest=662C "
		    "corrupt-frames=9\n"
		    "load a devices=7801-7802 streams=5 think=1us bytes=128K read=50 program=ccw\n"
		    "load b devices=7801 rate=0.1 arrivals=even sync=yes align=16\n"
		    "fail 1s channel=5A\nrestore 2s domain=2\nfail 3s link=L",
		    &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(c.title, "All of it");
	assert_true(c.seed == UINT64_MAX && c.warmup == 10 * SIM_MS && c.time == 1500 * SIM_MS);
	assert_true(c.zhpf && c.fces_frame_bytes == 48 && c.fces_key_frames == 1000);
	assert_int_equal(c.key_servers, 2);
	assert_string_equal(c.key_server[0].name, "own");
	assert_string_equal(c.key_server[0].address, "");
	assert_string_equal(c.key_server[1].address, "[::1]:5696");
	assert_string_equal(c.key_server[1].keys, "secrets");
	assert_string_equal(c.channel->key_server, "other");
	assert_true(c.setioses == 1 && c.setios->at == 2 * SIM_US && !c.setios->zhpf);
	assert_true(c.links == 1 && c.link->gbps == 16 && !c.link->fec && c.link->metres == 1500);
	assert_true(c.link->credits == 7 && c.link->credit_efficiency == 85 && c.link->count == 2);
	assert_int_equal(c.path->corrupt, 9);
	assert_true(c.channel->chpid == 0x5A && c.channel->type == CHANNEL_FCP);
	assert_true(c.channel->gbps == 8 && c.channel->no_fec &&
		    c.channel->quantum == 200 * SIM_NS);
	assert_true(c.channel->discipline == DISCIPLINE_PS && c.channel->card == 20);
	assert_true(c.channel->domain == 2 && c.channel->no_zhpf);
	assert_int_equal(c.channel->fces, FCES_REQUIRED);
	assert_true(c.channel->no_first_transfer_ready);
	assert_true(c.control_unit->ports == 4 && c.control_unit->no_zhpf);
	assert_int_equal(c.control_unit->fces, FCES_YES);
	assert_true(c.control_unit->lcu == 0xBC && c.control_unit->address == 0x1F);
	assert_true(c.control_unit->wwnn == UINT64_C(0x5005076309FFD439));
	assert_string_equal(c.control_unit->serial, "KMX41");
	assert_true(c.zhyperlinks == 1 && c.zhyperlink->cu == 0x7800 && c.zhyperlink->port == 1);
	assert_true(c.zhyperlink->adapter == 7 && c.zhyperlink->functions == 64);
	assert_true(c.zhyperlink->metres == 150);
	assert_string_equal(c.system.id, "AP34");
	assert_true(c.system.year == 2022 && c.system.month == 5 && c.system.day == 31);
	assert_true(c.system.clock == (9 * 3600 + 17 * 60 + 58) * SIM_SEC);
	assert_string_equal(c.system.machine, "2094");
	assert_string_equal(c.system.model, "S38");
	assert_string_equal(c.system.capacity, "730");
	assert_string_equal(c.system.lpar, "RALNS42");
	assert_true(c.system.lpar_id == 0x2A && c.system.css == 1 && c.system.mif == 15);
	assert_true(c.system.cpus == 2 && c.system.ziips == 1);
	assert_true(c.commands == 1 && c.command->at == 10 * SIM_MS);
	assert_string_equal(c.command->text, "D M=DEV(7800)  # not a comment here");
	assert_true(c.device->number == 0x7800 && c.device->count == 32 && c.device->hit == 90);
	assert_true(c.device->miss_time == 2 * SIM_MS && c.device->aliases == 48);
	assert_string_equal(c.device->volser, "XX7800");
	assert_true(c.path->port == 3 && c.path->via_count == 2 && c.path->dest == 0x662C);
	assert_string_equal(c.path->via[1], "M");
	assert_true(c.loads == 2 && c.load[0].devices == 2 && c.load[0].bytes == 131072);
	assert_true(c.load[0].program == PROGRAM_CCW && c.load[0].read == 50);
	assert_true(c.load[1].rate_micro == 100000 && c.load[1].fixed);
	assert_true(!c.load[0].sync && c.load[0].align == 4096);
	assert_true(c.load[1].sync && c.load[1].align == 16);
	assert_true(c.faults == 3 && c.fault[1].target == FAULT_DOMAIN && c.fault[1].up);
	assert_true(c.fault[1].number == 2 && c.fault[2].target == FAULT_LINK);
	config_finish(&c);
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"seed 1\nfoo 1\n", "S:2: unknown statement 'foo'"},
		{"fces-key-frames 0\n", "S:1: '0' is not in the range 1 to 4000000000"},
		{"fces-frame-bytes 257\n", "S:1: '257' is not in the range 0 to 256"},
		{"key-server\n", "S:1: 'key-server' takes 1 name, not 0"},
		{"key-server k address=h:1\n",
		 "S:1: keys: a file with the secrets of the ends is required"},
		{"key-server k keys=f\n", "S:1: address: the address of the server is required"},
		{"channel 50 fces=maybe\n", "S:1: fces: unknown value 'maybe'"},
		{"channel 50 key-server=k\n",
		 "S:1: key-server: requires fces=yes or fces=required"},
		{"seed\n", "S:1: 'seed' takes 1 name, not 0"},
		{"seed 1 2\n", "S:1: '2' is one name too many"},
		{"seed -1\n", "S:1: '-1' is not a number of up to 64 bits"},
		{"time 5\n", "S:1: '5' is not a time such as 0.2us, 10ms or 1s, up to 100 days"},
		{"time 0\n", "S:1: the time must be more than 0"},
		{"tcpip\n", "S:1: 'tcpip' takes 1 name, not 0"},
		{"tcpip M frame=8K\n", "S:1: frame: frames have 16K, 24K, 40K or 64K"},
		{"iecios\n", "S:1: 'iecios' takes 1 name, not 0"},
		{"zhpf no\niecios M\n", "S:2: line 1 already sets the switch"},
		{"iecios M\nzhpf no\n", "S:2: the 'iecios' member already sets the switch"},
		{"zhpf maybe\n", "S:1: 'maybe' is neither yes nor no"},
		{"channel 100\n", "S:1: '100' is not a CHPID: use a hexadecimal number up to FF"},
		{"channel 50 speed=10\n", "S:1: speed: unknown value '10'"},
		{"channel 50 sped=8\n", "S:1: sped: 'channel' has no such key"},
		{"channel 50 speed=8 speed=8\n", "S:1: speed: appears twice in the line"},
		{"channel 50 =8\n", "S:1: '=8' has no key"},
		{"channel speed=8 50\n", "S:1: '50' is a name and must come before the keys"},
		{"link L credits=0\n", "S:1: credits: '0' is not in the range 1 to 65535"},
		{"link L credit-efficiency=0\n", "S:1: credit-efficiency: '0' is less than 1%"},
		{"device 7800-77FF cu=1\n",
		 "S:1: '7800-77FF' is not a device such as 7800, or 7800-781F"},
		{"device 7800\n", "S:1: cu: the control unit's number is required"},
		{"path 50 7800 corrupt-frames=0\n",
		 "S:1: corrupt-frames: '0' is not in the range 1 to 1000000000"},
		{"path 50 7800 via=a,,b\n", "S:1: via: needs link names of 1 to 31 characters"},
		{"load a devices=1\n", "S:1: either streams= or rate= is required"},
		{"load a devices=1 streams=1 rate=1\n",
		 "S:1: either streams= or rate= is required"},
		{"load a devices=1 rate=0\n",
		 "S:1: rate: '0' is not a rate such as 8187.4, up to 1000000000"},
		{"fail 1s\n", "S:1: one of channel=, domain= and link= is required"},
		{"system ABCDEFGHI\n", "S:1: system 'ABCDEFGHI...' is longer than 8 characters"},
		{"system A date=02/29/2023\n",
		 "S:1: date: '02/29/2023' is not a date such as 05/31/2022"},
		{"system A date=5/31/2022\n",
		 "S:1: date: '5/31/2022' is not a date such as 05/31/2022"},
		{"system A clock=24.00.00\n",
		 "S:1: clock: '24.00.00' is not a time of day such as 09.17.58"},
		{"system A machine=3931A01\n",
		 "S:1: machine: '3931A01' is not a machine such as 3931-A01-701"},
		{"system A serial=123\n", "S:1: serial: '123' does not have 5 characters"},
		{"system A cpc=A-B\n",
		 "S:1: cpc: 'A-B' has characters other than letters and digits"},
		{"system A css=9\n", "S:1: css: '9' is above 5"},
		{"zhyperlink 7800 adapter=x\n", "S:1: adapter: 'x' is not a number"},
		{"control-unit 1 wwnn=50\n", "S:1: wwnn: '50' is not 16 hexadecimal digits"},
		{"display 10ms\n", "S:1: 'display' needs a time and a command"},
		{"display 10 D M=CPU\n", "S:1: '10' is not a time such as 0.2us, 10ms or 1s"},
		{"a=b\n", "S:1: a statement cannot start with 'a=b'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lfp_reader_error err;
		struct config config;

		assert_int_equal(read_text(&config, cases[i].text, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].message);
		config_finish(&config);
	}
}

static void values_are_exact(void **state)
{
	unsigned long metres;
	unsigned int value;
	uint64_t micro;
	int64_t ps;

	(void)state;
	assert_int_equal(value_time("0.000001us", &ps), 0);
	assert_true(ps == 1);
	assert_int_equal(value_time("8640000s", &ps), 0);
	assert_true(ps == INT64_C(8640000) * SIM_SEC);
	assert_int_equal(value_time("8640001s", &ps), -ERANGE);
	assert_int_equal(value_time("99999999999999999999s", &ps), -ERANGE);
	assert_int_equal(value_time("1", &ps), -EINVAL);
	assert_int_equal(value_time("1 s", &ps), -EINVAL);
	assert_int_equal(value_time(".5s", &ps), -EINVAL);
	assert_int_equal(value_time("5.s", &ps), -EINVAL);
	assert_int_equal(value_time("0", &ps), 0);
	assert_int_equal(value_micro("8187.4", UINT64_MAX, &micro), 0);
	assert_true(micro == 8187400000);
	assert_int_equal(value_micro("0.0000001", UINT64_MAX, &micro), -EINVAL);
	assert_int_equal(value_distance("0.15km", &metres), 0);
	assert_true(metres == 150);
	assert_int_equal(value_hex("fF", 0xFF, &value), 0);
	assert_int_equal(value, 0xFF);
	assert_int_equal(value_hex("100", 0xFF, &value), -ERANGE);
	assert_int_equal(value_hex("9", 5, &value), -ERANGE);
	assert_int_equal(value_hex("1G", 0xFF, &value), -EINVAL);
	assert_int_equal(value_percent("101", &value), -ERANGE);
	assert_int_equal(value_percent("%", &value), -EINVAL);
}

static int member(const char *text, bool *zhpf, struct lfp_reader_error *err)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	rc = zhpf_member("IECIOS00", file, zhpf, err);
	fclose(file);
	return rc;
}

static void a_member_has_the_switch(void **state)
{
	struct lfp_reader_error err;
	bool zhpf = true;

	(void)state;
	assert_int_equal(member("MIH TIME=00:15\n", &zhpf, &err), 0);
	assert_false(zhpf); /* the default */
	assert_int_equal(member("MIH TIME=00:15,DEV=(7800)\n ZHPF=YES\n", &zhpf, &err), 0);
	assert_true(zhpf);
	assert_int_equal(member("/* ZHPF=YES\n ZHPF=YES */\n", &zhpf, &err), 0);
	assert_false(zhpf);
	assert_int_equal(member("ZHPF=YES\nZHPF=NO\n", &zhpf, &err), 0);
	assert_false(zhpf);
	assert_int_equal(member("\nZHPF=ON\n", &zhpf, &err), -EINVAL);
	assert_string_equal(err.text, "IECIOS00:2: ZHPF: 'ON' is neither YES nor NO");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_taken),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(values_are_exact),
		cmocka_unit_test(a_member_has_the_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
