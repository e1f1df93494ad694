/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.h - random sequences of socket calls, and the kernel's own answers to them
 *
 * Theory of operation
 *
 * The director makes sequences of calls from a seed and gives each to two executors: one runs
 * natively in a network of its own, the other one on LFP. An executor makes the calls in one or two
 * processes and writes a trace, which consists of one entry a call: a line with the result, then a
 * line with the state of each socket (events of poll(), bytes to read).
 *
 * Natively an entry ends when the state no longer changes. On LFP the executor has the native
 * trace, and waits after each call until the state is the native one, or until its patience ends.
 * So the next call finds the same state on both sides, and no result depends on time.
 *
 * Lines that differ, and that the list of differences does not cover, are a divergence. A
 * divergence counts only if it comes again each time. The director then removes calls as long as
 * the rest still diverges.
 */
#ifndef TESTS_CAMPAIGN_ORACLE_H
#define TESTS_CAMPAIGN_ORACLE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
	SLOTS = 7,      /* sockets of a process */
	SETS = 2,       /* its epoll sets, in the slots behind */
	OPS = 40,       /* most calls of a sequence */
	ENTRY = 2000,   /* most bytes of a trace's entry */
	CHANNEL = 3,    /* an executor's descriptors: the director, */
	MEMORY = 4,     /* struct exchange, */
	DIAGNOSIS = 5,  /* a netlink socket of the network that has the host's sockets */
	RECEIVE_MS = 8, /* a call that receives waits so long */
	BEHIND_MS = 120 /* a call that the other process has to end waits so long */
};

/* What a call of a sequence does. */
enum op_code {
	OP_SOCKET,
	OP_BIND,
	OP_LISTEN,
	OP_CONNECT,
	OP_ACCEPT,
	OP_SEND,
	OP_SENDTO,
	OP_WRITE,
	OP_RECV,
	OP_RECVFROM,
	OP_READ,
	OP_SHUTDOWN,
	OP_CLOSE,
	OP_DUP,
	OP_NONBLOCK,
	OP_GETSOCKNAME,
	OP_GETPEERNAME,
	OP_GETSOCKOPT,
	OP_SETSOCKOPT,
	OP_FIONREAD,
	OP_POLL,
	OP_SELECT,
	OP_EPOLL_CREATE,
	OP_EPOLL_CTL,
	OP_EPOLL_WAIT,
	OP_FORK,
	OP_PASS,
	OP_ATMARK,
	OP_USER, /* from now on the process is another user's */
	OP_CODES
};

/* The address of a call, beside the ports of slots (0 to SLOTS - 1). */
enum {
	TO_NOBODY = SLOTS,
	TO_UNSPEC,
	TO_OTHER_FAMILY,
	TO_SHORT,
	TO_ANY_PORT,
	TO_WILDCARD,
	TO_KINDS
};

struct op {
	uint8_t code;
	uint8_t process; /* 0, or 1: the child */
	uint8_t slot;    /* of the socket, or of the epoll set */
	uint8_t other;   /* another slot, or an address */
	uint8_t a, b;    /* meaning depends on the call */
	uint16_t len;    /* bytes */
	bool behind;     /* the other process makes the next call meanwhile */
};

struct sequence {
	int nr;
	struct op ops[OPS];
};

/* A trace: an entry a call. */
struct trace {
	int nr; /* entries so far */
	char entries[OPS][ENTRY];
};

/* generate.c: the sequence @nr of @seed, the same at all times */
void sequence_generate(struct sequence *sequence, uint64_t seed, uint64_t nr);

/* sequence.c: Are call @i and the next one made at the same time, one by each process? */
bool sequence_is_pair(const struct sequence *sequence, int i);

/* text.c: Write a call, or events of poll(), as text. Return the length. */
size_t op_text(const struct op *op, char *text, size_t room);
size_t events_text(unsigned int events, char *text, size_t room);

/* Options of getsockopt() and setsockopt(), by a; SO_RCVLOWAT in units of LOW_WATER bytes. */
enum { LOW_WATER = 100 };
struct option {
	const char *name;
	int level, number;
	bool large; /* a struct linger */
};
extern const struct option options[];
extern const unsigned int nr_options;
extern const int recv_flags[8], send_flags[4];

/* differences.c: Reads the list for a tier. Ends the process if the file is wrong. */
void differences_read(const char *path, const char *tier);

/* Compares the entries of a call. Returns 0 if they are the same, 1 if the comparison of the trace
 * ends here, -1 if they differ; *differs is then the first line that does, as text. */
int entry_compare(const char *native, const char *lfp, char *differs, size_t room);

/* executor.c: obeys the director until it closes the channel. */
_Noreturn void execute(void);

/* Between director and executor. */
struct exchange {
	int patience_ms; /* how long to wait for the native state */
	struct sequence sequence;
	struct trace expected; /* the native one; nr 0: none */
	struct trace got;
};

/* director.c */
struct director_orders {
	uint64_t seed, first, count;
	char *const *native, *const *lfp; /* commands of the executors */
};

/* Prints divergences. Returns an exit code. */
int direct(const struct director_orders *orders);

#endif
