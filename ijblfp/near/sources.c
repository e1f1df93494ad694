/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c - sockets whose names give the sender of a datagram */
#include "ijblfp/near/sources.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/near/near-datagram.h"
#include "transport/passed.h"

/* Linux 6.16: the kernel refuses descriptors of programs, so that none is closed here. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#define NONCES 16 /* names to try, as other processes may have bound some */

void sources_init(struct sources *sources, uint64_t nonce, struct near_network *network)
{
	*sources = (struct sources){.nonce = nonce, .network = network};
	for (unsigned int i = 0; i < SOURCES_MAX; i++)
		sources->all[i].fd = -1;
}

static void drop(struct source *source)
{
	if (source->fd >= 0)
		passed_end_refusing(source->fd, 0, PASSED_BY_NOBODY);
	source->fd = -1;
}

void sources_finish(struct sources *sources)
{
	for (unsigned int i = 0; i < SOURCES_MAX; i++)
		drop(&sources->all[i]);
}

void sources_drop(struct sources *sources, uint64_t near)
{
	for (unsigned int i = 0; i < SOURCES_MAX; i++)
		if (sources->all[i].near == near)
			drop(&sources->all[i]);
}

int sources_make(struct sources *sources, const struct lfp_meta *meta)
{
	int fd = near_datagram_far(sources->network), rc = -EADDRINUSE;
	const int off = 0;

	if (fd < 0)
		return fd;
	(void)setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off));
	for (int i = 0; i < NONCES && rc == -EADDRINUSE; i++) {
		struct sockaddr_un addr;
		socklen_t len = lfp_source_name(meta, sources->nonce++, &addr);

		rc = bind(fd, (const struct sockaddr *)&addr, len) ? -errno : 0;
	}
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

/* Returns the entry that is free, or was used longest ago. */
static struct source *choose(struct sources *sources)
{
	struct source *oldest = &sources->all[0];

	for (unsigned int i = 0; i < SOURCES_MAX; i++) {
		struct source *source = &sources->all[i];

		if (source->fd < 0)
			return source;
		if (source->used < oldest->used)
			oldest = source;
	}
	return oldest;
}

int sources_get(struct sources *sources, struct near_maker *maker, uint64_t near,
		const struct lfp_meta *meta)
{
	struct source *source;
	int fd, rc;

	sources->clock++;
	for (unsigned int i = 0; i < SOURCES_MAX; i++) {
		source = &sources->all[i];
		if (source->fd >= 0 && source->near == near &&
		    memcmp(&source->meta, meta, sizeof(*meta)) == 0) {
			source->used = sources->clock;
			return source->fd;
		}
	}
	source = choose(sources);
	drop(source);
	fd = sources_make(sources, meta);
	if (fd < 0)
		return fd;
	rc = near ? near_names_connect(&maker->names, fd, near) : 0;
	if (rc) {
		close(fd);
		return rc;
	}
	*source = (struct source){.fd = fd, .near = near, .meta = *meta, .used = sources->clock};
	return fd;
}
