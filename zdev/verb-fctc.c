/* SPDX-License-Identifier: Apache-2.0 */
/* verb-fctc.c - zdev fctc: one process writes to a channel-to-channel device, another one reads
 *
 * Theory of operation
 *
 * Each side has a subchannel with an FCTC and runs one channel program at a time, of one command.
 * The sender sets the mode, then each block is a Write. The receiver begins with Prepare, which
 * ends when the sender has a block: before that the sender could not set its mode, since a side
 * that reads makes the other one busy. From then on it reads.
 *
 * In extended mode the end is Write End of File, which the receiver gets as unit exception. The
 * sender prepares then, which wakes a receiver that has had no block at all, and goes when the
 * receiver has gone. Basic mode has no end of file: the receiver reads until the sender has gone.
 */
#include <errno.h>
#include <getopt.h>
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
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/number.h"
#include "lfp/options.h"
#include "zdev/verb.h"

enum {
	PROGRAM = 0x1000,
	DATA = 0x10000,
	STORAGE = 0x30000,
	BLOCK_MAX = 65535, /* largest count of a CCW */
	NUMBER = 0x0e00,
	WRITE = 0x01,
	READ = 0x02,
	WRITE_EOF = 0x81,
	EXTENDED_MODE = 0xc3,
	PREPARE = 0xe3,
};

struct side {
	bool sends, listens, extended, verbose, required;
	unsigned long block; /* bytes a block; 0: a line */
	const char *path, *server, *keys, *name, *peer;

	struct storage *storage;
	struct fctc *fctc;
	struct subch *subch;
	uint32_t moved; /* by the last program */
	uint64_t blocks, bytes;
	bool encrypted;

	struct key_file file;
	struct key_address address;
	struct key_client client;
	struct fces_shared key;
	struct fces_end end;
};

static void print_usage(FILE *out)
{
	fputs("usage: zdev fctc [-lvx] [-b SIZE] [SECURITY] send|receive SOCKET\n"
	      "SECURITY is --key-server=ADDRESS --keys=FILE --name=NAME --peer=NAME [--required]\n",
	      out);
}

static int usage(void)
{
	print_usage(stderr);
	return LFP_EXIT_USAGE;
}

/* The shared key that this side has got at first, or the one that the other side has. */
static int source(void *context, uint32_t id, struct fces_shared *shared)
{
	struct side *side = context;
	int rc = 0;

	if (!side->key.id || (id && id != side->key.id))
		rc = key_client_get(&side->client, side->peer, id, &side->key);
	if (rc == 0)
		*shared = side->key;
	else
		lfp_msg("VLFZ044W", "%s has no key: %s.", side->name, key_client_why(rc));
	return rc;
}

