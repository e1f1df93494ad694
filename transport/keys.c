/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - the keys of all transports in the configurations of both sides */
#include "transport/settings.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "transport/choice.h"

#define TRANSPORT_ONE(name) +1
_Static_assert(TRANSPORTS(TRANSPORT_ONE) <= TRANSPORTS_MAX, "each has a place for its settings");

/* The words of the list, with a blank between them. */
static const char *words(void)
{
	static char text[128];
	const struct transport *transport;
	size_t len = 0;

	if (*text)
		return text;
	for (unsigned int i = 0; (transport = transport_at(i)); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
					transport->name);
	assert(len < sizeof(text));
	return text;
}

struct lfp_field transport_choice_field(enum transport_side side, size_t at)
{
	static const char *const keys[TRANSPORT_SIDES] = {"TRANSPORT", "Transport"};

	return (struct lfp_field){
		.key = keys[side],
		.kind = LFP_FIELD_CHOICE,
		.offset = at + offsetof(struct transport_settings, chosen),
		.initial = transport_at(0)->name,
		.doc = "transport that carries the path",
		.flags = LFP_FIELD_OURS,
		.choices = words(),
	};
}

size_t transport_fields(enum transport_side side, size_t at, struct lfp_field *out, size_t most)
{
	const struct transport *transport;
	size_t nr = 0;

	for (unsigned int i = 0; (transport = transport_at(i)); i++) {
		const struct transport_keys *keys = &transport->keys[side];

		for (size_t k = 0; k < keys->nr; k++, nr++) {
			if (nr >= most)
				continue;
			out[nr] = keys->fields[k];
			out[nr].offset += at + offsetof(struct transport_settings, values) +
					  (size_t)i * TRANSPORT_SETTINGS_EACH;
		}
	}
	return nr;
}

void transport_settings_init(struct transport_settings *settings, enum transport_side side)
{
	struct lfp_field fields[TRANSPORT_KEYS_MAX];
	size_t nr = transport_fields(side, 0, fields, TRANSPORT_KEYS_MAX);

	assert(nr <= TRANSPORT_KEYS_MAX);
	lfp_fields_init(fields, nr, settings, sizeof(*settings));
}

const struct transport *transport_named(const char *name)
{
	const struct transport *transport;

	for (unsigned int i = 0; (transport = transport_at(i)); i++)
		if (!strcmp(transport->name, name))
			break;
	return transport;
}

const struct transport *transport_chosen(const struct transport_settings *settings)
{
	return transport_at(settings->chosen);
}

int transport_settings_check(const struct transport_settings *settings, enum transport_side side,
			     uint32_t mtu, struct transport_fault *fault)
{
	const struct transport *transport = transport_chosen(settings);

	return transport->check ? transport->check(settings, side, mtu, fault) : 0;
}

bool transport_settings_warn(const struct transport_settings *settings, enum transport_side side,
			     struct transport_fault *warning)
{
	const struct transport *transport = transport_chosen(settings);

	return transport->warns && transport->warns(settings, side, warning);
}

const void *transport_settings_of(const struct transport_settings *settings,
				  const struct transport *transport)
{
	unsigned int i = 0;

	while (transport_at(i) != transport)
		i++;
	return settings->values[i];
}
