/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - tunnel and transport mode */
#include "devemu/ipsec/wrap.h"

#include <string.h>

#include "devemu/ipsec/ah.h"
#include "lfp/bigend.h"

enum { OUTER_TTL = 64 };

/* The layout of a packet that is being protected. */
struct plan {
	size_t front; /* headers that stay in the clear, without UDP */
	size_t from;  /* place of the protected bytes in the inner packet */
	uint8_t next; /* protocol of these bytes */
	uint8_t version;
};

static struct plan plan_of(const struct sa_config *config, const struct ip_packet *ip)
{
	if (config->mode == SA_TUNNEL)
		return (struct plan){
			.front = ip_header_len(config->dst.version),
			.from = 0,
			.next = ip->version == 4 ? PROTO_IPV4 : PROTO_IPV6,
			.version = config->dst.version,
		};
	return (struct plan){
		.front = ip->insert,
		.from = ip->insert,
		.next = ip->insert_protocol,
		.version = ip->version,
	};
}

size_t sa_more(const struct sa_config *config)
{
	return (size_t)IP6_HEADER + (config->udp_port ? (size_t)UDP_HEADER : 0) +
	       (config->ah ? (size_t)AH_MAX : (size_t)ESP_MORE_MAX);
}

size_t sa_wrapped(const struct sa_config *config, const struct ip_packet *ip)
{
	const struct plan plan = plan_of(config, ip);
	const size_t len = ip->len - plan.from;

	if (config->ah)
		return plan.front + ah_len(config->algorithms.auth, plan.version) + len;
	return plan.front + (config->udp_port ? UDP_HEADER : 0) + esp_len(&config->algorithms, len);
}

static bool outer_df(const struct sa_config *config, const struct ip_packet *ip)
{
	switch (config->df) {
	case SA_DF_COPY:
		return ip->version == 4 && ip->df;
	case SA_DF_SET:
		return true;
	default:
		return false;
	}
}

/* Writes the headers in front: copied in transport mode, new in tunnel mode. */
static void put_front(const struct sa_config *config, const struct plan *plan, uint64_t number,
		      const struct ip_packet *ip, const uint8_t *packet, uint8_t protocol,
		      uint8_t *out, size_t total)
{
	const struct ip_header header = {
		.src = config->src,
		.dst = config->dst,
		.protocol = protocol,
		.tos = config->pass_dscp ? ip->tos : ip->tos & ECN_MASK,
		.ttl = OUTER_TTL,
		.df = outer_df(config, ip),
		.id = (uint16_t)number,
	};

	if (config->mode == SA_TUNNEL) {
		ip_put(&header, out, total - plan->front);
		return;
	}
	memcpy(out, packet, plan->front);
	out[ip->insert_at] = protocol;
	ip_set_len(out, total);
}

static void put_udp(const struct sa_config *config, uint8_t *udp, size_t len)
{
	be16_put(udp, config->udp_port);
	be16_put(udp + 2, config->udp_port);
	be16_put(udp + 4, (uint16_t)len);
	be16_put(udp + 6, 0); /* RFC 3948, 2.1: no checksum with IPv4 */
	if (config->dst.version == 6) {
		const uint16_t sum = checksum_end(checksum_add(
			checksum_pseudo(&config->src, &config->dst, PROTO_UDP, len), udp, len));

		be16_put(udp + 6, sum ? sum : 0xffff);
	}
}

static int make_iv(struct sa *sa, unsigned int thread, uint64_t number, uint8_t iv[IV_MAX])
{
	if (sa->config.algorithms.encr != ENCR_AES_GCM)
		return iv_len(sa->config.algorithms.encr)
			       ? transform_random_iv(sa->transform[thread], iv)
			       : 0;
	be64_put(iv, number ^ be64_get(sa->iv_base));
	return 0;
}

