/* SPDX-License-Identifier: Apache-2.0 */
/* ctl.h - the control channel between programs and their LFP instance */
#ifndef LFP_CTL_H
#define LFP_CTL_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"
#include "lfp/post.h"

/*
 * Programs and their LFP instance are on one machine: integers are in host order, addresses are
 * struct lfp_addr, errno numbers are the machine's.
 *
 * A program connects to the instance's SOCK_SEQPACKET socket RUN/vselfp/NN/ctl, sends one request
 * and waits for one answer. Requests on an existing socket carry its descriptor (SCM_RIGHTS):
 * possession is the right; nothing in the message names the socket. The connection is closed
 * after the answer. Only CONNECT with LFP_CTL_BLOCKING may be followed by a DETACH on the same
 * connection while it waits.
 *
 * A connection whose first request is PARK is kept open instead. Each HAND that follows brings a
 * connection with it, one end of a SOCK_SEQPACKET socketpair, which is from then on as if it had
 * been accepted; the program should write the request before it hands over the socket. So a program
 * that can't find the path any more still has its way to the instance. The caller is the maker of
 * the pair (SO_PEERCRED), not the process that hands it over. The instance drops a socket with a
 * name at either end: socketpair() gives none, and connect() always gives one, so that no
 * connection to the instance or to another server is taken for a pair.
 *
 * A request with LFP_CTL_DIRECT on a parked connection is answered there, which saves the pair. It
 * counts as one of the process that has parked the connection; so only that process may send it,
 * one at a time, and only those that lfp_ctl_is_direct() names. DETACH there is for the unanswered
 * CONNECT; it has no effect and no answer if no CONNECT is pending.
 *
 * The near end, the descriptor that a program holds, is an AF_UNIX socket, stream or datagram,
 * bound by the instance to the relative path
 *
 *	"vselfp/NN/RRRRRRRRRRRRRRRR/IIIIIIIIIIIIIIII"
 *
 * in a directory that only the instance can enter, so that no other process can bind the name, keep
 * it or connect to it. NN is the instance, R.. its run (16 hex digits, drawn anew at each start),
 * I.. a number that is drawn at random, except for two bits that give its type. getsockname() tells
 * any process, after fork, exec, dup or descriptor passing, that the descriptor is LFP's. The name
 * finds; it does not authorise: the instance compares the socket's cookie (SO_COOKIE), which no
 * other socket ever has.
 */
#define LFP_NEAR_PREFIX     "vselfp/"
#define LFP_NEAR_PREFIX_LEN 7u
/* Bytes without the NUL at the end: prefix, NN, '/', 16, '/', 16. */
#define LFP_NEAR_PATH_LEN (LFP_NEAR_PREFIX_LEN + 2u + 1u + 16u + 1u + 16u)
#define LFP_NEAR_DATAGRAM (UINT64_C(1) << 63)
#define LFP_NEAR_V6       (UINT64_C(1) << 62) /* a datagram one's; lfp/datagram.h asks for both */

/*
 * Datagrams: to its program every one has its payload alone; the kernel gives the name of the
 * socket that has sent it, and that is the sender's address and the ancillary data
 * (lfp/datagram.h): the name of a *source* is LFP_SOURCE_PREFIX, 8 bytes that make it unlike all
 * others, and a struct lfp_meta. A datagram that comes with a descriptor (SCM_RIGHTS) has the name
 * of that socket as its source.
 *
 * The program sends a payload alone to the peer that the near end is connected to. A datagram with
 * an address or ancillary data goes to the *head*, whose name is that of the near end with
 * LFP_HEAD_PREFIX: a struct lfp_meta of LFP_META_SIZE bytes, then the payload.
 *
 * Heads and sources have abstract names, in the network namespace where the near end was made.
 */
#define LFP_SOURCE_PREFIX       "\0vselfs/"
#define LFP_HEAD_PREFIX         "\0vselfh/"
#define LFP_ABSTRACT_PREFIX_LEN 8u /* of both */

