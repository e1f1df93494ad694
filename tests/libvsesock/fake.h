/* SPDX-License-Identifier: Apache-2.0 */
/* fake.h - an LFP instance for tests of the shim: it answers as a test tells it */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

/*
 * The instance has no lfpd and no network. A test controls it by setsockopt() and getsockopt() on a
 * near end, level FAKE, and by the port of connect():
 */
enum {
	PORT_GOOD = 80,    /* connected at once */
	PORT_REFUSED,      /* ECONNREFUSED */
	PORT_SLOW,         /* until the caller detaches: EINPROGRESS */
	PORT_JUST_IN_TIME, /* until the caller detaches: connected */
	PORT_DEAF,         /* no answer */
	PORT_CROSSED,      /* connected just before the caller's DETACH is read */
};

#define FAKE 7777

enum {
	FAKE_SEND = 1, /* set: so many bytes 'x' come from the peer */
	FAKE_END,      /* set: end of file, and the reason (0, or an errno for WHY_EOF) */
	FAKE_SHUT,     /* set: the peer has closed in order; the far end stays */
	FAKE_ARRIVE,   /* set: so many connections arrive at the listener */
	FAKE_DEAF,     /* set: so many calls after this one are not answered */
	FAKE_DETACHED, /* get: how many calls of connect() have detached */
	FAKE_CALLS,    /* get: how many calls there were */
	FAKE_TAKEN,    /* get: how many bytes came from the program */
	FAKE_URGENT,   /* get: the last urgent byte */
	FAKE_FAIL,   /* set: the errno with which the connection has failed: connect() needs another
		      * near end */
	FAKE_PARKED, /* get: how many calls came through a parked connection */
	FAKE_DIRECT, /* get: how many of these were direct requests */
	FAKE_HELD,   /* set: so many bytes wait for room in the near end */
	FAKE_CREDIT, /* set: credit for so many streams, given when the program asks; else none */
	FAKE_LEFT,   /* get: what is left of it */
	FAKE_LIVE,   /* get: the number of live ones that the program has written */
	FAKE_MERGES, /* set: whether records of later connections have merges_pages */
	FAKE_MARKER, /* get: the sender of accept()'s mark; 0: not told; -1: no mark */
	FAKE_EVICT,  /* set: the next call through a parked connection is not read, and the
		      * connection is closed */
};

/* The peers of what arrives: FAKE_PEER, port FAKE_PEER_PORT and on. */
#define FAKE_PEER       "192.0.2.7"
#define FAKE_PEER_PORT  5000
#define FAKE_LOCAL      "192.0.2.1"
#define FAKE_LOCAL_PORT 4711

/* A name that is known, in the form for the DNS. */
#define FAKE_IDN "xn--mnchen-3ya.example"

/* The name for gethostname(): longer than Linux allows, so gethostname() returns only its first
 * part.
 */
#define FAKE_SHORT "linlfp"
#define FAKE_NAME  FAKE_SHORT ".a-long-name-for-a-domain.another-long-name-for-a-domain.example.com"

/**
 * fake_start() - start a fake instance 00, and start the calling program again with the shim
 * @argv:	that of main()
 *
 * Returns in the new program. The fake ends with it.
 */
void fake_start(char **argv);

/* End the fake: there is no instance from now on. */
void fake_stop(void);

#endif