static int wrap_esp(struct sa *sa, unsigned int thread, const struct esp_number *number,
		    const struct plan *plan, const struct ip_packet *ip, const uint8_t *packet,
		    uint8_t *out, size_t room)
{
	const size_t udp = sa->config.udp_port ? UDP_HEADER : 0, front = plan->front + udp;
	uint8_t iv[IV_MAX];
	int rc;

	if (make_iv(sa, thread, number->sequence, iv) < 0)
		return -DROP_CIPHER;
	rc = esp_seal(sa->transform[thread], number, iv, plan->next, packet + plan->from,
		      ip->len - plan->from, out + front, room - front);
	if (rc < 0)
		return rc;
	put_front(&sa->config, plan, number->sequence, ip, packet, udp ? PROTO_UDP : PROTO_ESP, out,
		  front + (size_t)rc);
	if (udp)
		put_udp(&sa->config, out + plan->front, udp + (size_t)rc);
	return (int)front + rc;
}

static int wrap_ah(struct sa *sa, unsigned int thread, const struct esp_number *number,
		   const struct plan *plan, const struct ip_packet *ip, const uint8_t *packet,
		   uint8_t *out)
{
	const size_t len = ah_len(sa->config.algorithms.auth, plan->version);
	const size_t total = sa_wrapped(&sa->config, ip);
	struct ip_packet outer;
	int rc;

	put_front(&sa->config, plan, number->sequence, ip, packet, PROTO_AH, out, total);
	memcpy(out + plan->front + len, packet + plan->from, ip->len - plan->from);
	rc = ip_parse(&outer, out, total);
	if (rc == 0)
		rc = outer.protocol == PROTO_AH && outer.upper == plan->front ? 0 : -DROP_HEADER;
	if (rc == 0)
		rc = ah_seal(sa->transform[thread], number, plan->next, out, &outer);
	return rc < 0 ? rc : (int)total;
}

int sa_wrap(struct sa *sa, unsigned int thread, uint64_t number, const struct ip_packet *ip,
	    const uint8_t *packet, uint8_t *out, size_t room)
{
	const struct esp_number full = {
		.spi = sa->config.spi, .sequence = number, .extended = sa->config.extended};
	const struct plan plan = plan_of(&sa->config, ip);
	const size_t total = sa_wrapped(&sa->config, ip);
	int rc;

	if (sa->config.mode == SA_TRANSPORT && ip->fragment)
		return -DROP_HEADER;
	if (total > IP_PACKET_MAX)
		return -DROP_TOO_BIG;
	if (total > room)
		return -DROP_NO_ROOM;
	rc = sa->config.ah ? wrap_ah(sa, thread, &full, &plan, ip, packet, out)
			   : wrap_esp(sa, thread, &full, &plan, ip, packet, out, room);
	if (rc > 0) {
		atomic_fetch_add(&sa->counters.packets, 1);
		atomic_fetch_add(&sa->counters.bytes, ip->len);
	}
	return rc;
}

static void set_ecn(uint8_t *packet, uint8_t ecn)
{
	if (packet[0] >> 4 == 4) {
		packet[1] = (uint8_t)((packet[1] & ~ECN_MASK) | ecn);
		ip_fix_checksum(packet);
	} else {
		packet[1] = (uint8_t)((packet[1] & ~(ECN_MASK << 4)) | ecn << 4);
	}
}

/* Congestion experienced outside is told inside (RFC 6040, 4.2). */
static int merge_ecn(const struct ip_packet *outer, const struct ip_packet *inner, uint8_t *packet)
{
	if ((outer->tos & ECN_MASK) != ECN_CE)
		return 0;
	if (!(inner->tos & ECN_MASK))
		return -DROP_ECN;
	set_ecn(packet, ECN_CE);
	return 0;
}

/* The payload is a packet. Returns its bytes. */
static int end_tunnel(const struct ip_packet *outer, uint8_t next, uint8_t *out, size_t len)
{
	struct ip_packet inner;
	int rc;

	if (next != PROTO_IPV4 && next != PROTO_IPV6)
		return -DROP_NEXT_HEADER;
	rc = ip_parse(&inner, out, len);
	if (rc < 0)
		return rc;
	if (inner.version != (next == PROTO_IPV4 ? 4 : 6))
		return -DROP_HEADER;
	rc = merge_ecn(outer, &inner, out);
	/* Bytes behind the inner packet are padding for traffic-flow confidentiality. */
	return rc < 0 ? rc : (int)inner.len;
}

