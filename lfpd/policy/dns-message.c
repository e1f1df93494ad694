/* SPDX-License-Identifier: Apache-2.0 */
/* dns-message.c - reads what programs ask name servers, and the answers */
#include "lfpd/policy/dns-message.h"

#include <arpa/nameser.h>
#include <string.h>
#include <strings.h>

#include "lfp/bigend.h"

#define ALIASES_MAX 16u  /* in a row */
#define RECORDS_MAX 256u /* that are looked at */
#define FLAGS_AT    2
#define QUERY_KEPT  0x7900u /* operation code, and "recursion desired" */
#define NO_SUCH     0x8083u /* an answer, "recursion available", and the code */

/* Returns the end of a name without pointers, or 0. A server might follow a pointer in a way of its
 * own. */
static size_t plain_name_end(const uint8_t *msg, size_t len, size_t at)
{
	while (at < len && msg[at] && msg[at] <= NS_MAXLABEL)
		at += 1u + msg[at];
	return at < len && !msg[at] ? at + 1 : 0;
}

static bool read_question(ns_msg *handle, struct dns_question *question)
{
	const char *name;
	ns_rr rr;

	if (ns_msg_count(*handle, ns_s_qd) != 1 || ns_parserr(handle, ns_s_qd, 0, &rr) < 0)
		return false;
	question->id = ns_msg_id(*handle);
	question->type = (uint16_t)ns_rr_type(rr);
	question->class_ = (uint16_t)ns_rr_class(rr);
	name = ns_rr_name(rr);
	if (!rules_name(question->name, name, strlen(name)))
		*question->name = '\0';
	return true;
}

bool dns_read_query(const uint8_t *msg, size_t len, struct dns_question *question)
{
	ns_msg handle;
	size_t end;

	if (len > DNS_QUERY_MAX || len < NS_HFIXEDSZ || ns_initparse(msg, (int)len, &handle) < 0)
		return false;
	if (ns_msg_getflag(handle, ns_f_qr) || ns_msg_getflag(handle, ns_f_opcode) != ns_o_query ||
	    ns_msg_count(handle, ns_s_an) || ns_msg_count(handle, ns_s_ns) ||
	    ns_msg_count(handle, ns_s_ar) > 1)
		return false;
	end = plain_name_end(msg, len, NS_HFIXEDSZ);
	if (!end || !read_question(&handle, question))
		return false;
	question->end = end + NS_QFIXEDSZ;
	return question->end <= len;
}

/* Notes the addresses of @owner, or the name that @owner is an alias of. Returns false if there is
 * no alias. */
static bool look_for(ns_msg *handle, char owner[static NS_MAXDNAME], uint16_t type,
		     struct dns_answer *answer)
{
	int nr = ns_msg_count(*handle, ns_s_an);
	char alias[NS_MAXDNAME] = "";
	ns_rr rr;

	for (int i = 0; i < nr && i < (int)RECORDS_MAX; i++) {
		struct in6_addr *addr = &answer->addrs[answer->nr];

		if (ns_parserr(handle, ns_s_an, i, &rr) < 0)
			return false;
		if (ns_rr_class(rr) != ns_c_in || strcasecmp(ns_rr_name(rr), owner) != 0)
			continue;
		if (ns_rr_type(rr) == ns_t_cname) {
			if (ns_name_uncompress(ns_msg_base(*handle), ns_msg_end(*handle),
					       ns_rr_rdata(rr), alias, sizeof(alias)) < 0)
				return false;
		} else if ((type != ns_t_any && ns_rr_type(rr) != type) ||
			   answer->nr == DNS_ADDRS_MAX) {
			continue;
		} else if (ns_rr_type(rr) == ns_t_a && ns_rr_rdlen(rr) == NS_INADDRSZ) {
			*addr = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
			memcpy(addr->s6_addr + 12, ns_rr_rdata(rr), NS_INADDRSZ);
			answer->nr++;
		} else if (ns_rr_type(rr) == ns_t_aaaa && ns_rr_rdlen(rr) == NS_IN6ADDRSZ) {
			memcpy(addr, ns_rr_rdata(rr), NS_IN6ADDRSZ);
			answer->nr++;
		} else {
			continue;
		}
		if (ns_rr_ttl(rr) < answer->ttl)
			answer->ttl = ns_rr_ttl(rr);
	}
	strcpy(owner, alias);
	return *owner;
}

bool dns_read_answer(const uint8_t *msg, size_t len, const struct dns_question *question,
		     struct dns_answer *answer)
{
	struct dns_question asked = {.id = 0};
	char owner[NS_MAXDNAME];
	ns_msg handle;
	ns_rr rr;

	answer->nr = 0;
	answer->ttl = UINT32_MAX;
	if (len < NS_HFIXEDSZ || len > NS_MAXMSG || ns_initparse(msg, (int)len, &handle) < 0)
		return false;
	if (!ns_msg_getflag(handle, ns_f_qr) || !read_question(&handle, &asked) ||
	    asked.id != question->id || asked.type != question->type ||
	    asked.class_ != question->class_ || strcmp(asked.name, question->name) != 0)
		return false;
	/* Other names than those of rules have nothing to learn. */
	if (ns_msg_getflag(handle, ns_f_rcode) != ns_r_noerror || asked.class_ != ns_c_in ||
	    !*asked.name || ns_parserr(&handle, ns_s_qd, 0, &rr) < 0)
		return true;
	strcpy(owner, ns_rr_name(rr));
	for (unsigned int i = 0; i < ALIASES_MAX && !answer->nr; i++)
		if (!look_for(&handle, owner, question->type, answer))
			break;
	return true;
}

bool dns_read_stated_answer(const uint8_t *msg, size_t len, struct dns_question *question,
			    struct dns_answer *answer)
{
	ns_msg handle;

	*question = (struct dns_question){.id = 0};
	return len >= NS_HFIXEDSZ && len <= NS_MAXMSG && !ns_initparse(msg, (int)len, &handle) &&
	       read_question(&handle, question) && dns_read_answer(msg, len, question, answer);
}

size_t dns_write_nxdomain(uint8_t out[static DNS_QUERY_MAX], const uint8_t *query,
			  const struct dns_question *question)
{
	unsigned int flags = be16_get(query + FLAGS_AT);

	memcpy(out, query, question->end);
	be16_put(out + FLAGS_AT, (uint16_t)((flags & QUERY_KEPT) | NO_SUCH));
	memset(out + 6, 0, NS_HFIXEDSZ - 6); /* no records */
	return question->end;
}
