/* SPDX-License-Identifier: Apache-2.0 */
/* readonly.c - results of EZASMI where nothing can be written: EFAULT, and no signal */
#include "smi.h"

/* In the program's constants. */
static const union {
	unsigned char bytes[256];
	int number;
} zeros, sixty_four = {.number = 64};

static void *fixed(const void *at)
{
	return (void *)(uintptr_t)at;
}

static void at_once(void)
{
	int ends[2];

	BAD(EFAULT_, INITAPI, .MAXSOC = N(100), .MAXSNO = fixed(&zeros));
	BAD(EFAULT_, TASK, .STORAGE = "CSECT", .TASK = fixed(&zeros));
	BAD(EFAULT_, INITAPI, .MAXSOC = N(100), .TASK = fixed(&zeros));
	init();
	BAD(EFAULT_, GETCLIENTID, .CLIENT = fixed(&zeros));
	BAD(EFAULT_, GETHOSTNAME, .NAMELEN = fixed(&sixty_four), .NAME = (char[64]){0});
	BAD(EFAULT_, GETHOSTNAME, .NAMELEN = N(64), .NAME = fixed(&zeros));
	make_pair(ends);
	BAD(EFAULT_, GETSOCKNAME, .S = &ends[0], .NAME = fixed(&zeros));
	BAD(EFAULT_, GETSOCKOPT, .S = &ends[0], .OPTNAME = "SO_KEEPALIVE", .OPTVAL = fixed(&zeros),
	    .OPTLEN = N(4));
	BAD(EFAULT_, SELECT, .MAXSOC = N(32), .TIMEOUT = (int[]){0, 0}, .RRETMSK = fixed(&zeros));
	close_pair(ends);
	/* ERRNO and RETCODE themselves. */
	error = retcode = 0x7777;
	CHECK(EZASMI(GETHOSTID, .ERRNO = &error, .RETCODE = fixed(&zeros)) == -1);
	CHECK(error == EFAULT_);
	CHECK(EZASMI(GETHOSTID, .ERRNO = fixed(&zeros), .RETCODE = &retcode) == -1);
	CHECK(retcode == -1);
	term();
}

static void with_ecbs(void)
{
	static const struct ezasmi_ecb never;
	struct ezasmi_ecb ecb = {0};

	init();
	BAD(EFAULT_, GETHOSTID, .ECB = fixed(&never));
	error = retcode = 0x7777;
	CHECK(EZASMI(SELECT, .MAXSOC = N(32), .TIMEOUT = (int[]){30, 0}, .RRETMSK = fixed(&zeros),
		     .ECB = &ecb, .ERRNO = &error, .RETCODE = &retcode) == 0);
	CHECK(vse_ecb_wait((void *[]){&ecb}, 1, 30000) == 0 && retcode == -1 && error == EFAULT_);
	vse_ecb_post(fixed(&never));
	CHECK(!EZASMI_POSTED(&never));
	term();
}

int main(void)
{
	at_once();
	with_ecbs();
	return finish();
}
