/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - type CONTROL: questions about hosts and addresses; SEND asks, RECEIVE answers */
#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/csi/control-file.h"
#include "libvsesock/csi/functions.h"
#include "libvsesock/vse/values.h"

#define COMMAND_MAX 16
#define NAME_LEN    255
#define RESULT_MAX  256

struct result {
	char data[RESULT_MAX];
	size_t len;
};

/* A command. @operand has the length that the program says, and a NUL behind it; a name or text is
 * without the blanks at its end. Returns 0 or a negative error. */
typedef int command(struct result *result, const char *operand, size_t len);

static int give(struct result *result, const void *data, size_t len)
{
	memcpy(result->data, data, len);
	result->len = len;
	return 0;
}

static int give_text(struct result *result, const char *text)
{
	size_t len = strlen(text);

	return give(result, text, len < RESULT_MAX ? len : RESULT_MAX);
}

static int get_host_by_name(struct result *result, const char *operand, size_t len)
{
	const struct hostent *host;

	if (!len)
		return -EINVAL;
	host = gethostbyname(operand);
	return host ? give(result, host->h_addr_list[0], 4) : -ENOENT;
}

static int get_host_by_addr(struct result *result, const char *operand, size_t len)
{
	const struct hostent *host;

	if (len != 4 && len != 16)
		return -EINVAL;
	host = gethostbyaddr(operand, (socklen_t)len, len == 4 ? AF_INET : AF_INET6);
	return host ? give_text(result, host->h_name) : -ENOENT;
}

static int get_host_name(struct result *result, const char *operand, size_t len)
{
	char text[RESULT_MAX];

	(void)operand;
	(void)len;
	if (gethostname(text, sizeof(text)))
		return -errno;
	text[sizeof(text) - 1] = '\0';
	return give_text(result, text);
}

static int get_host_id(struct result *result, const char *operand, size_t len)
{
	uint32_t address = (uint32_t)gethostid();

	(void)operand;
	(void)len;
	return give(result, &address, sizeof(address));
}

static int to_text(struct result *result, const char *operand, size_t len)
{
	char text[INET6_ADDRSTRLEN];

	if (len != 4 && len != 16)
		return -EINVAL;
	if (!inet_ntop(len == 4 ? AF_INET : AF_INET6, operand, text, sizeof(text)))
		return -errno;
	return give_text(result, text);
}

static int from_text(struct result *result, const char *operand, size_t len)
{
	unsigned char address[16];

	(void)len;
	if (inet_pton(AF_INET, operand, address) == 1)
		return give(result, address, 4);
	return inet_pton(AF_INET6, operand, address) == 1 ? give(result, address, 16) : -EINVAL;
}

static int get_vendor(struct result *result, const char *operand, size_t len)
{
	(void)operand;
	(void)len;
	return give_text(result, "vselfpd " VSELFPD_VERSION);
}

static const struct {
	const char *name;
	command *command;
	bool text, answers; /* the operand is characters, the answer is */
} commands[] = {
	{"GETHOSTBYNAME", get_host_by_name, true, false},
	{"GETHOSTBYADDR", get_host_by_addr, false, true},
	{"GETHOSTNAME", get_host_name, false, true},
	{"GETHOSTID", get_host_id, false, false},
	{"NTOP", to_text, false, true},
	{"PTON", from_text, true, false},
	{"GETVENDORINFO", get_vendor, false, true},
};

const char *csi_command_at(size_t i)
{
	return i < sizeof(commands) / sizeof(commands[0]) ? commands[i].name : NULL;
}

/* Ends a text before its blanks. Returns its length. */
static size_t trim(char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
	return len;
}

/* Runs a command by its name; 0 or a negative error. */
static int run(const struct csi_call *call, struct result *result, const char *name, char *operand,
	       size_t len)
{
	int rc;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		if (commands[i].text && call->form)
			call->form->take(operand, len);
		if (commands[i].text)
			len = trim(operand, len);
		rc = commands[i].command(result, operand, len);
		if (!rc && commands[i].answers && call->form)
			call->form->give(result->data, result->len);
		return rc;
	}
	return -EOPNOTSUPP;
}

int csi_control_open(struct csi_call *call)
{
	int rc = csi_enter(call), fd;

	if (rc < 0)
		return rc;
	fd = csi_file_make(call->job.nn);
	if (fd < 0)
		return fd;
	rc = vse_add(call->job.api, fd, -1);
	if (rc < 0)
		return rc;
	call->said.DESC = rc;
	return 0;
}

int csi_control_send(struct csi_call *call)
{
	char name[COMMAND_MAX + 1] = "", operand[NAME_LEN + 1] = "";
	struct result result;
	size_t len = (size_t)call->said.LENGTH;
	int rc = csi_find(call), cleared;

	if (!rc)
		rc = csi_check_buf(call);
	if (!rc && len > NAME_LEN)
		rc = -EINVAL;
	if (!rc && !call->said.COMMAND)
		rc = -EINVAL;
	if (!rc) {
		rc = vse_text(name, COMMAND_MAX, call->said.COMMAND);
		rc = rc < 0 ? rc : 0;
	}
	if (rc < 0)
		return rc;
	if (len)
		memcpy(operand, call->said.BUF, len);
	rc = run(call, &result, name, operand, len);
	/* An answer that was not received is dropped. */
	cleared = csi_file_clear(call->job.fd);
	if (cleared < 0)
		return cleared;
	return rc < 0 ? rc : csi_file_store(call->job.fd, result.data, result.len);
}

int csi_control_receive(struct csi_call *call)
{
	int rc = csi_find(call), len;
	char data[RESULT_MAX];

	if (!rc)
		rc = csi_check_buf(call);
	if (rc < 0)
		return rc;
	len = csi_file_waiting(call->job.fd);
	if (!len)
		return -ENODATA;
	if (len > call->said.LENGTH)
		return -EMSGSIZE;
	if (memory_check_result(call->said.BUF, (size_t)len))
		return -EFAULT;
	rc = csi_file_read(call->job.fd, data, (size_t)len);
	if (rc < 0)
		return rc;
	memcpy(call->said.BUF, data, (size_t)len);
	rc = csi_file_clear(call->job.fd);
	return rc < 0 ? rc : len;
}
