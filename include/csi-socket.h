/* SPDX-License-Identifier: Apache-2.0 */
/* csi-socket.h - the SOCKET macro of TCP/IP for VSE on LFP, for C programs; csi-socket(3) */
#ifndef CSI_SOCKET_H
#define CSI_SOCKET_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The assembler's SOCKET OPEN,TCP,... is CSI_SOCKET(OPEN, TCP, &request) here.
 *
 * Functions: OPEN, CLOSE, SEND, RECEIVE, STATUS, ABORT. Types: TCP, UDP, CONTROL. Others, such as
 * CLIENT, TELNET, FTP and RAW, fail with EOPNOTSUPP. IBM documents this, ID= and the commands of
 * CONTROL for LFP. No source describes the macro's fields, numbers and layouts, so these are ours.
 *
 * Numbers, also ports, are int in the machine's own byte order. Addresses are 4 or 16 bytes in
 * network byte order. Characters are ASCII.
 */

#define CSI_ECB 160 /* bytes of an ECB area, as in EZASMI (ezasmi.h) */

#define CSI_INET  2
#define CSI_INET6 19

/* Values of STATE, set by STATUS. */
enum csi_state {
	CSI_OPENING = 1, /* OPEN is under way */
	CSI_LISTENING,   /* a passive OPEN waits for a peer */
	CSI_ESTABLISHED, /* TCP: connected; UDP and CONTROL: open */
	CSI_PEER_CLOSED, /* TCP: all data is received, and the peer has closed */
	CSI_BROKEN,      /* TCP: the connection was reset */
};

struct csi_socket {
	/* keywords; each function ignores those that it does not have */
	const char *ID;         /* OPEN: the LFP instance, two digits; NULL: default */
	int DESC;               /* the descriptor; OPEN sets it */
	int PASSIVE;            /* OPEN: not 0: wait for a peer */
	int FAMILY;             /* OPEN: CSI_INET (or 0), CSI_INET6 */
	unsigned char FOIP[16]; /* the peer; IPv4 uses the first 4; 0: any, or not named */
	unsigned char LOIP[16]; /* the own address */
	int FOPORT, LOPORT;     /* 0: any */
	const char *COMMAND;    /* SEND,CONTROL: "GETHOSTBYNAME" ... */
	void *BUF;              /* the data */
	int LENGTH;             /* bytes of BUF */
	int TIMEOUT;            /* milliseconds for OPEN, SEND, RECEIVE; 0: no limit */
	void *ECB;              /* return at once, and post this ECB at the end */

	/* results; written before the ECB is posted */
	int RETCODE;      /* -1: failed; SEND, RECEIVE: number of bytes; else 0 */
	int ERRNO;        /* 0, or the error */
	int STATE;        /* STATUS: enum csi_state */
	int WAITING;      /* STATUS: bytes that RECEIVE would return */
	int PENDING;      /* STATUS: outstanding calls with an ECB */
	char INSTANCE[4]; /* OPEN, STATUS: the LFP instance, two digits and NUL */
};

#define CSI_SOCKET(function, type, request) csi_socket(#function, #type, request)

/**
 * csi_socket() - the function behind the macro
 * @function:	in capitals
 * @type:	in capitals
 * @request:	its keywords and results
 *
 * Without an ECB the call ends before the function returns. With one, @request, BUF and the ECB's
 * area must stay until the ECB is posted. That happens once, perhaps before the function returns.
 *
 * Return: RETCODE; with an ECB 0, or -1 if its area cannot be used: then it is not posted.
 */
int csi_socket(const char *function, const char *type, struct csi_socket *request);

#ifdef __cplusplus
}
#endif

#endif
