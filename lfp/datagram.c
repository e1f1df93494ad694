/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.c - datagrams: the data beside the payload, and the parts of large ones */
#include "lfp/datagram.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"

#define HAS_ALL                                                                                    \
	(LFP_HAS_PKTINFO | LFP_HAS_PKTINFO6 | LFP_HAS_TTL | LFP_HAS_HOPLIMIT | LFP_HAS_TOS |       \
	 LFP_HAS_TCLASS | LFP_HAS_DROPS | LFP_HAS_MORE | LFP_HAS_DONTROUTE | LFP_HAS_SEGMENT |     \
	 LFP_HAS_ORIGDST | LFP_HAS_ORIGDST6 | LFP_HAS_PATHMTU)

void lfp_meta_from(struct lfp_meta *meta, const struct lfp_datagram *datagram)
{
	meta->addr = datagram->addr;
	meta->has = datagram->has;
	meta->ttl = datagram->ttl;
	meta->tos = datagram->tos;
	meta->ifindex = datagram->ifindex;
	meta->local = datagram->local;
	meta->spec = datagram->spec;
	meta->drops = datagram->drops;
	meta->segment = datagram->segment;
	meta->reserved = 0;
}

void lfp_meta_to(const struct lfp_meta *meta, struct lfp_datagram *datagram)
{
	datagram->addr = meta->addr;
	datagram->has = meta->has;
	datagram->ttl = meta->ttl;
	datagram->tos = meta->tos;
	datagram->ifindex = meta->ifindex;
	datagram->local = meta->local;
	datagram->spec = meta->spec;
	datagram->drops = meta->drops;
	datagram->segment = meta->segment;
}

/* Offsets of the fields. */
enum {
	AT_HAS = LFP_ADDR_SIZE,
	AT_TTL = AT_HAS + 2,
	AT_TOS = AT_TTL + 1,
	AT_IFINDEX = AT_TOS + 1,
	AT_LOCAL = AT_IFINDEX + 4,
	AT_SPEC = AT_LOCAL + LFP_ADDR_SIZE,
	AT_DROPS = AT_SPEC + 4,
	AT_SEGMENT = AT_DROPS + 4,
};
_Static_assert(AT_SEGMENT + 2 == LFP_META_SIZE, "the sum of the fields");

void lfp_meta_put(const struct lfp_meta *meta, uint8_t buf[static LFP_META_SIZE])
{
	lfp_addr_put(&meta->addr, buf);
	buf[AT_HAS] = (uint8_t)(meta->has >> 8);
	buf[AT_HAS + 1] = (uint8_t)meta->has;
	buf[AT_TTL] = meta->ttl;
	buf[AT_TOS] = meta->tos;
	be32_put(buf + AT_IFINDEX, meta->ifindex);
	lfp_addr_put(&meta->local, buf + AT_LOCAL);
	be32_put(buf + AT_SPEC, meta->spec);
	be32_put(buf + AT_DROPS, meta->drops);
	buf[AT_SEGMENT] = (uint8_t)(meta->segment >> 8);
	buf[AT_SEGMENT + 1] = (uint8_t)meta->segment;
}

int lfp_meta_get(const uint8_t buf[static LFP_META_SIZE], struct lfp_meta *meta)
{
	meta->has = (uint16_t)(buf[AT_HAS] << 8 | buf[AT_HAS + 1]);
	meta->ttl = buf[AT_TTL];
	meta->tos = buf[AT_TOS];
	meta->ifindex = be32_get(buf + AT_IFINDEX);
	meta->spec = be32_get(buf + AT_SPEC);
	meta->drops = be32_get(buf + AT_DROPS);
	meta->reserved = 0;
	meta->segment = (uint16_t)(buf[AT_SEGMENT] << 8 | buf[AT_SEGMENT + 1]);
	if (meta->has & ~HAS_ALL || lfp_addr_get(buf, &meta->addr) ||
	    lfp_addr_get(buf + AT_LOCAL, &meta->local))
		return -EPROTO;
	return 0;
}

#define PATH_AT offsetof(struct sockaddr_un, sun_path)

/* After the prefix: the nonce and the ancillary data. */
#define SOURCE_LEN (LFP_ABSTRACT_PREFIX_LEN + 8u + LFP_META_SIZE)
_Static_assert(SOURCE_LEN <= sizeof(((struct sockaddr_un *)0)->sun_path), "it fits a name");

