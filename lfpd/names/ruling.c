/* SPDX-License-Identifier: Apache-2.0 */
/* ruling.c - applies the rules of POLICY_FILE to calls of programs */
#include "lfpd/names/ruling.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lfpd/names/rules-thread.h"
#include "lfpd/policy/privileged.h"
#include "lfpd/users/refusal.h"

void ruling_init(struct instance *inst)
{
	known_names_init(&inst->known);
}

void ruling_finish(struct instance *inst)
{
	rules_free(inst->rules);
	inst->rules = NULL;
	known_names_finish(&inst->known);
}

int ruling_read(struct instance *inst, struct lfp_reader_error *err)
{
	const char *path = inst->config.policy_file;

	return *path ? rules_read(&inst->rules, path, err) : 0;
}

bool ruling_use(struct instance *inst, struct rules *rules)
{
	bool changed = rules && inst->rules ? rules_digest(rules) != rules_digest(inst->rules)
					    : rules != inst->rules;

	rules_thread_free(inst->loop, inst->rules);
	inst->rules = rules;
	inst->rules_serial += changed;
	return changed;
}

int ruling_check(const struct lfpd_config *config, struct lfp_reader_error *err)
{
	struct rules *rules = NULL;
	int rc = *config->policy_file ? rules_read(&rules, config->policy_file, err) : 0;

	if (!rc)
		rules_free(rules);
	return rc;
}

static int refuse_with(const struct instance *inst)
{
	return inst->config.refuse_with == LFPD_REFUSE_EACCES ? -EACCES : -ECONNREFUSED;
}

/* Writes "to reach ADDRESS, port N of TCP" and the like. */
static void describe(char *text, size_t size, const struct rules_question *question)
{
	char addr[INET6_ADDRSTRLEN] = "";

	if (IN6_IS_ADDR_V4MAPPED(&question->addr))
		inet_ntop(AF_INET, question->addr.s6_addr + 12, addr, sizeof(addr));
	else
		inet_ntop(AF_INET6, &question->addr, addr, sizeof(addr));
	snprintf(text, size, "%s %s, port %u of %s",
		 question->act == RULES_LISTEN ? "to listen at" : "to reach", addr, question->port,
		 question->protocol == RULES_TCP ? "TCP" : "UDP");
}

/* A program that took the place of the host's name server could give any name to any address. */
static bool is_in_place_of_server(struct instance *inst, const struct rules_question *question)
{
	return question->act == RULES_LISTEN &&
	       name_servers_covers(&inst->servers, question->now, &question->addr, question->port);
}

bool ruling_is_name_server(struct instance *inst, const struct sockaddr *addr)
{
	struct in6_addr in6;
	uint16_t port;

	return inst->rules && rules_addr(addr, true, &in6, &port) &&
	       name_servers_has(&inst->servers, uv_now(inst->loop), &in6, port);
}

/* Programs may ask the host's name servers by datagrams if no rule forbids it: each datagram is
 * looked at. */
static bool asks_server(struct instance *inst, const struct rules_question *question,
			const struct rules_verdict *verdict, const struct sockaddr_storage *addr)
{
	return verdict->by_default && question->act == RULES_CONNECT &&
	       question->protocol == RULES_UDP &&
	       ruling_is_name_server(inst, (const struct sockaddr *)addr);
}

/* Queries to the host's name servers never go to a proxy: lfpd has to look at them. */
static struct upstream *upstream_of(struct instance *inst, const struct rules_question *question,
				    const struct rules_verdict *verdict,
				    const struct sockaddr_storage *addr)
{
	return question->protocol == RULES_UDP &&
			       ruling_is_name_server(inst, (const struct sockaddr *)addr)
		       ? NULL
		       : verdict->upstream;
}

static struct decision refused_by_rule(const struct rules_verdict *verdict)
{
	return (struct decision){.refused_by = DECISION_RULE,
				 .line = verdict->line,
				 .by_default = verdict->by_default && !verdict->allowed,
				 .passed_over = verdict->passed_over};
}

/* Such a port needs a rule of its own. */
static bool is_privileged(const struct rules_question *question,
			  const struct rules_verdict *verdict)
{
	return question->act == RULES_LISTEN && verdict->by_default &&
	       privileged_port(question->port, question->uid);
}