/*
 * A program may also make a near end itself: an AF_UNIX stream socket of its own, unbound and not
 * connected, with the mark lfp_fresh_mark() as SO_MAX_PACING_RATE, an option that has no meaning
 * for a UNIX socket. The first request about such a *fresh* socket makes it a near end: the
 * instance checks it, binds it to a name and gives it a socket of lfpd. Until then it is nothing
 * but the program's own socket, with no right to anything.
 *
 * The instance counts how many the program may have, its *credit*. Both sides share a page: struct
 * lfp_credit. The instance adds to `left` when lfpd has a socket ready, and takes the rest back
 * when sockets are short; the program takes one for each fresh socket, and gives back those that it
 * has closed unused. The page is a promise to the program alone: the instance relies on its own
 * count of ready sockets, so that wrong numbers deceive nobody but the program.
 *
 * A promise ends when the instance closes ready sockets that fresh sockets were to get, or when the
 * path is lost. Then the page has another series, and credit of an earlier one does not come back.
 *
 * A page that is gone would be a SIGBUS for the instance. So the program maps the page first, and
 * tells that; then the instance seals the file against all changes but those of mappings that
 * exist, makes sure that nobody has punched a hole, and only then touches its own mapping.
 */
#define LFP_FRESH_MAGIC UINT64_C(0x4C46504E) /* "LFPN", the upper half of a mark */
#define LFP_CREDIT_SIZE 4096u                /* bytes of the page */
#define LFP_CREDIT_MAX  16u

struct lfp_credit {
	uint32_t left;        /* fresh sockets that the program may make now, below the series */
	uint32_t live;        /* fresh sockets that it has; written by the program alone */
	uint32_t takes_posts; /* 1: cookies are unique, and the instance reads the posts
			       * (lfp/post.h) */
	uint32_t reserved;
	uint64_t posts[LFP_POSTS];
};

/* Of `left`: only the instance changes the series. */
#define LFP_CREDIT_SERIES      8 /* its lowest bit */
#define LFP_CREDIT_LEFT(value) ((value) & ((1u << LFP_CREDIT_SERIES) - 1))

/* @family: AF_INET or AF_INET6. Bits 8 to 15 are those of lfp_early_put_control(). */
static inline uint64_t lfp_fresh_mark(const char *nn, int family)
{
	return LFP_FRESH_MAGIC << 32 | (uint64_t)(uint8_t)nn[0] << 24 |
	       (uint64_t)(uint8_t)nn[1] << 16 | (uint8_t)family;
}

/* Reads a mark. Returns the family, or -1 if it is none; @nn is set to the instance. */
static inline int lfp_fresh_read(uint64_t mark, char nn[static 3])
{
	nn[0] = (char)(mark >> 24);
	nn[1] = (char)(mark >> 16);
	nn[2] = '\0';
	return mark >> 32 == LFP_FRESH_MAGIC ? (int)(mark & 0xff) : -1;
}

/* Requests, replies and guard messages each have a magic of their own, so that none is read as
 * another. */
#define LFP_CTL_MAGIC        0x4C465031u /* "LFP1": requests */
#define LFP_CTL_REPLY_MAGIC  0x4C465052u /* "LFPR" */
#define LFP_CTL_GUARD_MAGIC  0x4C465047u /* "LFPG" */
#define LFP_CTL_RECORD_MAGIC 0x4C465041u /* "LFPA": accept records */
#define LFP_CTL_DATA         8192u       /* most bytes behind the fixed part */

