/* SPDX-License-Identifier: Apache-2.0 */
/* credit-page.c - the page of memory in which a program finds its credit */
#include "ijblfp/ctl/credit-page.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/ctl.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* Linux 5.1; older headers do not have it */
#endif

static int map(int file, struct lfp_credit **page)
{
	void *at = mmap(NULL, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (at == MAP_FAILED)
		return -errno;
	*page = at;
	return 0;
}

int credit_page_make(struct lfp_credit **page)
{
	static const struct lfp_credit nothing;
	int file = memfd_create("lfp-credit", MFD_CLOEXEC | MFD_ALLOW_SEALING), rc = 0;

	if (file < 0)
		return -errno;
	if (ftruncate(file, LFP_CREDIT_SIZE) ||
	    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) ||
	    pwrite(file, &nothing, sizeof(nothing), 0) != sizeof(nothing))
		rc = -errno;
	if (!rc)
		rc = map(file, page);
	if (!rc)
		return file;
	close(file);
	return rc;
}

int credit_page_seal(int file)
{
	struct stat st;

	if (fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) || fstat(file, &st))
		return -errno;
	return st.st_blocks ? 0 : -EINVAL;
}
