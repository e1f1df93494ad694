/* SPDX-License-Identifier: Apache-2.0 */
/* csi-socket.h - the SOCKET macro of TCP/IP for VSE on LFP, for C programs; csi-socket(3) */
#ifndef CSI_SOCKET_H
#define CSI_SOCKET_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The assembler's SOCKET OPEN,TCP,... is here CSI_SOCKET(OPEN, TCP, &request).
 *
 * Functions: OPEN, CLOSE, SEND, RECEIVE, STATUS, ABORT. Types: TCP, UDP, CONTROL; all others, as
 * CLIENT, TELNET, FTP and RAW, are rejected with EOPNOTSUPP. That, ID= and the commands of CONTROL
 * are known of LFP; fields, numbers and layouts are ours, as no source gives those of the macro.
 *
 * Numbers are int in the machine's own byte order, ports too; addresses are 4 or 16 bytes in
 * network byte order, characters ASCII.
 */

#define CSI_ECB 160 /* bytes of an ECB area: as of EZASMI's (ezasmi.h) */

#define CSI_INET  2
#define CSI_INET6 19

/* What STATUS says in STATE. */
enum csi_state {
	CSI_OPENING = 1, /* OPEN: on its way */
	CSI_LISTENING,   /* OPEN, passive: nobody has come yet */
	CSI_ESTABLISHED, /* TCP: both sides may send; UDP and CONTROL: open */
	CSI_PEER_CLOSED, /* TCP: all has been received, and no more comes */
	CSI_BROKEN,      /* TCP: the connection was reset */
};

struct csi_socket {
	/* keywords; those that a function does not have are not looked at */
	const char *ID;         /* OPEN: the LFP instance, two digits; NULL: not said */
	int DESC;               /* which one; OPEN sets it */
	int PASSIVE;            /* OPEN: not 0: wait for the other side */
	int FAMILY;             /* OPEN: CSI_INET (or 0), CSI_INET6 */
	unsigned char FOIP[16]; /* the other side; of IPv4 the first 4; 0: any, or not said */
	unsigned char LOIP[16]; /* this side */
	int FOPORT, LOPORT;     /* 0: any */
	const char *COMMAND;    /* SEND,CONTROL: "GETHOSTBYNAME" ... */
	void *BUF;              /* data */
	int LENGTH;             /* bytes of BUF */
	int TIMEOUT;            /* milliseconds for OPEN, SEND, RECEIVE; 0: for ever */
	void *ECB;              /* return at once, and post this when it is done */

	/* results; set before the ECB is posted */
	int RETCODE;      /* -1: failed; SEND, RECEIVE: bytes; else 0 */
	int ERRNO;        /* 0, or why it failed */
	int STATE;        /* STATUS: enum csi_state */
	int WAITING;      /* STATUS: bytes that RECEIVE would find */
	int PENDING;      /* STATUS: calls with ECB that are outstanding */
	char INSTANCE[4]; /* OPEN, STATUS: the LFP instance, two digits and NUL */
};

#define CSI_SOCKET(function, type, request) csi_socket(#function, #type, request)

/**
 * csi_socket() - what the macro calls
 * @function:	in capitals
 * @type:	in capitals
 * @request:	its keywords and results
 *
 * Without ECB the call is over when it returns. With it @request, BUF and the ECB's area must stay
 * until the ECB is posted, which happens once, and may be before the function returns.
 *
 * Return: RETCODE; with ECB 0, or -1 if the ECB will not be posted, because its area cannot be
 * used.
 */
int csi_socket(const char *function, const char *type, struct csi_socket *request);

#ifdef __cplusplus
}
#endif

#endif
