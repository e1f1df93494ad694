/* SPDX-License-Identifier: Apache-2.0 */
/* test-display.c - operator commands and their answers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devemu/report/display.h"
#include "tests/devemu/fabric-rig.h"

static struct fabric_rig rig;

static const char *answer(const char *command)
{
	char why[120] = "";

	if (display_command(rig.fabric, command, 563, fabric_rig_catch(&rig), why) < 0)
		fail_msg("%s: %s", command, why);
	return fabric_rig_caught(&rig);
}

static void build(const char *text)
{
	struct fabric_error error;

	if (fabric_rig_build(&rig, text, &error) < 0)
		fail_msg("%d: %s", error.line, error.text);
}

/* The paper's display, to the letter. */
static void a_device_is_shown_as_published(void **state)
{
	static const char *const lines =
		"IEE174I 11.14.15 DISPLAY M 563\n"
		"DEVICE 07800   STATUS=ONLINE\n"
		"CHP                   50   51   52   53   54   55   56   57\n"
		"ENTRY LINK ADDRESS    6628 6653 668B 66B3 66EB 6604 6664 66C4\n"
		"DEST LINK ADDRESS     662C 66CF 666F 66B4 66DA 664A 66B2 66D5\n"
		"PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    Y\n"
		"CHP PHYSICALLY ONLINE Y    Y    Y    Y    Y    Y    Y    Y\n"
		"PATH OPERATIONAL      Y    Y    Y    Y    Y    Y    Y    Y\n"
		"MANAGED               N    N    N    N    N    N    N    N\n"
		"CU NUMBER             7800 7800 7800 7800 7800 7800 7800 7800\n"
		"INTERFACE ID          0000 0032 0100 0132 0200 0232 0300 0332\n"
		"CONNECTION SECURITY   Encr Encr Encr Encr Encr Encr Encr Encr\n"
		"MAXIMUM MANAGED CHPID(S) ALLOWED = 0\n"
		"DESTINATION CU LOGICAL ADDRESS = 00\n"
		"SCP CU ND         = 002107.996.IBM.75.0000000KMX41.0000\n"
		"SCP TOKEN NED     = 002107.900.IBM.75.0000000KMX41.0000\n"
		"SCP DEVICE NED    = 002107.900.IBM.75.0000000KMX41.0000\n"
		"WWNN              = 5005076309FFD439\n"
		"HYPERPAV ALIASES CONFIGURED = 48\n"
		"ZHYPERLINKS AVAILABLE = 16\n"
		"FUNCTIONS ENABLED = MIDAW, ZHPF\n";

	(void)state;
	fabric_rig_run_file(&rig, "zdev/scenarios/display-device.zdev", 0);
	assert_string_equal(answer("D M=DEV(7800)"), lines);
	assert_string_equal(answer(" display  m = dev ( 7800 ) "), lines);
	fabric_rig_done(&rig);
}

static void what_has_failed_is_seen(void **state)
{
	const char *text;

	(void)state;
	build("key-server own\ncontrol-unit 7800 fces=yes\nchannel 50 fces=yes\nchannel 51\npath "
	      "50 7800 port=2\n"
	      "path 51 7800 port=3\ndevice 7800-780F cu=7800\ndevice 7812 cu=7800 zhpf=no\n"
	      "link L\nchannel 52\npath 52 7800 via=L\nzhpf yes\n");
	fabric_channel(rig.fabric, 0x50)->up = false;
	rig.fabric->link[0].up = false;
	text = answer("D M=DEV(7812)");
	assert_non_null(strstr(text, "STATUS=ONLINE\n"));
	assert_non_null(strstr(text, "CHP PHYSICALLY ONLINE N    Y    Y\n"));
	assert_non_null(strstr(text, "PATH OPERATIONAL      N    Y    N\n"));
	assert_non_null(strstr(text, "INTERFACE ID          0100 0132 0000\n"));
	assert_non_null(strstr(text, "CONNECTION SECURITY   Encr None None\n"));
	assert_non_null(strstr(text, "FUNCTIONS ENABLED = MIDAW\n"));
	assert_non_null(strstr(text, "ENTRY LINK ADDRESS    ..   ..   ..\n"));
	assert_null(strstr(text, "HYPERPAV")); /* no limit is configured */
	assert_null(strstr(text, "ZHYPERLINKS"));
	text = answer("D M=CHP(50)");
	assert_non_null(strstr(text, "CHPID 50:  TYPE=1A, DESC=FICON POINT TO POINT, OFFLINE\n"));
	assert_non_null(strstr(text, "\n7800 $ $ $ $ $ $ $ $ $ $ $ $ $ $ $ $\n"
				     "7810 . . $ . . . . . . . . . . . . .\n"));
	assert_non_null(strstr(text, "CONNECTION SECURITY CAPABILITY = ENCRYPTION\n"));
	text = answer("D M=CHP(51)");
	assert_non_null(strstr(text, "\n7810 . . + . ."));
	assert_non_null(strstr(text, "CONNECTION SECURITY CAPABILITY = NONE\n"));
	fabric_channel(rig.fabric, 0x51)->up = false;
	assert_non_null(strstr(answer("D M=DEV(7812)"), "STATUS=OFFLINE\n"));
	assert_non_null(strstr(answer("D M=CHP(51)"), "\n7810 . . - . ."));
	fabric_rig_done(&rig);
}

