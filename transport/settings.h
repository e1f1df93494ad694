/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - which transport is configured, and the values of the transports' own keys */
#ifndef TRANSPORT_SETTINGS_H
#define TRANSPORT_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "lfp/field.h"

/*
 * Each transport has a table of keys for lfpd's configuration and one for the z/VSE side's
 * statements. Both sides put these keys into their own tables and carry the values in a struct
 * transport_settings, of which they read nothing. The member `offset` of a transport's key is
 * within the transport's own settings, a struct of at most TRANSPORT_SETTINGS_EACH bytes.
 */

struct transport;

/* The side whose configuration it is. */
enum transport_side {
	TRANSPORT_LFPD,
	TRANSPORT_VSE,
	TRANSPORT_SIDES,
};

/* The keys of one transport on one side. */
struct transport_keys {
	const struct lfp_field *fields;
	size_t nr;
};

#define TRANSPORT_SETTINGS_EACH 128u /* bytes */
#define TRANSPORTS_MAX          8u
#define TRANSPORT_KEYS_MAX      32u /* of all transports on one side */

/* May be copied. */
struct transport_settings {
	unsigned int chosen; /* place in the list of transports */
	_Alignas(8) unsigned char values[TRANSPORTS_MAX][TRANSPORT_SETTINGS_EACH];
};

/* A setting that the chosen transport cannot work with. */
struct transport_fault {
	const char *key; /* NULL: the one of the MTU */
	char text[128];  /* a half-sentence */
};

/* Returns the key that chooses the transport. Its struct has its transport settings @at bytes from
 * its start. */
struct lfp_field transport_choice_field(enum transport_side side, size_t at);

/* Writes the keys of all transports to @out, at most @most of them. Returns how many there are.
 * @at is as above. */
size_t transport_fields(enum transport_side side, size_t at, struct lfp_field *out, size_t most);

/* Sets all keys of a side to their defaults. */
void transport_settings_init(struct transport_settings *settings, enum transport_side side);

/* Returns the transport of this name in the configurations; NULL if there is none. */
const struct transport *transport_named(const char *name);

const struct transport *transport_chosen(const struct transport_settings *settings);

/* Returns 0 if the chosen transport can carry packets of @mtu bytes with these settings; else
 * -EINVAL, with the first fault. */
int transport_settings_check(const struct transport_settings *settings, enum transport_side side,
			     uint32_t mtu, struct transport_fault *fault);

/* Returns true if the settings work, but only for tests, and sets @warning to the key and why. */
bool transport_settings_warn(const struct transport_settings *settings, enum transport_side side,
			     struct transport_fault *warning);

/* For the files of a transport: its own settings. */
const void *transport_settings_of(const struct transport_settings *settings,
				  const struct transport *transport);

#endif
