/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - settings of transports by their keys */
#ifndef TESTS_TRANSPORT_SETTINGS_H
#define TESTS_TRANSPORT_SETTINGS_H

#include "transport/transport.h"

/* The defaults of lfpd's keys and of ShmRingSize, but SHM_POLL is 0. */
void settings_init(struct transport_settings *settings);

/* Sets the value of a key of either side. */
void settings_set(struct transport_settings *settings, const char *key, const char *value);

#endif