enum lfp_ctl_op {
	/* is the instance there and is its path up? value 0; error ENETDOWN if the path is not */
	LFP_CTL_PING = 1,
	/* a = family (AF_), b = type without flags, c = protocol -> the near end by SCM_RIGHTS.
	 * With a new UNIX socket of that type: this is the near end from now on, and nothing comes
	 * back */
	LFP_CTL_SOCKET,
	/* data = struct lfp_addr */
	LFP_CTL_BIND,
	/* data = struct lfp_addr; flag BLOCKING: answered when the connection is made or has
	 * failed, else at once (EINPROGRESS) -> cookie of the near end, 8 bytes, if the process may
	 * post its options (lfp/post.h) */
	LFP_CTL_CONNECT,
	/* on the connection of a waiting CONNECT: let it go on by itself. The answer that comes
	 * back is CONNECT's own if it was under way, else error EINPROGRESS, or EALREADY if the
	 * CONNECT had joined another one */
	LFP_CTL_DETACH,
	/* a = backlog; error EBADFD: RENEW, then LISTEN again */
	LFP_CTL_LISTEN,
	/* a = SHUT_RD, SHUT_WR, SHUT_RDWR. The instance does what only the instance can do (a
	 * listener, ENOTCONN). Value 1, with ENOTCONN too: the caller then calls shutdown(2) on the
	 * near end. Value 0: nothing is left to do. Error EBADFD: the socket no longer listens
	 * (RENEW) */
	LFP_CTL_SHUTDOWN,
	/* -> struct lfp_addr. a = LFP_CTL_BOTH: a second one follows for a stream that is
	 * connected, the address of the other side of the connection. Both then hold as long as the
	 * near end serves for the connection */
	LFP_CTL_GETSOCKNAME,
	LFP_CTL_GETPEERNAME,
	LFP_CTL_GETSOCKOPT, /* a = level, b = name, c = room -> value in host layout */
	LFP_CTL_SETSOCKOPT, /* a = level, b = name, data = value in host layout */
	/* Reason of an end of file at the near end. error 0: the peer closed in order, or reading
	 * was shut down; ECONNRESET, ...: the connection was lost, reported once; ENOTCONN,
	 * EINVAL, ... a = 1: accept() asks; this does not use up the error. EINVAL: no listener */
	LFP_CTL_WHY_EOF,
	/* value = bytes written by the program that the host's peer has not acknowledged; a = 1:
	 * only those that the host has not sent */
	LFP_CTL_OUTQ,
	/* a = AI_ flags, b = family, c = type | protocol << 16, data = given (1 byte: bit 0 node,
	 * bit 1 service), node NUL, service NUL -> value = EAI_ number, data = canonname NUL, then
	 * entries struct lfp_ctl_ai */
	LFP_CTL_GETADDRINFO,
	/* a = NI_ flags, data = struct lfp_addr -> value = EAI_, data = host NUL service NUL */
	LFP_CTL_GETNAMEINFO,
	/* a = family, data = name NUL -> value = h_errno, data = struct lfp_ctl_hostent */
	LFP_CTL_GETHOSTBYNAME,
	/* data = struct lfp_addr -> as GETHOSTBYNAME */
	LFP_CTL_GETHOSTBYADDR,
	LFP_CTL_GETHOSTNAME, /* -> text */
	LFP_CTL_GETHOSTID,   /* -> value = IPv4 address, network byte order */
	/* keep this connection; no answer */
	LFP_CTL_PARK,
	/* on a parked connection, with a descriptor: a connection of its own; no answer */
	LFP_CTL_HAND,
	/* asks whether the descriptor is a near end. error EBADF: no; any other: yes */
	LFP_CTL_IDENTIFY,
	LFP_CTL_GETIFADDRS, /* -> struct lfp_ctl_interfaces */
	/* a supervisor could not serve a call and has refused it: data = call NUL reason NUL. The
	 * instance logs it, with program and process id */
	LFP_CTL_REFUSED,
	/* Why can the near end not be written? ECONNRESET, ...: the connection was lost, told once
	 * (and not to WHY_EOF then); else 0 */
	LFP_CTL_WHY_EPIPE,
	/* data = 1 urgent byte, which follows the data written to the near end */
	LFP_CTL_URGENT,
	/* CONNECT said EBADFD: the near end has served for a connection that is over, and the
	 * socket needs another one -> the new near end by SCM_RIGHTS. The program puts it in the
	 * place of the old one and gives the error that came as value with EBADFD, or calls CONNECT
	 * again if that was 0 and the address has a family */
	LFP_CTL_RENEW,
	/* of a datagram socket: what has become of the datagrams that were sent so far? error: why
	 * the last of those that failed since the last SENT has failed. WHY_EOF gives the error
	 * that waits for the socket's next call (ECONNREFUSED, ...), once, or 0 */
	LFP_CTL_SENT,
	/* take the first entry of its error queue -> struct lfp_ctl_errqueue, then the beginning of
	 * the datagram; EAGAIN */
	LFP_CTL_ERRQUEUE,
	/* a = enum lfp_ctl_task. BEGIN: a CICS-style task of the process, data = its name, 8 bytes,
	 * or nothing; -> its key, 8 bytes; value = its number. END: of the task that calls.
	 * TRUE_START, TRUE_STOP: of the process; value 0, or 4 if it is so already */
	LFP_CTL_TASK,
	/* data = struct lfp_ctl_client, whose non-blank parts become the caller's name -> the
	 * caller's full name */
	LFP_CTL_CLIENTID,
	/* a = the program's number of the socket, b = seconds until it is reset (0: four days, the
	 * maximum), data = struct lfp_ctl_client that may take it, blank: any. From then on the
	 * descriptor serves only TAKEN and DROP, and hangs up when TAKEN would return 1 */
	LFP_CTL_GIVE,
	/* a = number, data = struct lfp_ctl_client of the giver -> a near end by SCM_RIGHTS */
	LFP_CTL_TAKE,
	/* of a given descriptor: value 1 if the socket was taken or has ended */
	LFP_CTL_TAKEN,
	/* of a given descriptor: resets the connection if it was not taken */
	LFP_CTL_DROP,
	/* From a supervisor: keep this connection; struct lfp_ctl_guard messages follow on it.
	 * EAGAIN: too many supervisors */
	LFP_CTL_GUARD,
	/* value = bytes for the program that the instance holds until the near end has room */
	LFP_CTL_HELD,
	/* a = AF_INET or AF_INET6: credit for fresh stream sockets -> a memory file of
	 * LFP_CREDIT_SIZE bytes by SCM_RIGHTS, which begins with a struct lfp_credit. b = 1: the
	 * process has mapped it; it is sealed and replaces the process's earlier one. c =
	 * LFP_CTL_FOR_POSTS: there is no need of credit yet. EOPNOTSUPP: there is no credit */
	LFP_CTL_CREDIT,
};

