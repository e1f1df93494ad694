/* SPDX-License-Identifier: Apache-2.0 */
/* metering.h - an instance whose rules have limits, and what they hold */
#ifndef TESTS_LFPD_METERING_H
#define TESTS_LFPD_METERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfpd/sock/metered.h"
#include "tests/lfpd/one-path.h"

/* For cmocka: a host whose rules will be those of start_rules(); and its end. */
int metering_set_up(void **state);
int metering_tear_down(void **state);

/* Starts with these rules and opens the path. */
void start_rules(const char *rules);

/* What a reload does with rules, without a file of the configuration. */
void change_rules(const char *rules);

void begin_task(uint32_t number, uint32_t uid);

/* Sends a datagram of so many bytes to @to, or to the peer for NULL. */
void send_datagram(uint64_t id, const struct lfp_addr *to, size_t bytes);

/* Waits until a rate holds the socket, and nothing is polled for any more. */
void wait_held(uint64_t id, enum meter_way way);

/* Returns whether z/VSE gets so many bytes by messages of this code in 20 seconds. */
bool vse_gets(enum lfp_code code, size_t bytes);

/* A clock in ms. */
uint64_t now_ms(void);

#endif
