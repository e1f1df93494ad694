/* SPDX-License-Identifier: Apache-2.0 */
/* ipsec-rig.h - packets and SAs for the tests of IPSec */
#ifndef TESTS_DEVEMU_IPSEC_RIG_H
#define TESTS_DEVEMU_IPSEC_RIG_H

#include "devemu/ipsec/wrap.h"

enum { RIG_MTU = 1500 };

/* Converts hexadecimal digits to bytes and ignores blanks. Returns the number of bytes. */
size_t rig_hex(uint8_t *out, const char *text);

/* An algorithm by a short name: "cbc128-sha1", "cbc256-sha2", "3des-md5", "gcm128", "null-sha1",
 * "ah-sha1", ...; keys are bytes 1, 2, 3 ... */
struct algorithms rig_algorithms(const char *name);
extern const char *const rig_names[]; /* all of them, NULL at the end */

/* Fills a configuration between two hosts, 10.9.0.1 to 10.9.0.2 or fd09::1 to fd09::2. */
struct sa_config rig_config(const char *name, int version, enum sa_mode mode);

/* Both ends of one direction. */
struct rig_pair {
	struct sa *out, *in;
};
struct rig_pair rig_pair(const struct sa_config *config);
void rig_end(struct rig_pair *pair);

/* Writes a UDP packet with @len bytes of payload between the hosts. Returns its size. */
size_t rig_packet(uint8_t *out, int version, size_t len);
struct ip_packet rig_parse(const uint8_t *packet, size_t len);

/* Sends one packet through sa_number() and sa_wrap(). Returns its size. */
int rig_wrap(struct sa *sa, const uint8_t *packet, size_t len, uint8_t *out);
int rig_unwrap(struct sa *sa, const uint8_t *packet, size_t len, uint8_t *out);

#endif
