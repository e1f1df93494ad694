/* SPDX-License-Identifier: Apache-2.0 */
/* test-golden.c - the hash of a run's event log does not depend on compiler, options or machine
 *
 * A change of the model, or of the order of its random numbers, changes these hashes. The run then
 * prints the new ones. Store them here after you know the reason.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/fabric/volume.h"
#include "tests/devemu/fabric-rig.h"

/* All that is random or divides: arrivals, misses, places on a volume, lanes, trunks, quanta. */
static const char everything[] =
	"zhpf yes\n"
	"warmup 5ms\n"
	"time 45ms\n"
	"link near speed=32\n"
	"link far distance=37km credits=200 credit-efficiency=85% count=3\n"
	"channel 50 discipline=ps:0.2us\n"
	"channel 51 preset=FEx16S+ discipline=rr\n"
	"channel 52 preset=FEx8S\n"
	"channel 60 type=FCP\n"
	"control-unit 7800\n"
	"control-unit 7900 preset=DS8950-direct\n"
	"control-unit 7A00\n"
	"path 50 7800 port=0 via=near,far\n"
	"path 51 7800 port=1\n"
	"path 52 7900\n"
	"path 60 7A00\n"
	"zhyperlink 7900\n"
	"device 7800-7803 cu=7800 hit=80% miss=2ms aliases=3\n"
	"device 7900 cu=7900 hit=95% file=scratch cylinders=2\n"
	"device 7A00-7A01 cu=7A00\n"
	"load a devices=7800-7803 streams=24 read=70 bytes=32K\n"
	"load b devices=7800-7801 rate=4321.7 program=ccw\n"
	"load c devices=7900 rate=30000 sync=yes read=60\n"
	"load d devices=7900 streams=5 think=13us bytes=40K read=50\n"
	"load e devices=7A00-7A01 streams=100 read=50\n"
	"fail 20ms channel=51\n"
	"restore 30ms channel=51\n"
	"setios 35ms zhpf=no\n";

static struct eventlog run(unsigned int seed, uint64_t bytes[2])
{
	struct fabric_error error;
	struct fabric_rig rig;
	char text[2048];
	struct eventlog log;

	snprintf(text, sizeof(text), "seed %u\n%s", seed, everything);
	if (fabric_rig_build(&rig, text, &error) < 0 || volumes_open(rig.fabric, NULL, &error) < 0)
		fail_msg("%d: %s", error.line, error.text);
	assert_int_equal(fabric_run(rig.fabric), 0);
	log = rig.fabric->sim.log;
	bytes[0] = fabric_device(rig.fabric, 0x7900)->volume->counters.read_hash;
	bytes[1] = fabric_device(rig.fabric, 0x7900)->volume->counters.written_hash;
	assert_int_equal(fabric_device(rig.fabric, 0x7900)->volume->counters.errors, 0);
	fabric_rig_done(&rig);
	return log;
}

static void the_same_seed_is_the_same_run(void **state)
{
	static const struct {
		unsigned int seed;
		uint64_t count, hash, read, written;
	} golden[] = {
		{1, 40514, UINT64_C(0xC48004E1727F535A), UINT64_C(0x01D420E40AAC1278),
		 UINT64_C(0xABC468F35A2A2115)},
		{20220531, 41163, UINT64_C(0x2564E34D652EE732), UINT64_C(0xE955EADC846C415D),
		 UINT64_C(0x391D2B9CEC244F2B)},
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		uint64_t bytes[2];
		const struct eventlog log = run(golden[i].seed, bytes);

		if (log.count != golden[i].count || log.hash != golden[i].hash ||
		    bytes[0] != golden[i].read || bytes[1] != golden[i].written)
			fail_msg("{%u, %" PRIu64 ", UINT64_C(0x%016" PRIX64
				 "), UINT64_C(0x%016" PRIX64 "), UINT64_C(0x%016" PRIX64 ")},",
				 golden[i].seed, log.count, log.hash, bytes[0], bytes[1]);
	}
}

static void another_seed_is_another_run(void **state)
{
	uint64_t bytes[2], other[2];

	(void)state;
	assert_true(run(1, bytes).hash != run(2, other).hash);
	assert_true(bytes[0] != other[0] && bytes[1] != other[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_is_the_same_run),
		cmocka_unit_test(another_seed_is_another_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