enum lfp_ctl_task {
	LFP_CTL_TASK_BEGIN = 1,
	LFP_CTL_TASK_END,
	LFP_CTL_TRUE_START,
	LFP_CTL_TRUE_STOP,
};

/* Of GETSOCKNAME and GETPEERNAME. */
#define LFP_CTL_BOTH 1

/* Of CREDIT. */
#define LFP_CTL_FOR_POSTS 1

#define LFP_CTL_BLOCKING 0x01u
/* The call comes by EZASOKET or EZASMI: in a CICS-style task it needs EZATRUE, else ENOPKG. */
#define LFP_CTL_EZA 0x02u
/* With BEGIN: LFP$CIC=SHARE holds for the task. */
#define LFP_CTL_SHARE 0x04u
/* On a parked connection, which is kept: the answer comes on it. */
#define LFP_CTL_DIRECT 0x08u
/* The first call of the process since its last execve(): its name may have changed. */
#define LFP_CTL_ANEW 0x10u

/* Returns true if a request may be direct. Excluded are requests that depend on the user, which may
 * have changed since the connection was parked, and requests that must not be repeated. */
static inline bool lfp_ctl_is_direct(unsigned int op)
{
	switch (op) {
	case LFP_CTL_CONNECT:
	case LFP_CTL_SOCKET:
	case LFP_CTL_BIND:
	case LFP_CTL_LISTEN:
	case LFP_CTL_SHUTDOWN:
	case LFP_CTL_GETSOCKNAME:
	case LFP_CTL_GETPEERNAME:
	case LFP_CTL_GETSOCKOPT:
	case LFP_CTL_SETSOCKOPT:
	case LFP_CTL_WHY_EOF:
	case LFP_CTL_WHY_EPIPE:
	case LFP_CTL_OUTQ:
	case LFP_CTL_HELD:
		return true;
	default:
		return false;
	}
}

