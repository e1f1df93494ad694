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
 * A keyword that is left out is NULL. Numbers are int, in the machine's own byte order; this
 * includes S, for which the macro has a halfword. Structures (NAME, CLIENT, MSG, IOV) are those of
 * ezasoket(3), in the same byte order. Characters are ASCII. AF, FAMILY, SOCTYPE, COMMAND and
 * OPTNAME are the macro's words, or numbers in digits (0x: hexadecimal).
 */

#define EZASMI_ECB     160 /* bytes of ECB=: the ECB, then 156 for the interface */
#define EZASMI_TIE     256 /* bytes of TASK storage */
#define EZASMI_GWA     256 /* bytes of GLOBAL storage */
#define EZASMI_IDENT   16  /* characters at most: TCPNAME, ADSNAME */
#define EZASMI_SUBTASK 8

/* An area for ECB=. It must stay in place until the ECB is posted. */
struct ezasmi_ecb {
	unsigned int ecb; /* 0: not posted */
	unsigned char state[EZASMI_ECB - 4];
};

/* True after the ECB is posted: RETCODE, ERRNO and data of the call are valid then. */
#define EZASMI_POSTED(area) (__atomic_load_n(&(area)->ecb, __ATOMIC_ACQUIRE) != 0)

/* A variable of this type is EZASMI TYPE=TASK,STORAGE=CSECT; a pointer to it is DSECT. The program
 * clears it before INITAPI. It then belongs to one task until TERMAPI. */
struct ezasmi_task {
	unsigned char storage[EZASMI_TIE];
};

/* The same for TYPE=GLOBAL. */
struct ezasmi_global {
	unsigned char storage[EZASMI_GWA];
};

struct ezasmi {
	/* results */
	int *RETCODE; /* -1: failed; else 0 or more (GETHOSTID: any number) */
	int *ERRNO;   /* 0, or the error */

	/* control of the call */
	struct ezasmi_task *TASK;
	void *ECB; /* return at once, and post this ECB at the end */
	void (*ERROR)(
		const struct ezasmi *call); /* called if the interface phase cannot be loaded */
	void *CALAREA;                      /* CANCEL: the ECB of the call to end */

	/* parameters, in alphabetical order; (out): result, (in out): both */
	void *ADDRINFO; /* FREEADDRINFO: the pointer from RES */
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
	void **HOSTENT;       /* (out) a struct hostent, valid until the thread's next such call */
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
	const int *NODELEN;  /* left out: NODE ends with NUL; the same for other lengths of texts */
	const int *NS;       /* SOCKET, ACCEPT, TAKESOCKET: the number for the new descriptor */
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
	void *const *SELECBLIST; /* or a list of up to 12, the last of which is NULL (ours) */
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
 * EZASMI_call() - the function behind the macro
 * @type:	TYPE=, in capitals
 * @call:	its keywords; may be gone when the function returns
 *
 * Without ECB= the call ends before the function returns. With it, the end of the call sets RETCODE
 * and ERRNO and posts the ECB, once, perhaps before the function returns. Everything that keywords
 * point to must stay until then, except numbers and words that are only read.
 *
 * Return: RETCODE; with ECB= 0, or -1 if its area cannot be used: then it is not posted.
 */
int EZASMI_call(const char *type, const struct ezasmi *call);

#ifdef __cplusplus
}
#endif

#endif