bool ruling_permits(struct instance *inst, struct rules_question *question,
		    const struct sockaddr_storage *addr)
{
	struct rules_verdict verdict;

	question->known = &inst->known;
	question->now = 0; /* when each name counts that is still known */
	if (!inst->rules)
		return true;
	if (!rules_addr((const struct sockaddr *)addr, question->act == RULES_CONNECT,
			&question->addr, &question->port))
		return false;
	verdict = rules_decide(inst->rules, question);
	question->by_default = verdict.by_default;
	question->naming = verdict.naming;
	question->upstream = upstream_of(inst, question, &verdict, addr);
	question->limited = verdict.limited;
	return verdict.allowed || asks_server(inst, question, &verdict, addr);
}

/* Without rules, PRIVILEGED_PORTS decides. */
static int check_port(struct instance *inst, struct rules_question *question,
		      const struct sockaddr_storage *addr)
{
	char text[320];

	if (inst->config.privileged_ports != LFPD_PORTS_OF_ROOT || question->act != RULES_LISTEN ||
	    !rules_addr((const struct sockaddr *)addr, false, &question->addr, &question->port) ||
	    !privileged_port(question->port, question->uid))
		return 0;
	describe(text, sizeof(text), question);
	strcat(text, " (a privileged port)");
	inst->decision = (struct decision){.refused_by = DECISION_RULE};
	refusal_of_rule(inst, question->uid, text, 0);
	return -EACCES;
}

int ruling_address(struct instance *inst, struct rules_question *question,
		   const struct sockaddr_storage *addr)
{
	int error = refuse_with(inst);
	struct rules_verdict verdict;
	char text[320];

	if (!inst->rules)
		return check_port(inst, question, addr);
	question->known = &inst->known;
	question->now = uv_now(inst->loop);
	if (!rules_addr((const struct sockaddr *)addr, question->act == RULES_CONNECT,
			&question->addr, &question->port))
		return refuse_with(inst);
	verdict = rules_decide(inst->rules, question);
	inst->decision.line = verdict.line;
	describe(text, sizeof(text), question);
	if (verdict.allowed && is_in_place_of_server(inst, question)) {
		verdict.line = 0;
		strcat(text, ", in the place of this host's name server");
	} else if (verdict.allowed && is_privileged(question, &verdict)) {
		strcat(text, " (a privileged port)");
		error = -EACCES;
	} else if (verdict.allowed || asks_server(inst, question, &verdict, addr)) {
		question->naming = verdict.naming;
		question->upstream = upstream_of(inst, question, &verdict, addr);
		question->upstream_name = verdict.upstream_name;
		question->limited = verdict.limited;
		return 0;
	}
	inst->decision = refused_by_rule(&verdict);
	refusal_of_rule(inst, question->uid, text, verdict.line);
	return error;
}

void ruling_note_hostid(struct instance *inst, struct rules_question *question,
			const struct sockaddr_storage *addr, const char *why)
{
	char text[320];

	/* Not as a destination: the wildcard address stays what the program has named. */
	if (!rules_addr((const struct sockaddr *)addr, false, &question->addr, &question->port))
		return;
	describe(text, sizeof(text), question);
	refusal_of_hostid(inst, question, text, why);
}

int ruling_refuse_limit(struct instance *inst, const struct rules_question *question,
			const char *why)
{
	unsigned int line = question->limited->line;
	char text[320];

	describe(text, sizeof(text), question);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", why);
	inst->counters.limits_refused++;
	inst->decision = (struct decision){.refused_by = DECISION_LIMIT, .line = line};
	refusal_of_rule(inst, question->uid, text, line);
	return refuse_with(inst);
}

bool ruling_is_server_port(struct instance *inst, uint16_t port)
{
	return inst->rules && name_servers_have_port(&inst->servers, uv_now(inst->loop), port);
}

int ruling_source(struct instance *inst, uint32_t uid, const struct sockaddr_storage *source)
{
	struct in6_addr addr;
	uint16_t port;

	if (!inst->rules || !rules_addr((const struct sockaddr *)source, false, &addr, &port) ||
	    !name_servers_covers(&inst->servers, uv_now(inst->loop), &addr, port))
		return 0;
	inst->decision = (struct decision){.refused_by = DECISION_RULE};
	refusal_of_rule(inst, uid, "to send in the place of this host's name server", 0);
	return refuse_with(inst);
}

bool ruling_server(struct instance *inst, struct rules_question *question,
		   const struct sockaddr_storage *addr, const char *why)
{
	struct rules_verdict verdict = {.line = 0};
	char text[640];

	if (!inst->rules)
		return true;
	if (rules_addr((const struct sockaddr *)addr, true, &question->addr, &question->port) &&
	    question->server) {
		verdict = rules_decide(inst->rules, question);
		question->limited = verdict.limited;
		if (verdict.allowed)
			return true;
	}
	describe(text, sizeof(text), question);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ", with %s%s%s",
		 why ? why : "the server name ", why ? "" : question->server,
		 question->is_encrypted ? " and ECH" : "");
	refusal_of_rule(inst, question->uid, text, verdict.line);
	return false;
}

