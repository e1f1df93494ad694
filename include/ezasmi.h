/* SPDX-License-Identifier: Apache-2.0 */
/* ezasmi.h - EZASMI, the macro interface to sockets of z/VSE (IJBLFPEZ), for C programs; ezasmi(3)
 */
#ifndef EZASMI_H
#define EZASMI_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The assembler's
 *
 *	EZASMI TYPE=SEND,S=S1,NBYTE=LEN,BUF=DATA,ERRNO=ERR,RETCODE=RC
 *
 * is here
 *
 *	EZASMI(SEND, .S = &s1, .NBYTE = &len, .BUF = data, .ERRNO = &err, .RETCODE = &rc);
 *
 * A keyword that is left out is NULL. Numbers are int, in the machine's own byte order, also S, for
 * which the macro has a halfword; structures (NAME, CLIENT, MSG, IOV) are those of ezasoket(3), in
 * that order too; characters are ASCII. AF, FAMILY, SOCTYPE, COMMAND and OPTNAME are the macro's
 * words, or numbers in digits (0x: hexadecimal).
 */

#define EZASMI_ECB     160 /* bytes of ECB=: the ECB, then 156 that are the interface's */
#define EZASMI_TIE     256 /* bytes of TASK storage */
#define EZASMI_GWA     256 /* bytes of GLOBAL storage */
#define EZASMI_IDENT   16  /* characters at most: TCPNAME, ADSNAME */
#define EZASMI_SUBTASK 8

/* An area for ECB=. It must stay where it is until the ECB is posted. */
struct ezasmi_ecb {
	unsigned int ecb; /* 0: not posted */
	unsigned char state[EZASMI_ECB - 4];
};

/* Is it posted? Then RETCODE, ERRNO and data of the call are there. */
#define EZASMI_POSTED(area) (__atomic_load_n(&(area)->ecb, __ATOMIC_ACQUIRE) != 0)

/* EZASMI TYPE=TASK,STORAGE=CSECT is a variable of this type, DSECT a pointer to it. Cleared before
 * INITAPI, it belongs to one task until TERMAPI. */
struct ezasmi_task {
	unsigned char storage[EZASMI_TIE];
};

/* The same of TYPE=GLOBAL. */
struct ezasmi_global {
	unsigned char storage[EZASMI_GWA];
};

struct ezasmi {
	/* results */
	int *RETCODE; /* -1: failed; else 0 or more (of GETHOSTID any number) */
	int *ERRNO;   /* 0, or why it failed */

	/* how it is called */
	struct ezasmi_task *TASK;
	void *ECB; /* return at once, and post this when it is done */
	void (*ERROR)(
		const struct ezasmi *call); /* called if the interface phase can't be loaded */
	void *CALAREA;                      /* CANCEL: ECB of the call to end */

	/* parameters, in the order of the alphabet; (out): set, (in out): both */
	void *ADDRINFO; /* FREEADDRINFO: what RES was */
	const char *AF; /* "INET" or "INET6" */
	const int *BACKLOG;
	void *BUF;           /* data; (out) for READ and RECV, GETIBMOPT */
	int *CANNLEN;        /* (out) */
	void *CLIENT;        /* 40 bytes; (in out) of GETCLIENTID */
	const char *COMMAND; /* FCNTL: "F_GETFL", "F_SETFL"; IOCTL: "FIONBIO" ...; GETIBMOPT: "1" */
	char *DSTADDR;       /* (out) NTOP: text, PTON: 4 or 16 bytes */
	int *DSTLEN;         /* (in out) NTOP */
	void *ERETMSK;       /* (out) SELECT */
	const void *ESNDMSK;
	const char *FAMILY; /* "INET" or "INET6" */
	const int *FLAGS;   /* left out: 0 */
	struct ezasmi_global *GLOBAL;
	const void *HINTS;    /* four fullwords */
	char *HOST;           /* (out) GETNAMEINFO */
	const void *HOSTADDR; /* GETHOSTBYADDR: 4 bytes */
	void **HOSTENT;       /* (out) a struct hostent, until the thread's next such call */
	const int *HOSTLEN;
	const int *HOW;    /* SHUTDOWN: 0, 1, 2 */
	const char *IDENT; /* up to 16 characters: TCPNAME (8), ADSNAME (8) */
	void *IOV;
	const int *IOVCNT;
	const int *MAXSOC;
	int *MAXSNO; /* (out) */
	void *MSG;
	void *NAME;   /* a socket address; (out) of ACCEPT, RECVFROM, GETPEERNAME ...; of
		       * GETHOSTBYNAME a text, of GETHOSTNAME (out) a text */
	int *NAMELEN; /* (in out) of GETHOSTNAME */
	const int *NBYTE;
	const char *NODE;
	const int *NODELEN;  /* left out: NODE ends with NUL; so the other lengths of texts */
	const int *NS;       /* SOCKET, ACCEPT, TAKESOCKET: the descriptor that is wanted */
	int *OPTLEN;         /* (in out) of GETSOCKOPT */
	const char *OPTNAME; /* "SO_REUSEADDR" ... */
	void *OPTVAL;
	const int *PROTO; /* left out: 0 */
	const void *REQARG;
	void **RES;    /* (out) */
	void *RETARG;  /* (out) */
	void *RRETMSK; /* (out) SELECT */
	const void *RSNDMSK;
	const int *S;
	void *SELECB;            /* SELECTEX: an ECB */
	void *const *SELECBLIST; /* or some, up to 12, of which the last is NULL (ours) */
	char *SERVICE;           /* (out) of GETNAMEINFO */
	const int *SERVLEN;
	const int *SOCRECV;
	const char *SOCTYPE; /* "STREAM" or "DATAGRAM" */
	const void *SRCADDR; /* NTOP: 4 or 16 bytes, PTON: text */
	const int *SRCLEN;
	const char *STORAGE; /* TASK, GLOBAL: "CSECT" or "DSECT" */
	const char *SUBTASK; /* up to 8 characters */
	const int *TIMEOUT;  /* SELECT: two fullwords, seconds and microseconds */
	void *WRETMSK;       /* (out) SELECT */
	const void *WSNDMSK;
};

#define EZASMI(type, ...) EZASMI_call(#type, &(struct ezasmi){__VA_ARGS__})

/**
 * EZASMI_call() - what the macro calls
 * @type:	TYPE=, in capitals
 * @call:	its keywords; may be gone when the function returns
 *
 * Without ECB= the call is over when it returns. With it RETCODE and ERRNO are set, then the ECB is
 * posted, once, when the call is over, which may be before the function returns; all that the
 * keywords point to but numbers and words that are only read must stay until then.
 *
 * Return: RETCODE; with ECB= 0, or -1 if the ECB will not be posted, because its area cannot be
 * used.
 */
int EZASMI_call(const char *type, const struct ezasmi *call);

#ifdef __cplusplus
}
#endif

#endif