/* The fixed part, for callers with little stack. */
struct lfp_ctl_request_head {
	uint32_t magic; /* LFP_CTL_MAGIC */
	uint16_t op;
	uint16_t flags;
	int32_t a;
	int32_t b;
	int32_t c;
	uint32_t len; /* bytes used in data */
	/* The owner of the call: 0 and 0 for the caller's own. Else the caller supervises a program
	 * (lfp-run's seccomp tier): the program's process id, and the caller's own. By the second
	 * one the instance sees whether both count processes alike. A caller may speak for
	 * processes whose real and effective user ids are its own, and root for all; EPERM
	 * otherwise. */
	int32_t task;
	int32_t speaker;
	/* Key of the process's CICS-style task that makes the call; 0: the process itself. */
	uint64_t as;
};

struct lfp_ctl_request {
	uint32_t magic;
	uint16_t op;
	uint16_t flags;
	int32_t a;
	int32_t b;
	int32_t c;
	uint32_t len;
	int32_t task;
	int32_t speaker;
	uint64_t as;
	uint8_t data[LFP_CTL_DATA];
};

struct lfp_ctl_reply_head {
	uint32_t magic; /* LFP_CTL_REPLY_MAGIC */
	int32_t error;  /* 0 or a positive errno */
	int32_t value;
	uint32_t len;
};

struct lfp_ctl_reply {
	uint32_t magic;
	int32_t error;
	int32_t value;
	uint32_t len;
	uint8_t data[LFP_CTL_DATA];
};

#define LFP_CTL_REQUEST_HEAD sizeof(struct lfp_ctl_request_head)
#define LFP_CTL_REPLY_HEAD   sizeof(struct lfp_ctl_reply_head)
_Static_assert(offsetof(struct lfp_ctl_request, data) == LFP_CTL_REQUEST_HEAD &&
		       offsetof(struct lfp_ctl_reply, data) == LFP_CTL_REPLY_HEAD,
	       "data comes behind the head");

/* An entry of GETADDRINFO's answer. */
struct lfp_ctl_ai {
	uint16_t kind; /* SOCK_STREAM ... */
	uint16_t protocol;
	struct lfp_addr addr;
};

/* GETIFADDRS's answer: this, then links, then addresses. */
struct lfp_ctl_interfaces {
	uint32_t nr_links;
	uint32_t nr_addrs;
};

struct lfp_ctl_link {
	uint32_t index;
	uint32_t flags; /* IFF_ */
	uint32_t mtu;
	uint16_t kind; /* ARPHRD_ */
	uint16_t hwlen;
	uint8_t hw[20];
	char name[16]; /* with its NUL */
};

struct lfp_ctl_ifaddr {
	uint32_t index;  /* of its link */
	uint32_t prefix; /* bits */
	struct lfp_addr addr;
	struct lfp_addr other; /* broadcast address or peer; family 0: none */
};

/* GETHOSTBYNAME's answer: this, then addresses struct lfp_addr, then name NUL, aliases NUL each. */
struct lfp_ctl_hostent {
	uint32_t nr_addrs;
	uint32_t nr_aliases;
};