socklen_t lfp_source_name(const struct lfp_meta *meta, uint64_t nonce, struct sockaddr_un *addr)
{
	char *at = addr->sun_path + LFP_ABSTRACT_PREFIX_LEN;

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, LFP_SOURCE_PREFIX, LFP_ABSTRACT_PREFIX_LEN);
	memcpy(at, &nonce, sizeof(nonce));
	lfp_meta_put(meta, (uint8_t *)at + sizeof(nonce));
	return (socklen_t)(PATH_AT + SOURCE_LEN);
}

int lfp_source_parse(const struct sockaddr_un *addr, socklen_t len, struct lfp_meta *meta)
{
	if (len != PATH_AT + SOURCE_LEN || addr->sun_family != AF_UNIX ||
	    memcmp(addr->sun_path, LFP_SOURCE_PREFIX, LFP_ABSTRACT_PREFIX_LEN) != 0)
		return -EPROTO;
	return lfp_meta_get((const uint8_t *)addr->sun_path + LFP_ABSTRACT_PREFIX_LEN + 8, meta);
}

bool lfp_near_path(const struct sockaddr_un *addr, socklen_t len)
{
	/* A path ends with NUL. */
	return len == PATH_AT + LFP_NEAR_PATH_LEN + 1 && addr->sun_family == AF_UNIX &&
	       memcmp(addr->sun_path, LFP_NEAR_PREFIX, LFP_NEAR_PREFIX_LEN) == 0;
}

/* The value of the first digit of the number in "vselfp/NN/R.../I...". */
static unsigned int first_digit(const struct sockaddr_un *near)
{
	char digit = near->sun_path[LFP_NEAR_PATH_LEN - 16];

	return (unsigned int)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

bool lfp_near_is_datagram(const struct sockaddr_un *near)
{
	return first_digit(near) & LFP_NEAR_DATAGRAM >> 60;
}

bool lfp_near_is_v6(const struct sockaddr_un *near)
{
	return first_digit(near) & LFP_NEAR_V6 >> 60;
}

socklen_t lfp_head_name(const struct sockaddr_un *near, struct sockaddr_un *addr)
{
	size_t rest = LFP_NEAR_PATH_LEN - LFP_NEAR_PREFIX_LEN;

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, LFP_HEAD_PREFIX, LFP_ABSTRACT_PREFIX_LEN);
	memcpy(addr->sun_path + LFP_ABSTRACT_PREFIX_LEN, near->sun_path + LFP_NEAR_PREFIX_LEN,
	       rest);
	return (socklen_t)(PATH_AT + LFP_ABSTRACT_PREFIX_LEN + rest);
}

void lfp_assembly_reset(struct lfp_assembly *assembly)
{
	free(assembly->buf);
	*assembly = (struct lfp_assembly){.total = 0};
}

static int begin(struct lfp_assembly *assembly, struct lfp_recv_window *window,
		 const struct lfp_datagram *part, const char **why)
{
	*why = "datagram at the wrong position or beyond the window";
	if (part->position != window->received ||
	    window->received - window->reported >= window->window)
		return -EPROTO;
	*why = "datagram that does not start at offset 0";
	if (part->offset)
		return -EPROTO;
	window->received += part->total + LFP_DATAGRAM_COST;
	lfp_meta_from(&assembly->meta, part);
	assembly->position = part->position;
	assembly->total = part->total;
	assembly->got = 0;
	if (part->payload.len == part->total)
		return 0;
	assembly->buf = malloc(part->total);
	return assembly->buf ? 0 : -ENOMEM;
}

int lfp_assembly_take(struct lfp_assembly *assembly, struct lfp_recv_window *window,
		      const struct lfp_datagram *part, const char **why)
{
	bool first = assembly->got == assembly->total;
	int rc = first ? begin(assembly, window, part, why) : 0;

	if (rc == -EPROTO)
		return rc;
	*why = "part of a datagram that does not follow the previous part";
	if (part->position != assembly->position || part->total != assembly->total ||
	    part->offset != assembly->got || part->payload.len > part->total - part->offset ||
	    (!part->payload.len && part->total))
		return -EPROTO;
	if (assembly->buf)
		memcpy(assembly->buf + part->offset, part->payload.ptr, part->payload.len);
	assembly->got += part->payload.len;
	if (rc)
		return rc;
	if (assembly->got < assembly->total)
		return 0;
	/* No buffer for a datagram of several parts: its allocation failed. */
	if (!assembly->buf && !first)
		return 0;
	assembly->data = assembly->buf ? assembly->buf : part->payload.ptr;
	return 1;
}