static void path_information_has_the_security_of_each(void **state)
{
	const char *text;

	(void)state;
	build("key-server own\ncontrol-unit 7800 fces=yes address=07\ncontrol-unit 7900\nchannel "
	      "50 fces=yes\n"
	      "path 50 7800 entry=6628 dest=662C\npath 50 7900\ndevice 7800 cu=7800\n"
	      "device 7900 cu=7900\nchannel 60 type=FCP\n");
	text = answer("D M=CHP(50),PATHINFO");
	assert_non_null(strstr(text, "TYPE=1B, DESC=FICON SWITCHED, ONLINE\n"));
	assert_non_null(strstr(text, "CONN SEC\n7800  07  6628  662C  Y            Encr\n"
				     "7900  00  ..    ..    Y            None\n"));
	assert_null(strstr(text, "DEVICE STATUS"));
	text = answer("D M=CHP(60)");
	assert_non_null(strstr(text, "TYPE=25, DESC=FIBRE CHANNEL PROTOCOL, ONLINE\n"));
	assert_non_null(strstr(text, "FACILITIES SUPPORTED = NONE\n"));
	fabric_rig_done(&rig);
}

static void processors_are_shown_as_published(void **state)
{
	(void)state;
	fabric_rig_run_file(&rig, "zdev/scenarios/display-processors.zdev", 0);
	assert_string_equal(
		answer("D M=CPU"),
		"IEE174I 01.35.25 DISPLAY M 563\n"
		"PROCESSOR STATUS\n"
		"ID  CPU                SERIAL\n"
		"00  +                  029B8E2094\n"
		"01  +                  029B8E2094\n"
		"02  +I                 029B8E2094\n"
		"CPC ND = 002094.S38.IBM.02.000000029B8E\n"
		"CPC SI = 2094.730.IBM.02.0000000000029B8E\n"
		"CPC ID = 00\n"
		"CPC NAME = RP569\n"
		"LP NAME = RALNS42    LP ID = 2\n"
		"CSS ID = 0\n"
		"MIF ID = 2\n"
		"+ ONLINE    - OFFLINE    . DOES NOT EXIST    W WLM-MANAGED    N NOT AVAILABLE\n"
		"I INTEGRATED INFORMATION PROCESSOR (zIIP)\n"
		"CPC ND   CENTRAL PROCESSING COMPLEX NODE DESCRIPTOR\n"
		"CPC SI   SYSTEM INFORMATION FROM STSI INSTRUCTION\n"
		"CPC ID   CENTRAL PROCESSING COMPLEX IDENTIFIER\n"
		"CPC NAME CENTRAL PROCESSING COMPLEX NAME\n"
		"LP NAME  LOGICAL PARTITION NAME\n"
		"LP ID    LOGICAL PARTITION IDENTIFIER\n");
	fabric_rig_done(&rig);
}

static void the_switch_is_shown_and_set(void **state)
{
	(void)state;
	build("channel 50\n");
	assert_non_null(strstr(answer("D IOS,ZHPF"), "IS DISABLED"));
	assert_non_null(strstr(answer("setios zhpf=yes"), "IS ENABLED"));
	assert_true(rig.fabric->zhpf);
	assert_non_null(strstr(answer("d ios , zhpf"), "IS ENABLED"));
	fabric_rig_done(&rig);
}

static void what_is_no_command_is_said(void **state)
{
	static const struct {
		const char *command, *why;
		int rc;
	} cases[] = {
		{"", "the command is neither D (DISPLAY), SETIOS nor NETSTAT", -EINVAL},
		{"DELETE M=CPU", "the command is neither D (DISPLAY), SETIOS nor NETSTAT", -EINVAL},
		{"D T", "D needs M= or IOS,ZHPF", -EINVAL},
		{"D M=", "D M= needs DEV(nnnn), CHP(nn), CHP(nn),PATHINFO or CPU", -EINVAL},
		{"D M=DEV()", "D M= needs DEV(nnnn), CHP(nn), CHP(nn),PATHINFO or CPU", -EINVAL},
		{"D M=DEV(7800", "D M= needs DEV(nnnn), CHP(nn), CHP(nn),PATHINFO or CPU", -EINVAL},
		{"D M=DEV(123456)", "D M= needs DEV(nnnn), CHP(nn), CHP(nn),PATHINFO or CPU",
		 -EINVAL},
		{"D M=CHP(50),ALL", "D M= needs DEV(nnnn), CHP(nn), CHP(nn),PATHINFO or CPU",
		 -EINVAL},
		{"D M=DEV(7801)", "device 07801 does not exist", -ENODEV},
		{"D M=DEV(FFFFF)", "device FFFFF does not exist", -ENODEV},
		{"D M=CHP(51)", "channel path 51 does not exist", -ENODEV},
		{"SETIOS ZHPF=MAYBE", "SETIOS needs ZHPF=YES or ZHPF=NO", -EINVAL},
		{"D M=DEV(7800)                                                               "
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		 "the command is longer than 79 characters", -EINVAL},
	};

	(void)state;
	build("channel 50\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char why[120] = "";

		assert_int_equal(display_command(rig.fabric, cases[i].command, 1,
						 fabric_rig_catch(&rig), why),
				 cases[i].rc);
		assert_string_equal(why, cases[i].why);
		assert_string_equal(fabric_rig_caught(&rig), "");
	}
	fabric_rig_done(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_shown_as_published),
		cmocka_unit_test(what_has_failed_is_seen),
		cmocka_unit_test(path_information_has_the_security_of_each),
		cmocka_unit_test(processors_are_shown_as_published),
		cmocka_unit_test(the_switch_is_shown_and_set),
		cmocka_unit_test(what_is_no_command_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
