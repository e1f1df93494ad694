/* SPDX-License-Identifier: Apache-2.0 */
/* ezasoket.c - EZASOKET: the table of its functions, and a call of one */
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "include/ezasoket.h"
#include "libvsesock/core/export.h"
#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"

#define NAME_MAX_LEN 16

/* Rules before a function, and its parameters at the end. */
enum {
	STARTS = 1,   /* begins the use of the interface itself */
	IMPLICIT = 2, /* implies INITAPI */
	DATA = 4,     /* a call that would wait fails with EWOULDBLOCK, not EAGAIN */
	NO_ERRNO = 8,
	NO_RESULT = 16, /* ERRNO and RETCODE may be missing */
};

/*
 * A letter a parameter:
 *	s  S, halfword; the near end is looked up	S  the same without looking it up
 *	h  halfword	f  fullword	(w, W: the same, which the function also changes)
 *	n  NAME, checked by the handler	c  CLIENT, 40 bytes	C  the same, which is changed
 *	p  pointer	P  pointer, which is set	i  16 characters	j  8 characters
 *	-  anything, checked by the handler; it may be OMITTED
 */
#define HALFWORDS "sShw"

static const struct eza_function {
	const char *name, *parameters;
	eza_handler *handler;
	int flags;
	int extended; /* z/OS's number of a wrong parameter list; 0: none */
} functions[] = {
	{"ACCEPT", "sn", eza_accept, DATA, 10142},
	{"BIND", "sn", eza_bind, 0, 10143},
	{"BIND2ADDRSEL", "sn", eza_bind, 0, 0},
	{"CLOSE", "S", eza_close, 0, 10144},
	{"CONNECT", "sn", eza_connect, 0, 10145},
	{"FCNTL", "sff", eza_fcntl, 0, 10146},
	{"FREEADDRINFO", "p", eza_freeaddrinfo, 0, 0},
	{"GETADDRINFO", "-f-f-PW", eza_getaddrinfo, 0, 0},
	{"GETCLIENTID", "C", eza_getclientid, IMPLICIT, 10147},
	{"GETHOSTBYADDR", "-P", eza_gethostbyaddr, NO_ERRNO, 0},
	{"GETHOSTBYNAME", "f-P", eza_gethostbyname, NO_ERRNO, 0},
	{"GETHOSTID", "", eza_gethostid, IMPLICIT | NO_ERRNO, 10148},
	{"GETHOSTNAME", "W-", eza_gethostname, IMPLICIT, 10149},
	{"GETIBMOPT", "f-", eza_getibmopt, IMPLICIT, 0},
	{"GETNAMEINFO", "nf-f-ff", eza_getnameinfo, 0, 0},
	{"GETPEERNAME", "sn", eza_getpeername, 0, 10150},
	{"GETSOCKNAME", "sn", eza_getsockname, 0, 10151},
	{"GETSOCKOPT", "sf-W", eza_getsockopt, 0, 10152},
	{"GIVESOCKET", "Sc", eza_givesocket, 0, 10153},
	{"INITAPI", "hijW", eza_initapi, STARTS, 0},
	{"INITAPIX", "hijW", eza_initapi, STARTS, 0},
	{"IOCTL", "sf--", eza_ioctl, 0, 10154},
	{"LISTEN", "sf", eza_listen, 0, 10158},
	{"NTOP", "f--w", eza_ntop, 0, 0},
	{"PTON", "f-h-", eza_pton, 0, 0},
	{"READ", "sf-", eza_read, DATA, 10162},
	{"READV", "s-f", eza_readv, DATA, 0},
	{"RECV", "sff-", eza_recv, DATA, 10166},
	{"RECVFROM", "sff-n", eza_recvfrom, DATA, 10166},
	{"RECVMSG", "s--", eza_recvmsg, DATA, 0},
	{"SELECT", "f-------", eza_select, IMPLICIT, 10169},
	{"SELECTEX", "f--------", eza_selectex, IMPLICIT, 10169},
	{"SEND", "sff-", eza_send, DATA, 10173},
	{"SENDMSG", "s--", eza_sendmsg, DATA, 0},
	{"SENDTO", "sff-n", eza_sendto, DATA, 10177},
	{"SETSOCKOPT", "sf-f", eza_setsockopt, 0, 10180},
	{"SHUTDOWN", "sf", eza_shutdown, 0, 10181},
	{"SOCKET", "fff", eza_socket, IMPLICIT, 10182},
	{"TAKESOCKET", "hc", eza_takesocket, IMPLICIT, 10183},
	{"TERMAPI", "", eza_termapi, NO_RESULT, 0},
	{"WRITE", "sf-", eza_write, DATA, 10188},
	{"WRITEV", "s-f", eza_writev, DATA, 0},
};
#define NR_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Finds a function by its name in capitals, up to a blank or NUL, in ASCII or EBCDIC. NULL: none.
 */