static int secure(struct side *side)
{
	struct lfp_reader_error err;
	const struct key_end *self;
	int rc = key_address_parse(&side->address, side->server);

	if (rc == -EINVAL) {
		fprintf(stderr,
			"zdev: '%s' is neither HOST:PORT, [IPV6]:PORT nor the path of a socket\n",
			side->server);
		return LFP_EXIT_USAGE;
	}
	if (rc < 0) {
		lfp_msg("VLFZ040E", "Cannot look up key server %s: %s.", side->server,
			strerror(-rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = key_file_load(&side->file, side->keys, &err);
	if (rc < 0) {
		lfp_msg("VLFZ017E", "%s", err.text);
		return rc == -EINVAL || rc == -EPERM ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
	}
	self = key_file_end(&side->file, side->name);
	if (!self) {
		lfp_msg("VLFZ045E", "File %s has no secret of %s.", side->keys, side->name);
		return LFP_EXIT_CONFIG;
	}
	side->client = (struct key_client){
		.name = self->name, .secret = self->secret, .address = &side->address};
	fces_end_init(&side->end, side->name, side->peer, !side->listens, source, side);
	fctc_secure(side->fctc, &side->end, side->required);
	return LFP_EXIT_OK;
}

static int wait_for(int fd, short events)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	while (poll(&pfd, 1, -1) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Returns a connection's descriptor or a negative errno. Removes the name once a peer connects. */
static int accept_one(const char *path)
{
	int listener = fctc_listen(path), rc;

	if (listener < 0)
		return listener;
	do {
		rc = wait_for(listener, POLLIN);
		if (rc == 0)
			rc = fctc_accept(listener);
	} while (rc == -EAGAIN || rc == -ECONNABORTED);
	unlink(path);
	close(listener);
	return rc;
}

static int attach(struct side *side)
{
	const int fd = side->listens ? accept_one(side->path) : fctc_connect(side->path);

	if (fd < 0) {
		lfp_msg("VLFZ046E", "FCTC connection %s: %s.", side->path, strerror(-fd));
		return LFP_EXIT_UNAVAILABLE;
	}
	fctc_attach(side->fctc, fd, side->listens);
	return LFP_EXIT_OK;
}

/* One command to its end, however long the other side takes: unit status, and subchannel status in
 * the bits above. */
static unsigned int run(struct side *side, uint8_t cmd, uint32_t count)
{
	const struct ccw ccw = {
		.cmd = cmd, .flags = CCW_SLI, .count = (uint16_t)count, .addr = DATA};
	const struct orb orb = {.format1 = true, .lpm = 0xff, .program = PROGRAM};
	uint8_t bytes[ORB_LEN], irb[IRB_LEN];
	struct fctc *fctc = side->fctc;
	struct scsw scsw;

	ccw_encode(&ccw, true, side->storage->bytes + PROGRAM);
	orb_encode(&orb, bytes);
	if (subch_start(side->subch, bytes))
		return SCH_CONTROL_CHECK << 8;
	while (subch_test(side->subch, irb)) {
		if (fctc->fd >= 0 && wait_for(fctc->fd, fctc_events(fctc)) < 0)
			return SCH_CONTROL_CHECK << 8;
		fctc_ready(fctc);
		side->encrypted |= fctc_encrypted(fctc);
		subch_continue(side->subch);
	}
	scsw_decode(irb, &scsw);
	side->moved = count - scsw.count;
	return scsw.unit_status | (unsigned int)scsw.sch_status << 8;
}

static bool is_gone(const struct side *side, unsigned int status)
{
	return status & UNIT_CHECK && side->fctc->fd < 0;
}

static int failed(const struct side *side, uint8_t cmd, unsigned int status)
{
	if (is_gone(side, status))
		lfp_msg("VLFZ041E", "The other side ended %s.",
			side->sends ? "before it read everything" : "before the end of its file");
	else
		lfp_msg("VLFZ042E",
			"Command %02X ended with unit status %02X, subchannel status %02X.", cmd,
			status & 0xff, status >> 8);
	return LFP_EXIT_FAILURE;
}

/* The next block of standard input; 0 at its end, negative errno. A longer line is several. */
static long next_block(const struct side *side, uint8_t *to)
{
	const unsigned long room = side->block ? side->block : BLOCK_MAX;
	unsigned long len = 0;
	int c;

	while (len < room && (c = getc(stdin)) != EOF) {
		to[len++] = (uint8_t)c;
		if (!side->block && c == '\n')
			break;
	}
	return ferror(stdin) ? -EIO : (long)len;
}

static int send_end(struct side *side)
{
	unsigned int status = run(side, WRITE_EOF, 1);

	if (status != UNIT_END)
		return failed(side, WRITE_EOF, status);
	run(side, PREPARE, 1);
	while (side->fctc->fd >= 0 && wait_for(side->fctc->fd, fctc_events(side->fctc)) == 0)
		fctc_ready(side->fctc);
	return LFP_EXIT_OK;
}

static int send_all(struct side *side)
{
	unsigned int status;
	long len;

	if (side->extended) {
		status = run(side, EXTENDED_MODE, 1);
		if (status != UNIT_END)
			return failed(side, EXTENDED_MODE, status);
	}
	while ((len = next_block(side, side->storage->bytes + DATA)) > 0) {
		status = run(side, WRITE, (uint32_t)len);
		if (status != UNIT_END)
			return failed(side, WRITE, status);
		side->blocks++;
		side->bytes += (uint64_t)len;
	}
	if (len < 0) {
		lfp_msg("VLFZ043E", "Cannot read standard input.");
		return LFP_EXIT_FAILURE;
	}
	return side->extended ? send_end(side) : LFP_EXIT_OK;
}

static int receive_all(struct side *side)
{
	uint8_t cmd = PREPARE;
	unsigned int status = run(side, cmd, 1);

	while (status == UNIT_END) {
		if (cmd == READ) {
			/* zdev says at the end that output could not be written. */
			if (fwrite(side->storage->bytes + DATA, 1, side->moved, stdout) !=
			    side->moved)
				return LFP_EXIT_OK;
			side->blocks++;
			side->bytes += side->moved;
			fflush(stdout);
		}
		cmd = READ;
		status = run(side, cmd, BLOCK_MAX);
	}
	if (status == (UNIT_END | UNIT_EXCEPTION) || (!side->extended && is_gone(side, status)))
		return LFP_EXIT_OK;
	return failed(side, cmd, status);
}

/* This side's last answer may still be in its queue. */
static void drain(struct fctc *fctc)
{
	while (fctc->fd >= 0 && fctc_events(fctc) & POLLOUT) {
		if (wait_for(fctc->fd, POLLOUT) < 0)
			return;
		fctc_ready(fctc);
	}
}

static int exchange(struct side *side)
{
	int rc = LFP_EXIT_OK;

	if (side->server)
		rc = secure(side);
	if (rc == LFP_EXIT_OK)
		rc = attach(side);
	if (rc == LFP_EXIT_OK) {
		rc = side->sends ? send_all(side) : receive_all(side);
		drain(side->fctc);
		if (side->verbose)
			lfp_msg("VLFZ047I",
				"%" PRIu64 " blocks, %" PRIu64 " bytes have been %s, %s.",
				side->blocks, side->bytes, side->sends ? "sent" : "received",
				side->encrypted ? "encrypted" : "in the clear");
	}
	if (side->server) {
		fces_end_finish(&side->end);
		key_file_finish(&side->file);
		explicit_bzero(&side->key, sizeof(side->key));
	}
	return rc;
}

static int with_device(struct side *side)
{
	int rc;

	side->storage = storage_create(STORAGE);
	side->fctc = fctc_create(NUMBER);
	if (side->storage && side->fctc)
		side->subch = subch_create(side->storage, &side->fctc->device);
	if (side->subch) {
		rc = exchange(side);
		subch_destroy(side->subch);
	} else {
		lfp_msg("VLFZ046E", "FCTC connection %s: %s.", side->path, strerror(ENOMEM));
		rc = LFP_EXIT_UNAVAILABLE;
	}
	if (side->fctc)
		fctc_destroy(side->fctc);
	storage_destroy(side->storage);
	return rc;
}

int verb_fctc(int argc, char **argv)
{
	struct side side = {0};
	const char *block = NULL;
	const struct lfp_option table[] = {
		{NULL, 'l', &side.listens, NULL, NULL},      {NULL, 'v', &side.verbose, NULL, NULL},
		{NULL, 'x', &side.extended, NULL, NULL},     {NULL, 'b', NULL, &block, NULL},
		{"key-server", 0, NULL, &side.server, NULL}, {"keys", 0, NULL, &side.keys, NULL},
		{"name", 0, NULL, &side.name, NULL},         {"peer", 0, NULL, &side.peer, NULL},
		{"required", 0, &side.required, NULL, NULL},
	};
	const struct lfp_options options = {
		.usage = print_usage, .table = table, .nr = sizeof(table) / sizeof(table[0])};
	int given;

	if (lfp_options_read(&options, argc, argv) >= 0)
		return LFP_EXIT_USAGE;
	if (block && lfp_number(block, 1, BLOCK_MAX, &side.block) < 0) {
		fprintf(stderr, "zdev: '%s' is not a block size from 1 to %d\n", block, BLOCK_MAX);
		return usage();
	}
	given = !!side.server + !!side.keys + !!side.name + !!side.peer;
	if (argc - optind != 2 || (given && given != 4) || (side.required && !given))
		return usage();
	side.sends = !strcmp(argv[optind], "send");
	side.path = argv[optind + 1];
	if (!side.sends && strcmp(argv[optind], "receive"))
		return usage();
	if (given && (!key_name_ok(side.name) || !key_name_ok(side.peer))) {
		fprintf(stderr, "zdev: '%s' is not the name of an end\n",
			key_name_ok(side.name) ? side.peer : side.name);
		return LFP_EXIT_USAGE;
	}
	return with_device(&side);
}
