/* SPDX-License-Identifier: Apache-2.0 */
/* vm.c - the emulated CP of z/VM: may one guest connect to another by IUCV? */
#include "transport/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lfp/places.h"
#include "transport/vm-directory.h"

/* Take place @nr of @vmid. Returns its descriptor, -EAGAIN if it is taken. */
static int take_place(const char *vmid, uint32_t nr)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char file[LFP_PLACE_MAX];
	int fd, rc = lfp_place_vm(file, vmid, nr);

	if (!rc)
		rc = lfp_place_make_parent(file);
	if (rc < 0)
		return rc;
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
		rc = errno == EACCES ? -EAGAIN : -errno;
		close(fd);
		return rc;
	}
	return fd;
}

/* Take a place of @vmid. Returns its descriptor, -EAGAIN if all @maxconn are taken. */
static int take_any_place(const char *vmid, uint32_t maxconn)
{
	int rc = -EAGAIN;

	for (uint32_t nr = 1; nr <= maxconn && rc == -EAGAIN; nr++)
		rc = take_place(vmid, nr);
	return rc;
}

static int take_places(struct vm_path *path, const char *from, const char *to,
		       const struct vm_verdict *verdict, char *why, size_t size)
{
	const char *user[2] = {from, to};
	uint32_t maxconn[2] = {verdict->from_maxconn, verdict->to_maxconn};

	for (int i = 0; i < 2; i++) {
		path->slot[i] = take_any_place(user[i], maxconn[i]);
		if (path->slot[i] == -EAGAIN)
			snprintf(why, size, "%s has as many paths as its OPTION MAXCONN allows, %u",
				 user[i], maxconn[i]);
		else if (path->slot[i] < 0)
			snprintf(why, size, "the paths of %s cannot be counted: %s", user[i],
				 lfp_place_strerror(path->slot[i]));
		if (path->slot[i] < 0)
			return path->slot[i];
	}
	return 0;
}

static int load(const char *file, struct vm_directory **dir, char *why, size_t size)
{
	FILE *in = fopen(file, "re");
	struct lfp_reader_error err;
	int rc;

	if (!in) {
		rc = -errno;
		snprintf(why, size, "%s cannot be read: %s", file, strerror(-rc));
		return rc;
	}
	rc = vm_directory_read(in, file, dir, &err);
	fclose(in);
	if (rc < 0) {
		if (rc == -EINVAL)
			snprintf(why, size, "%s", err.text);
		else
			snprintf(why, size, "%s cannot be read: %s", file, strerror(-rc));
	}
	return rc;
}

int vm_machine(const char *file, struct machine *machine, char *why, size_t size)
{
	char place[LFP_PLACE_MAX];
	struct vm_directory *dir;
	int rc = file ? 0 : lfp_place_vm_directory(place);

	machine_init(machine);
	if (rc < 0) {
		snprintf(why, size, "the directory: %s", lfp_place_strerror(rc));
		return rc;
	}
	rc = load(file ? file : place, &dir, why, size);
	if (rc < 0)
		return rc == -ENOENT && !file ? 0 : rc;
	*machine = *vm_directory_machine(dir);
	vm_directory_free(dir);
	return machine->declared;
}

static int ask(const char *file, const char *from, const char *to, struct vm_verdict *verdict,
	       char *why, size_t size)
{
	struct vm_directory *dir;
	int rc = load(file, &dir, why, size);

	if (rc < 0)
		return rc;
	vm_directory_ask(dir, from, to, verdict);
	vm_directory_free(dir);
	if (verdict->error)
		snprintf(why, size, "in the directory %s %s", file, verdict->why);
	return verdict->error;
}

int vm_connect(struct vm_path *path, const char *from, const char *to, char *why, size_t size)
{
	struct vm_verdict verdict;
	char file[LFP_PLACE_MAX];
	int rc = lfp_place_vm_directory(file);

	*path = (struct vm_path){.slot = {-1, -1}, .msglimit = VM_MSGLIMIT_MAX};
	if (rc < 0) {
		snprintf(why, size, "the directory: %s", lfp_place_strerror(rc));
		return rc;
	}
	if (access(file, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	rc = ask(file, from, to, &verdict, why, size);
	if (rc < 0)
		return rc;
	path->msglimit = verdict.msglimit;
	rc = take_places(path, from, to, &verdict, why, size);
	if (rc < 0)
		vm_disconnect(path);
	return rc;
}

void vm_disconnect(struct vm_path *path)
{
	for (int i = 0; i < 2; i++) {
		if (path->slot[i] >= 0)
			close(path->slot[i]);
		path->slot[i] = -1;
	}
}