/* The payload, at @out + @front, follows the headers that were in the clear. */
static int end_transport(const struct ip_packet *outer, const uint8_t *packet, size_t front,
			 uint8_t next, uint8_t *out, size_t len)
{
	memcpy(out, packet, front);
	out[outer->protocol_at] = next;
	ip_set_len(out, front + len);
	return (int)(front + len);
}

static int finish(const struct sa *sa, const struct ip_packet *ip, const uint8_t *packet,
		  uint8_t next, uint8_t *out, size_t front, size_t len)
{
	if (next == PROTO_NONE)
		return -DROP_DUMMY;
	if (sa->config.mode == SA_TUNNEL)
		return end_tunnel(ip, next, out, len);
	return end_transport(ip, packet, front, next, out, len);
}

static int open_packet(struct sa *sa, unsigned int thread, const struct esp_number *number,
		       const struct ip_packet *ip, const uint8_t *packet, size_t at, uint8_t *out,
		       size_t room, uint8_t *next)
{
	int rc;

	if (!sa->config.ah)
		return esp_open(sa->transform[thread], number, packet + at, ip->len - at, out, room,
				next);
	rc = ah_open(sa->transform[thread], number, packet, ip, next);
	if (rc < 0)
		return rc;
	if (ip->len - at - (size_t)rc > room)
		return -DROP_NO_ROOM;
	memcpy(out, packet + at + rc, ip->len - at - (size_t)rc);
	return (int)(ip->len - at) - rc;
}

static int unwrap(struct sa *sa, unsigned int thread, const struct ip_packet *ip,
		  const uint8_t *packet, size_t at, uint64_t now_ns, uint8_t *out, size_t room,
		  uint64_t *sequence)
{
	const size_t front = sa->config.mode == SA_TRANSPORT ? ip->upper : 0;
	struct esp_number number;
	uint8_t next = 0;
	int rc, len;

	if (ip->len - at < (sa->config.ah ? (size_t)AH_HEADER : (size_t)ESP_HEADER))
		return -DROP_SHORT;
	if (room < front)
		return -DROP_NO_ROOM;
	rc = sa_receive_begin(sa, be32_get(packet + at + (sa->config.ah ? 8 : 4)), now_ns, &number);
	if (rc < 0)
		return rc;
	len = open_packet(sa, thread, &number, ip, packet, at, out + front, room - front, &next);
	if (len < 0)
		return len;
	*sequence = number.sequence;
	return finish(sa, ip, packet, next, out, front, (size_t)len);
}

int sa_open(struct sa *sa, unsigned int thread, const struct ip_packet *ip, const uint8_t *packet,
	    size_t at, uint64_t now_ns, uint8_t *out, size_t room, uint64_t *number)
{
	const int rc = unwrap(sa, thread, ip, packet, at, now_ns, out, room, number);

	sa_count_drop(sa, rc);
	return rc;
}

int sa_accept(struct sa *sa, uint64_t number, size_t len)
{
	const int rc = sa_receive_end(sa, number, len);

	sa_count_drop(sa, rc);
	if (rc == 0) {
		atomic_fetch_add(&sa->counters.packets, 1);
		atomic_fetch_add(&sa->counters.bytes, len);
	}
	return rc;
}

int sa_unwrap(struct sa *sa, unsigned int thread, const struct ip_packet *ip, const uint8_t *packet,
	      size_t at, uint64_t now_ns, uint8_t *out, size_t room)
{
	uint64_t number = 0;
	const int len = sa_open(sa, thread, ip, packet, at, now_ns, out, room, &number);
	const int rc = len < 0 ? len : sa_accept(sa, number, (size_t)len);

	return rc < 0 ? rc : len;
}
