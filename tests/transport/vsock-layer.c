/* SPDX-License-Identifier: Apache-2.0 */
/* vsock-layer.c - AF_VSOCK for unit tests: socket calls that carry it on UNIX sockets in a folder
 */
#include "tests/transport/vsock-layer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

static const char *folder;
static uint32_t peer = VMADDR_CID_HOST;
static int failure;
static long asked_patience, patience;

void vsock_layer_use(const char *path)
{
	folder = path;
}

void vsock_layer_peer(uint32_t cid)
{
	peer = cid;
}

void vsock_layer_fail(int error)
{
	failure = error;
}

long vsock_layer_patience(void)
{
	return patience;
}

static void fill(struct sockaddr_un *un, uint32_t port)
{
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	snprintf(un->sun_path, sizeof(un->sun_path), "%s/%u", folder, port);
}

int socket(int domain, int type, int protocol)
{
	if (domain != AF_VSOCK)
		return (int)syscall(SYS_socket, domain, type, protocol);
	if (!folder) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	asked_patience = 2;
	return (int)syscall(SYS_socket, AF_UNIX, type, protocol);
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_un un;

	if (addr->sa_family != AF_VSOCK)
		return (int)syscall(SYS_bind, fd, addr, len);
	fill(&un, ((const struct sockaddr_vm *)(const void *)addr)->svm_port);
	return (int)syscall(SYS_bind, fd, &un, sizeof(un));
}

int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_un un;

	if (addr->sa_family != AF_VSOCK)
		return (int)syscall(SYS_connect, fd, addr, len);
	if (failure) {
		errno = failure;
		failure = 0;
		return -1;
	}
	patience = asked_patience;
	fill(&un, ((const struct sockaddr_vm *)(const void *)addr)->svm_port);
	return (int)syscall(SYS_connect, fd, &un, sizeof(un));
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct timeval time;

	if (level != AF_VSOCK)
		return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
	if (name != SO_VM_SOCKETS_CONNECT_TIMEOUT || len != sizeof(time)) {
		errno = ENOPROTOOPT;
		return -1;
	}
	memcpy(&time, value, sizeof(time));
	asked_patience = time.tv_sec;
	return 0;
}

/* A caller with the address of AF_VSOCK asks about it. */
int getpeername(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	const struct sockaddr_vm vm = {.svm_family = AF_VSOCK, .svm_cid = peer, .svm_port = 1024};

	if (!folder || *len != sizeof(vm) || syscall(SYS_getpeername, fd, addr, len))
		return (int)syscall(SYS_getpeername, fd, addr, len);
	memcpy(addr, &vm, sizeof(vm));
	*len = sizeof(vm);
	return 0;
}