/* Returns true for an address as text. getaddrinfo() converts it without a look-up, in each form
 * that inet_aton(3) accepts. */
static bool is_address(const char *name)
{
	struct in6_addr in6;
	struct in_addr in;
	char addr[INET6_ADDRSTRLEN + 1] = "";
	size_t len = strcspn(name, "%");

	/* inet_aton() passes over all that follows a blank, getaddrinfo() does not. */
	if (!name[strcspn(name, " \t\n\v\f\r")] && inet_aton(name, &in))
		return true;
	if (len >= sizeof(addr))
		return false;
	memcpy(addr, name, len);
	return inet_pton(AF_INET6, addr, &in6) == 1;
}

/* Decides about the look-up of a name in the form of rules_name(), or of any other one for NULL.
 * @what describes the latter. */
static bool decide_lookup(struct instance *inst, uint32_t uid, const struct subject *who,
			  const char *plain, const char *what)
{
	struct rules_question question = {
		.act = RULES_LOOKUP, .uid = uid, .who = who, .name = plain};
	struct rules_verdict verdict = rules_decide(inst->rules, &question);
	char text[RULES_NAME_MAX + 32];

	inst->decision = verdict.allowed ? (struct decision){.line = verdict.line}
					 : refused_by_rule(&verdict);
	if (verdict.allowed)
		return true;
	snprintf(text, sizeof(text), "to look up %s", plain ? plain : what);
	refusal_of_rule(inst, uid, text, verdict.line);
	return false;
}

bool ruling_lookup(struct instance *inst, uint32_t uid, const struct subject *who, const char *name)
{
	char plain[RULES_NAME_MAX];

	inst->decision = (struct decision){.refused_by = DECISION_NONE};
	if (!inst->rules || (name && is_address(name)))
		return true;
	if (!name)
		return decide_lookup(inst, uid, who, NULL, "the name of an address");
	return decide_lookup(inst, uid, who, rules_name(plain, name, strlen(name)) ? plain : NULL,
			     "a name that is not valid in the DNS");
}

int ruling_query(struct instance *inst, uint32_t uid, const struct subject *who, const uint8_t *msg,
		 size_t len, struct dns_question *question)
{
	if (!dns_read_query(msg, len, question)) {
		*question = (struct dns_question){.end = 0};
		return decide_lookup(inst, uid, who, NULL, "by a message that is no plain query")
			       ? 0
			       : refuse_with(inst);
	}
	return decide_lookup(inst, uid, who, *question->name ? question->name : NULL,
			     "a name that is not valid in the DNS")
		       ? 0
		       : -ENOENT;
}

void ruling_learn_answer(struct instance *inst, uint32_t uid, const char *name,
			 const struct dns_answer *answer)
{
	uint64_t least = inst->config.name_lifetime_min, most = inst->config.name_lifetime;
	uint64_t seconds = answer->ttl > least ? answer->ttl : least;

	if (seconds > most)
		seconds = most;
	for (unsigned int i = 0; inst->rules && i < answer->nr; i++)
		known_names_add(&inst->known, name, &answer->addrs[i],
				uv_now(inst->loop) + 1000 * seconds, uid);
}

void ruling_learn(struct instance *inst, uint32_t uid, const char *name,
		  const struct sockaddr *addr)
{
	char plain[RULES_NAME_MAX];
	struct in6_addr in6;
	uint16_t port;

	if ((inst->rules || inst->log) && !is_address(name) &&
	    rules_name(plain, name, strlen(name)) && rules_addr(addr, false, &in6, &port))
		known_names_add(&inst->known, plain, &in6,
				uv_now(inst->loop) + 1000ull * inst->config.name_lifetime, uid);
}

void ruling_name_of(const struct instance *inst, const struct sockaddr *addr,
		    char name[static RULES_NAME_MAX])
{
	const char *last = NULL;
	struct in6_addr in6;
	uint16_t port;

	if (rules_addr(addr, true, &in6, &port))
		last = known_names_last(&inst->known, &in6, uv_now(inst->loop),
					KNOWN_NAMES_ANYBODY);
	snprintf(name, RULES_NAME_MAX, "%s", last ? last : "");
}