static const struct eza_function *find(const uint8_t *text, size_t size, bool *ebcdic)
{
	char name[NAME_MAX_LEN + 1] = "";

	/* A literal has the length of its text. */
	if (!size || size > NAME_MAX_LEN)
		size = NAME_MAX_LEN;
	*ebcdic = text[0] >= 0xC1;
	for (size_t i = 0; i < size && text[i]; i++) {
		name[i] = (char)(*ebcdic ? eza_to_latin[text[i]] : text[i]);
		if (name[i] == ' ') {
			name[i] = '\0';
			break;
		}
	}
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/* Checks a parameter, and puts a number into values[]; 0 or a negative error. */
static int look_at(struct eza_call *call, int i, char letter)
{
	const struct eza_arg *arg = &call->args[i];
	size_t natural = strchr(HALFWORDS, letter) ? 2 : 4;
	bool changes = letter == 'w' || letter == 'W';
	int rc;

	switch (letter) {
	case 's':
	case 'S':
	case 'h':
	case 'w':
	case 'f':
	case 'W':
		rc = changes ? eza_check_result(arg, natural) : eza_check(arg, natural);
		if (!rc && arg->decimal)
			rc = -EINVAL;
		if (rc < 0)
			return rc;
		call->values[i] = eza_number(arg, natural);
		return 0;
	case 'c':
		return eza_check(arg, EZA_CLIENT);
	case 'C':
		return eza_check_result(arg, EZA_CLIENT);
	case 'p':
		return eza_check(arg, sizeof(void *));
	case 'P':
		return eza_check_result(arg, sizeof(void *));
	case 'i':
		return eza_check(arg, 16);
	case 'j':
		return eza_check(arg, 8);
	case 'n':
		return arg->data ? 0 : eza_error("EIBMBADPARM");
	default:
		return 0;
	}
}

static int prepare(struct eza_call *call, const struct eza_function *function)
{
	int rc = 0;

	for (int i = 0; function->parameters[i] && !rc; i++)
		rc = look_at(call, i, function->parameters[i]);
	if (rc < 0)
		return function->extended ? eza_fail(call, rc, function->extended) : rc;
	if (function->parameters[0] == 's') {
		long s = call->values[0];

		call->fd = s < 0 || s > INT_MAX ? -EBADF : vse_fd(call->api, (int)s);
		rc = call->fd < 0 ? call->fd : 0;
	}
	return rc;
}

/* Gets the interface for the calling thread's task. */
static int enter(struct eza_call *call, const struct eza_function *function)
{
	int rc;

	if (function->flags & STARTS)
		return 0;
	call->api = vse_api_find(MUX_EZA);
	if (!call->api || !call->api->set_up) {
		if (!(function->flags & IMPLICIT))
			return eza_fail(call, eza_error("EIBMBADCALL"), 10108);
		rc = strict_implicit();
		return rc ? rc : eza_begin(call, NULL, 0);
	}
	return vse_api_get(&call->api, MUX_EZA, NULL);
}

int eza_retcode(const struct eza_call *call, const struct eza_function *function, int rc,
		int *number)
{
	/* Any number is an address in GETHOSTID. */
	bool failed = rc < 0 && function->handler != eza_gethostid;

	*number = 0;
	if (failed && call->number)
		*number = call->number;
	else if (failed)
		*number = function->flags & DATA ? vse_errno_io(vse_space(), -rc)
						 : vse_errno(vse_space(), -rc);
	return failed ? -1 : rc;
}

/* Returns whether a parameter exists and has four bytes, as far as is known. */
static bool is_word(const struct eza_arg *arg)
{
	return arg && arg->data && (!arg->size || arg->size == 4);
}

static void end(struct eza_call *call, const struct eza_function *function, int rc,
		const struct eza_arg *error, const struct eza_arg *result)
{
	int number, retcode = eza_retcode(call, function, rc, &number);

	if (is_word(error) && is_word(result) && !memory_check_words(error->data, result->data)) {
		eza_set_number(error, 4, number);
		eza_set_number(result, 4, retcode);
		return;
	}
	if (error && !eza_check_result(error, 4))
		eza_set_number(error, 4, number);
	if (result && !eza_check_result(result, 4))
		eza_set_number(result, 4, retcode);
}

/* Finds ERRNO and RETCODE by the number of parameters; -1: that number is wrong. */
static int find_results(struct eza_call *call, const struct eza_function *function,
			const struct eza_arg **error, const struct eza_arg **result)
{
	int own = (int)strlen(function->parameters);
	int last = own + (function->flags & NO_ERRNO ? 1 : 2);

	*error = *result = NULL;
	if (function->flags & NO_RESULT && call->nr == own)
		return 0;
	/* Programs also pass an ERRNO to functions without one. */
	if (call->nr == last + 1 && function->flags & NO_ERRNO)
		last++;
	/* With a wrong number of parameters, the last two count if their sizes fit. */
	if (call->nr < 1)
		return -1;
	*result = &call->args[call->nr - 1];
	if (call->nr > 1 && last - own == 2)
		*error = &call->args[call->nr - 2];
	if (call->nr == last)
		return 0;
	if ((*result)->size != 4)
		*result = NULL;
	if (*error && (*error)->size != 4)
		*error = NULL;
	return -1;
}

bool eza_is_half(const struct eza_function *function, int i)
{
	char letter = i < (int)strlen(function->parameters) ? function->parameters[i] : '-';

	return strchr(HALFWORDS, letter) != NULL;
}

const struct eza_function *eza_function(const char *name)
{
	bool ebcdic;

	return find((const uint8_t *)name, strnlen(name, NAME_MAX_LEN), &ebcdic);
}

/* Checks the rules of strict runs; 0 or a negative error. */
static int check_strict(const struct eza_call *call, const struct eza_function *function)
{
	/* IBM's samples pass TAKESOCKET the fullword of the area that CICS programs get. */
	bool takes = !strcmp(function->name, "TAKESOCKET");
	size_t own = strlen(function->parameters);
	int rc;

	if (!strict_on())
		return 0;
	strict_call(call->interface ? call->interface : "EZASOKET", function->name);
	rc = strict_zos(function->name);
	/* EZASMI's form in C makes its numbers native. */
	for (int i = 0; i < call->nr && !rc && !call->interface; i++) {
		const struct eza_arg *arg = &call->args[i];
		bool halfword = !takes && (size_t)i < own &&
				strchr(HALFWORDS, function->parameters[i]) != NULL;

		if (arg->data && arg->numeric)
			rc = strict_parameter(i + 1, arg->size, arg->order == EZA_NATIVE, halfword);
	}
	if (!strcmp(function->name, "TERMAPI"))
		(void)strict_hostent_left();
	return rc;
}

int eza_prepare(struct eza_call *call, const struct eza_function *function)
{
	int rc = check_strict(call, function);

	if (!rc)
		rc = enter(call, function);
	return rc ? rc : prepare(call, function);
}

int eza_run(struct eza_call *call, const struct eza_function *function)
{
	return function->handler(call);
}

static const struct eza_function unknown = {.name = "", .parameters = ""};

static void make_call(struct eza_call *call, const struct eza_function *function)
{
	const struct eza_arg *error, *result;
	int rc = find_results(call, function, &error, &result);

	eza_looks(true);
	if (rc < 0) {
		rc = eza_fail(call, eza_error("EIBMBADPARM"), 10105);
		/* GETHOSTID fails here, too. */
		end(call, &unknown, rc, error, result);
		eza_looks(false);
		return;
	}
	/* Without a place for the result nothing is done. */
	if (result && (eza_check_result(result, 4) || result->decimal)) {
		eza_looks(false);
		return;
	}
	rc = eza_prepare(call, function);
	eza_looks(false);
	if (!rc)
		rc = function->handler(call);
	else if (function->handler == eza_gethostid)
		rc = -1;
	eza_looks(true);
	end(call, function, rc, error, result);
	eza_looks(false);
}

EXPORT int EZASOKET(const void *soc_function, ...)
{
	int nr = eza_cobol_count(), saved = errno;
	struct eza_call call = {.order = nr < 0 ? EZA_NATIVE : EZA_BIG, .fd = -1};
	struct eza_arg name = {.data = (void *)(uintptr_t)soc_function};
	const struct eza_function *function = NULL;
	va_list ap;

	if (!nr || memory_check_read(soc_function, 1))
		return 0;
	if (nr > 0)
		eza_cobol_describe(&name, 1);
	function = find(soc_function, name.size, &call.ebcdic);
	eza_last_ebcdic = call.ebcdic;
	/* Without a run-time system the place of RETCODE is unknown. */
	if (nr < 0 && !function)
		return 0;
	if (nr > 0)
		call.nr = nr - 1;
	else if (!(function->flags & NO_RESULT))
		call.nr = (int)strlen(function->parameters) + (function->flags & NO_ERRNO ? 1 : 2);
	if (call.nr > EZA_ARGS)
		call.nr = EZA_ARGS;
	va_start(ap, soc_function);
	for (int i = 0; i < call.nr; i++) {
		call.args[i].data = va_arg(ap, void *);
		if (nr > 0)
			eza_cobol_describe(&call.args[i], i + 2);
	}
	va_end(ap);
	if (function) {
		make_call(&call, function);
	} else {
		const struct eza_arg *error = call.nr > 1 ? &call.args[call.nr - 2] : NULL;
		const struct eza_arg *result = call.nr ? &call.args[call.nr - 1] : NULL;
		int rc = eza_fail(&call, eza_error("EIBMBADCALL"), 10104);

		end(&call, &unknown, rc, error && error->size == 4 ? error : NULL,
		    result && result->size == 4 ? result : NULL);
	}
	errno = saved;
	return 0;
}
