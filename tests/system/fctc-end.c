/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-end.c - a process with one end of an FCTC connection, with endpoint security
 *
 *	fctc-end writer|reader SOCKET NAME PEER ADDRESS KEYS yes|required BLOCKS
 *
 * The writer listens at SOCKET, the reader connects to it. Both get their key from the key server
 * at ADDRESS with their secret from KEYS. BLOCKS blocks go from one to the other; keys change after
 * 100 frames. At the end one line says how it was: "encrypted" or "clear", and the counts of
 * frames.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devemu/channel/ccw.h"
#include "devemu/channel/subch.h"
#include "devemu/device/fctc.h"
#include "devemu/fces/key-client.h"
#include "devemu/fces/key-file.h"
#include "devemu/fces/end.h"

enum { PROGRAM = 0x1000, DATA = 0x10000, BLOCK = 30000, PATIENCE = 30000 };

static struct fctc *fctc;
static struct storage *storage;
static struct subch *subch;
static struct fces_shared key;
static struct key_client client;
static const char *peer;

static int die(const char *what, const char *why)
{
	fprintf(stderr, "fctc-end: %s: %s\n", what, why);
	exit(1);
}

/* The key that both ends have got at the start, or the one that the other end has. */
static int source(void *context, uint32_t id, struct fces_shared *shared)
{
	int rc = 0;

	(void)context;
	if (!key.id || (id && id != key.id))
		rc = key_client_get(&client, peer, id, &key);
	if (rc == 0)
		*shared = key;
	else
		fprintf(stderr, "fctc-end: %s has no key: %s\n", client.name, key_client_why(rc));
	return rc;
}

static void wait_for(int fd, short events)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	if (poll(&pfd, 1, PATIENCE) != 1)
		die("waiting", "nothing happens");
}

static void attach(const char *path, bool writer)
{
	int fd, listener;

	if (!writer) {
		fd = fctc_connect(path);
		if (fd < 0)
			die(path, strerror(-fd));
		fctc_attach(fctc, fd, false);
		return;
	}
	listener = fctc_listen(path);
	if (listener < 0)
		die(path, strerror(-listener));
	puts("ready");
	fflush(stdout);
	wait_for(listener, POLLIN);
	fd = fctc_accept(listener);
	if (fd < 0)
		die(path, strerror(-fd));
	close(listener);
	fctc_attach(fctc, fd, true);
}

/* One program to its end. Returns its unit status; subchannel status in the bits above. */
static unsigned int run(uint8_t cmd)
{
	struct orb orb = {.format1 = true, .lpm = 0xff, .program = PROGRAM};
	struct ccw ccw = {.cmd = cmd, .count = BLOCK, .addr = DATA};
	uint8_t bytes[ORB_LEN], irb[IRB_LEN];
	struct scsw scsw;

	ccw_encode(&ccw, true, storage->bytes + PROGRAM);
	orb_encode(&orb, bytes);
	if (subch_start(subch, bytes))
		die("start", "the subchannel is busy");
	while (subch_test(subch, irb)) {
		if (fctc->fd >= 0)
			wait_for(fctc->fd, fctc_events(fctc));
		fctc_ready(fctc);
		subch_continue(subch);
	}
	scsw_decode(irb, &scsw);
	return scsw.unit_status | (unsigned int)scsw.sch_status << 8;
}

static uint8_t pattern(uint32_t i, unsigned long block)
{
	return (uint8_t)(i * 13 + i / 251 + block * 29);
}

static void block(bool writer, unsigned long number)
{
	unsigned int status;

	for (uint32_t i = 0; i < BLOCK; i++)
		storage->bytes[DATA + i] = writer ? pattern(i, number) : 0;
	/* Both sides may start at once: the one that hears busy tries again, and meets the other.
	 */
	do
		status = run(writer ? 0x01 : 0x02);
	while (status & UNIT_BUSY);
	if (status != UNIT_END)
		die("block", fctc->fd < 0 ? "the other end has gone" : "it has not ended well");
	for (uint32_t i = 0; i < BLOCK && !writer; i++)
		if (storage->bytes[DATA + i] != pattern(i, number))
			die("block", "it is another one");
}

int main(int argc, char **argv)
{
	const struct key_end *self;
	struct fces_counters counters;
	struct lfp_reader_error err;
	struct key_address address;
	struct key_file keys;
	struct fces_end end;
	unsigned long blocks;
	bool writer;

	if (argc != 9)
		return 64;
	writer = !strcmp(argv[1], "writer");
	peer = argv[4];
	blocks = strtoul(argv[8], NULL, 10);
	if (key_address_parse(&address, argv[5]) < 0)
		die(argv[5], "no address");
	if (key_file_load(&keys, argv[6], &err) < 0)
		die("keys", err.text);
	self = key_file_end(&keys, argv[3]);
	if (!self)
		die(argv[3], "it has no secret");
	client = (struct key_client){.name = self->name,
				     .secret = self->secret,
				     .address = &address,
				     .patience = PATIENCE};
	fctc = fctc_create(0x0e00);
	storage = storage_create(0x100000);
	subch = fctc && storage ? subch_create(storage, &fctc->device) : NULL;
	if (!subch)
		die("memory", strerror(ENOMEM));
	fces_end_init(&end, argv[3], argv[4], !writer, source, NULL);
	end.change_after = 100;
	fctc_secure(fctc, &end, !strcmp(argv[7], "required"));
	attach(argv[2], writer);
	for (unsigned long i = 0; i < blocks; i++)
		block(writer, i);
	counters = fces_end_counters(&end);
	printf("%s, %lu blocks, %" PRIu64 " frames sealed, %" PRIu64 " opened, %" PRIu64
	       " dropped, keys %" PRIu32 "\n",
	       /* Of the connection that there was: the other end may have gone. */
	       fctc->security == FCTC_ENCRYPTED ? "encrypted" : "clear", blocks, counters.sealed,
	       counters.opened, fces_dropped(&counters), end.changes);
	/* The last of what this side has sent may still be in its queue. */
	while (fctc->fd >= 0 && fctc_events(fctc) & POLLOUT) {
		wait_for(fctc->fd, POLLOUT);
		fctc_ready(fctc);
	}
	subch_destroy(subch);
	fctc_destroy(fctc);
	storage_destroy(storage);
	fces_end_finish(&end);
	key_file_finish(&keys);
	return 0;
}
