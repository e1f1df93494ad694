/* SPDX-License-Identifier: Apache-2.0 */
/* dns-message.h - reads what programs ask name servers, and the answers */
#ifndef LFPD_POLICY_DNS_MESSAGE_H
#define LFPD_POLICY_DNS_MESSAGE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/rules.h"

/* Any bytes may come from both sides. libresolv (ns_initparse(3)) takes messages apart. */

#define DNS_QUERY_MAX 512u /* bytes; a longer query is none: nothing may hide in it */
#define DNS_ADDRS_MAX 64u  /* addresses of one answer */

struct dns_question {
	uint16_t id, type, class_;
	size_t end;                /* of the question, from the start of the message */
	char name[RULES_NAME_MAX]; /* as rules_name() writes it; "": rules cannot name it */
};

/* Returns true if the bytes are one query with one question, and nothing else. */
bool dns_read_query(const uint8_t *msg, size_t len, struct dns_question *question);

struct dns_answer {
	unsigned int nr; /* 0: the name has no address of this type */
	uint32_t ttl;    /* the shortest one in seconds, that of aliases counts, too */
	struct in6_addr addrs[DNS_ADDRS_MAX]; /* IPv4 is mapped */
};

/* Returns true if the bytes answer this question. The addresses are those of the name, or of the
 * alias that the answer leads to. */
bool dns_read_answer(const uint8_t *msg, size_t len, const struct dns_question *question,
		     struct dns_answer *answer);

/* The same for a message that tells its question itself: on a connection all answers are those of
 * the peer. */
bool dns_read_stated_answer(const uint8_t *msg, size_t len, struct dns_question *question,
			    struct dns_answer *answer);

/* Writes the answer to a query that its name does not exist. Returns the length. */
size_t dns_write_nxdomain(uint8_t out[static DNS_QUERY_MAX], const uint8_t *query,
			  const struct dns_question *question);

#endif
