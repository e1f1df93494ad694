/* SPDX-License-Identifier: Apache-2.0 */
/* test-settings.c - the transports' keys in the configurations of both sides */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/transport/settings.h"
#include "transport/choice.h"

#define SHIFT 24

/* All transports can be chosen by their names, and the first one is the default. */
static void every_one_can_be_chosen(void **state)
{
	(void)state;
	for (enum transport_side side = 0; side < TRANSPORT_SIDES; side++) {
		struct lfp_field field = transport_choice_field(side, 0);
		struct transport_settings settings;
		const struct transport *transport;
		char reason[128];

		lfp_fields_init(&field, 1, &settings, sizeof(settings));
		assert_ptr_equal(transport_chosen(&settings), transport_at(0));
		for (unsigned int i = 0; (transport = transport_at(i)); i++) {
			assert_int_equal(lfp_field_set(&field, &settings, transport->name, reason,
						       sizeof(reason)),
					 0);
			assert_ptr_equal(transport_chosen(&settings), transport);
		}
		assert_int_equal(lfp_field_set(&field, &settings, "none", reason, sizeof(reason)),
				 -EINVAL);
	}
}

/* Each transport finds its own values, wherever the settings are in the struct of a side. */
static void keys_have_places_of_their_own(void **state)
{
	struct {
		unsigned char before[SHIFT];
		struct transport_settings settings;
	} config;
	struct lfp_field fields[32];

	(void)state;
	assert_int_equal(offsetof(__typeof__(config), settings), SHIFT);
	for (enum transport_side side = 0; side < TRANSPORT_SIDES; side++) {
		size_t nr = transport_fields(side, SHIFT, fields, 32), k = 0;
		const struct transport *transport;

		assert_in_range(nr, 1, 32);
		lfp_fields_init(fields, nr, &config, sizeof(config));
		for (unsigned int i = 0; (transport = transport_at(i)); i++) {
			const void *own = transport_settings_of(&config.settings, transport);

			for (size_t n = 0; n < transport->keys[side].nr; n++, k++) {
				const struct lfp_field *key = &transport->keys[side].fields[n];

				assert_string_equal(fields[k].key, key->key);
				assert_true(key->offset < TRANSPORT_SETTINGS_EACH);
				assert_ptr_equal((char *)&config + fields[k].offset,
						 (const char *)own + key->offset);
			}
		}
		assert_int_equal(k, nr);
		/* No more than there is room for is written. */
		memset(fields, 0, sizeof(fields));
		assert_int_equal(transport_fields(side, 0, fields, 1), nr);
		assert_non_null(fields[0].key);
		assert_null(fields[1].key);
	}
}

/* Faults name the keys of the side. Only the chosen transport's keys are checked. */
static void chosen_one_is_checked(void **state)
{
	static const char *const keys[TRANSPORT_SIDES] = {"HS_MTU", "HsMTU"};
	struct transport_fault fault;

	(void)state;
	for (enum transport_side side = 0; side < TRANSPORT_SIDES; side++) {
		struct lfp_field choice = transport_choice_field(side, 0);
		struct transport_settings settings;
		char reason[128], text[128];

		transport_settings_init(&settings, side);
		settings_set(&settings, "HS_MTU", "9000");
		assert_int_equal(transport_settings_check(&settings, side, 65536, &fault), 0);
		assert_int_equal(
			lfp_field_set(&choice, &settings, "hipersockets", reason, sizeof(reason)),
			0);
		assert_int_equal(transport_settings_check(&settings, side, 1024, &fault), -EINVAL);
		assert_string_equal(fault.key, keys[side]);
		assert_string_equal(fault.text, "9000 is not 8192, 16384, 32768 or 57344");
		settings_set(&settings, "HS_MTU", "8192");
		assert_int_equal(transport_settings_check(&settings, side, 8074, &fault), 0);
		assert_int_equal(transport_settings_check(&settings, side, 8075, &fault), -EINVAL);
		assert_null(fault.key);
		snprintf(text, sizeof(text), "8075 is more than 8074, the most with %s 8192",
			 keys[side]);
		assert_string_equal(fault.text, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_one_can_be_chosen),
		cmocka_unit_test(keys_have_places_of_their_own),
		cmocka_unit_test(chosen_one_is_checked),
	};

	return cmocka_run_group_tests_name("settings of transports", tests, NULL, NULL);
}