/* Giver and taker of a socket: 8-character ASCII names, blank padded. */
#define LFP_CTL_CLIENT 8u
struct lfp_ctl_client {
	int32_t family;            /* AF_INET or AF_INET6 */
	char name[LFP_CTL_CLIENT]; /* of the address space: a process, by its partition id if it has
				      no other */
	char task[LFP_CTL_CLIENT]; /* of the task in it, by its number in hex if it has no other */
};

/* ERRQUEUE's answer: the fields of struct sock_extended_err, and addresses. */
struct lfp_ctl_errqueue {
	uint32_t error;
	uint8_t origin, type, code, pad;
	uint32_t info, data;
	struct lfp_addr dest, offender;
};

/*
 * A message on a supervisor's guard connection. The instance sends ADD, with a copy of the far end
 * by SCM_RIGHTS, for each stream connection made or listened for by a call of this supervisor. One
 * END or RESET follows, before the instance closes its far end; RESET also after PRIME. The end of
 * the guard connection is a RESET for all.
 *
 * To reset: a byte is left unread in the far end when its last copy is closed. Then the kernel says
 * ECONNRESET at the near end, after the data that were delivered. For a near end that is shut down
 * for writing the instance has left the byte before (ijblfp/sock/stopper.h).
 */
enum lfp_ctl_guard_what {
	LFP_CTL_GUARD_ADD = 1,
	LFP_CTL_GUARD_END,
	LFP_CTL_GUARD_RESET,
	/* leave a byte unread, then shut the far end for reading: a reset follows */
	LFP_CTL_GUARD_PRIME,
	/* from the supervisor: so many connections (id) whose reset looks like an end of file */
	LFP_CTL_GUARD_MISSED,
};

struct lfp_ctl_guard {
	uint32_t magic; /* LFP_CTL_GUARD_MAGIC */
	uint32_t what;  /* enum lfp_ctl_guard_what */
	uint64_t id;    /* of the connection */
	uint64_t ino;   /* ADD: of the near end */
	int32_t holder; /* ADD: a process that is likely to have it, as the supervisor counts them
			 */
	int32_t reserved;
};

/* SO_INQ and SCM_INQ of a UNIX socket, which older headers do not have: recvmsg() tells how much is
 * unread. The near end of a socket with TCP_INQ has it on. Where the kernel has no SO_INQ, the near
 * end has this SO_PRIORITY instead, which means nothing to a UNIX socket: then the library tells.
 */
#define LFP_NEAR_INQ          84
#define LFP_NEAR_INQ_PRIORITY 1

/*
 * An accept record: what travels on a listener's near end for each connection, with the near end
 * of the new socket by SCM_RIGHTS. A stream socket does not merge messages that carry rights, so
 * one recvmsg() of this size takes exactly one. accept() then sends one urgent byte (MSG_OOB) on
 * the new near end, which is not data. It separates the connections that a program holds from those
 * that are lost when a listener is closed.
 *
 * Before Linux 6.5 the kernel adds the pages of sendfile() and splice() to the buffer that was sent
 * last if the credentials are the same (net/unix/af_unix.c, unix_stream_sendpage()). A reader that
 * passes over an urgent byte drops its whole buffer. With @merges_pages accept() sends the byte
 * with SO_PASSCRED on. Pages have no credentials, so they then get a buffer of their own.
 */
struct lfp_accept_record {
	uint32_t magic; /* LFP_CTL_RECORD_MAGIC */
	int32_t owner;  /* process that may post options of the new socket (lfp/post.h); 0: none */
	struct lfp_addr peer;
	struct lfp_addr local;
	uint64_t cookie; /* of the new near end; 0: ask for its names */
	uint8_t merges_pages;
	uint8_t pad[160 - 17 - 2 * sizeof(struct lfp_addr)];
};
_Static_assert(sizeof(struct lfp_accept_record) == 160, "a record has 160 bytes");

#endif
