/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c - TCP flows and their credit to send */
#include "devemu/ipsec/flow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"

enum { FLOWS = 4096, TCP_HEADER = 20, SYN = 2, RST = 4, ACK = 16, OPTION_SCALE = 3 };

struct flow_key {
	struct ip_addr local, remote;
	uint16_t local_port, remote_port;
};

struct flow {
	struct flow_key key;
	bool known; /* @ack and @window are set */
	uint8_t scale;
	uint32_t ack;
	uint64_t window;
	uint64_t credit;
	uint64_t last_ns;
};

struct flows {
	struct flow_config config;
	pthread_mutex_t lock;
	struct flow flow[FLOWS]; /* a newer flow replaces another one in its place */
};

struct flows *flows_create(const struct flow_config *config)
{
	struct flows *flows = calloc(1, sizeof(*flows));

	if (flows) {
		flows->config = *config;
		pthread_mutex_init(&flows->lock, NULL);
	}
	return flows;
}

void flows_destroy(struct flows *flows)
{
	if (!flows)
		return;
	pthread_mutex_destroy(&flows->lock);
	free(flows);
}

static uint32_t mix(uint32_t hash, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 16777619;
	return hash;
}

static bool same(const struct flow_key *a, const struct flow_key *b)
{
	return a->local_port == b->local_port && a->remote_port == b->remote_port &&
	       ip_addr_same(&a->local, &b->local) && ip_addr_same(&a->remote, &b->remote);
}

/* Returns the place of the flow; one that was another's is emptied. Caller holds the lock. */
static struct flow *place(struct flows *flows, const struct flow_key *key)
{
	const uint8_t ports[4] = {(uint8_t)(key->local_port >> 8), (uint8_t)key->local_port,
				  (uint8_t)(key->remote_port >> 8), (uint8_t)key->remote_port};
	uint32_t hash = mix(2166136261, key->local.bytes, 16);
	struct flow *flow;

	hash = mix(mix(hash, key->remote.bytes, 16), ports, sizeof(ports));
	flow = &flows->flow[(hash ^ hash >> 16) % FLOWS];
	if (!same(&flow->key, key)) {
		memset(flow, 0, sizeof(*flow));
		flow->key = *key;
	}
	return flow;
}

/* Returns the TCP header with all of its options, or NULL. */
static const uint8_t *tcp_of(const struct ip_packet *ip, const uint8_t *packet, size_t *header)
{
	const uint8_t *tcp = packet + ip->upper;

	if (ip->protocol != PROTO_TCP || !ip->has_ports || ip->len - ip->upper < TCP_HEADER)
		return NULL;
	*header = (size_t)(tcp[12] >> 4) * 4;
	return *header >= TCP_HEADER && *header <= ip->len - ip->upper ? tcp : NULL;
}

/* The window scale of a SYN (RFC 7323), 0 without one. */
static uint8_t scale_of(const uint8_t *tcp, size_t header)
{
	for (size_t at = TCP_HEADER; at < header && tcp[at] != 0;) {
		if (tcp[at] == 1) {
			at++;
			continue;
		}
		if (header - at < 2 || tcp[at + 1] < 2 || tcp[at + 1] > header - at)
			break;
		if (tcp[at] == OPTION_SCALE && tcp[at + 1] == 3)
			return tcp[at + 2] > 14 ? 14 : tcp[at + 2];
		at += tcp[at + 1];
	}
	return 0;
}

static void take_ack(struct flow *flow, uint32_t ack, uint64_t window, uint64_t now_ns)
{
	const uint32_t advance = ack - flow->ack;

	if (!flow->known) {
		flow->known = true;
	} else if (advance && advance < UINT32_MAX / 2) {
		flow->credit += advance;
		flow->last_ns = now_ns;
	} else if (!advance && window > flow->window) {
		flow->credit += window - flow->window;
		flow->last_ns = now_ns;
	} else if (advance) {
		return; /* an old one */
	}
	flow->ack = ack;
	flow->window = window;
}

void flows_received(struct flows *flows, const uint8_t *packet, size_t len, uint64_t now_ns)
{
	struct ip_packet ip;
	const uint8_t *tcp;
	struct flow *flow;
	size_t header = 0;

	if (!flows->config.ziip || ip_parse(&ip, packet, len) < 0)
		return;
	tcp = tcp_of(&ip, packet, &header);
	if (!tcp)
		return;
	pthread_mutex_lock(&flows->lock);
	flow = place(flows, &(struct flow_key){ip.dst, ip.src, ip.dst_port, ip.src_port});
	if (tcp[13] & (SYN | RST)) {
		flow->known = false;
		flow->credit = 0;
		flow->scale = scale_of(tcp, header);
	} else if (tcp[13] & ACK) {
		take_ack(flow, be32_get(tcp + 8), (uint64_t)be16_get(tcp + 14) << flow->scale,
			 now_ns);
	}
	pthread_mutex_unlock(&flows->lock);
}

static bool sender_on_ziip(const struct flows *flows, const struct ip_packet *ip)
{
	for (unsigned int i = 0; i < flows->config.ports; i++)
		if (ip->has_ports && ip->src_port >= flows->config.port[i].from &&
		    ip->src_port <= flows->config.port[i].to)
			return true;
	return false;
}

/* Uses the credit of a flow for @len bytes of data. */
static bool use_credit(struct flows *flows, const struct ip_packet *ip, size_t len, uint64_t now_ns)
{
	struct flow *flow;
	bool eligible;

	pthread_mutex_lock(&flows->lock);
	flow = place(flows, &(struct flow_key){ip->src, ip->dst, ip->src_port, ip->dst_port});
	eligible = flow->credit && now_ns - flow->last_ns < FLOW_RESPONSE_NS;
	flow->credit = eligible && flow->credit > len ? flow->credit - len : 0;
	pthread_mutex_unlock(&flows->lock);
	return eligible;
}

bool flows_outbound(struct flows *flows, const struct ip_packet *ip, const uint8_t *packet,
		    uint64_t now_ns)
{
	const uint8_t *tcp;
	size_t header = 0, len;

	if (!flows->config.ziip)
		return false;
	if (sender_on_ziip(flows, ip))
		return true;
	tcp = tcp_of(ip, packet, &header);
	len = tcp ? ip->len - ip->upper - header : 0;
	return len && use_credit(flows, ip, len, now_ns);
}

bool flows_inbound(const struct flows *flows)
{
	return flows->config.ziip;
}
