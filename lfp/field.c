/* SPDX-License-Identifier: Apache-2.0 */
/* field.c - one parameter of a configuration: its key, what it may be, where it goes */
#include "lfp/field.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <iconv.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "lfp/number.h"
#include "lfp/places.h"

void lfp_fields_init(const struct lfp_field *fields, size_t nr, void *base, size_t size)
{
	char reason[128];

	memset(base, 0, size);
	for (size_t i = 0; i < nr; i++) {
		int rc = 0;

		if (fields[i].initial)
			rc = lfp_field_set(&fields[i], base, fields[i].initial, reason,
					   sizeof(reason));
		assert(rc == 0); /* a default in a table of ours */
		(void)rc;
	}
}

const struct lfp_field *lfp_fields_find(const struct lfp_field *fields, size_t nr, const char *key)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcasecmp(fields[i].key, key))
			return &fields[i];
	}
	return NULL;
}

static int refuse(char *reason, size_t size, const char *text)
{
	snprintf(reason, size, "%s", text);
	return -EINVAL;
}

static int set_number(const struct lfp_field *field, unsigned int *member, const char *text,
		      char *reason, size_t size)
{
	bool is_size = field->kind == LFP_FIELD_SIZE;
	unsigned long value;
	int rc;

	rc = (is_size ? lfp_size : lfp_number)(text, field->min, field->max, &value);
	if (rc == -ERANGE) {
		snprintf(reason, size, "%.40s is not within %u..%u", text, field->min, field->max);
		return -EINVAL;
	}
	if (rc < 0)
		return refuse(reason, size,
			      is_size ? "must be decimal digits, with or without K or M after them"
				      : "must be decimal digits");
	*member = (unsigned int)value;
	return 0;
}

/* iconv's names: no blank, and no '/', which would start a request such as "//IGNORE". */
static bool is_codepage(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-_.:+()";
	const char *pairs[2][2] = {{"UTF-8", name}, {name, "UTF-8"}};
	iconv_t cd;

	if (!*name || strspn(name, letters) != strlen(name))
		return false;
	for (int i = 0; i < 2; i++) {
		cd = iconv_open(pairs[i][0], pairs[i][1]);
		if (cd == (iconv_t)-1)
			return false;
		iconv_close(cd);
	}
	return true;
}

static int set_codepage(char *member, const char *text, char *reason, size_t size)
{
	if (strlen(text) >= LFP_FIELD_CODEPAGE_MAX)
		return refuse(reason, size, "is longer than 31 characters");
	if (!is_codepage(text))
		return refuse(reason, size, "is no code page that iconv knows");
	strcpy(member, text);
	return 0;
}

static int set_ipv4(struct in_addr *member, const char *text, char *reason, size_t size)
{
	struct in_addr addr;
	in_addr_t host;

	if (inet_pton(AF_INET, text, &addr) != 1)
		return refuse(reason, size, "must be an IPv4 address in dotted decimal form");
	host = ntohl(addr.s_addr);
	if (host == INADDR_ANY || host == INADDR_BROADCAST || IN_MULTICAST(host))
		return refuse(reason, size, "must be the address of one host");
	*member = addr;
	return 0;
}

int lfp_field_set(const struct lfp_field *field, void *base, const char *text, char *reason,
		  size_t size)
{
	void *member = (char *)base + field->offset;

	if (!*text)
		return refuse(reason, size, "has no value");
	switch (field->kind) {
	case LFP_FIELD_NAME:
		if (lfp_check_name(text) < 0)
			return refuse(reason, size, "must be 1 to 8 of A-Z 0-9 $ # @ _");
		strcpy(member, text);
		return 0;
	case LFP_FIELD_VMID:
		if (lfp_check_vmid(text) < 0)
			return refuse(reason, size, "must be 1 to 8 of A-Z 0-9 $ # @ _ + - :");
		strcpy(member, text);
		return 0;
	case LFP_FIELD_NN:
		if (lfp_check_nn(text) < 0)
			return refuse(reason, size, "must be two digits");
		strcpy(member, text);
		return 0;
	case LFP_FIELD_NUMBER:
	case LFP_FIELD_SIZE:
		return set_number(field, member, text, reason, size);
	case LFP_FIELD_YESNO:
		if (strcmp(text, "yes") && strcmp(text, "no"))
			return refuse(reason, size, "must be yes or no");
		*(bool *)member = *text == 'y';
		return 0;
	case LFP_FIELD_CODEPAGE:
		return set_codepage(member, text, reason, size);
	case LFP_FIELD_IPV4:
		return set_ipv4(member, text, reason, size);
	}
	return refuse(reason, size, "is of no kind");
}

void lfp_field_print(const struct lfp_field *field, const void *base, FILE *out)
{
	const void *member = (const char *)base + field->offset;
	char addr[INET_ADDRSTRLEN];

	if (lfp_field_absent(field, base))
		return;
	switch (field->kind) {
	case LFP_FIELD_NAME:
	case LFP_FIELD_VMID:
	case LFP_FIELD_NN:
	case LFP_FIELD_CODEPAGE:
		fputs(member, out);
		break;
	case LFP_FIELD_NUMBER:
	case LFP_FIELD_SIZE:
		fprintf(out, "%u", *(const unsigned int *)member);
		break;
	case LFP_FIELD_YESNO:
		fputs(*(const bool *)member ? "yes" : "no", out);
		break;
	case LFP_FIELD_IPV4:
		fputs(inet_ntop(AF_INET, member, addr, sizeof(addr)), out);
		break;
	}
}

bool lfp_field_absent(const struct lfp_field *field, const void *base)
{
	const void *member = (const char *)base + field->offset;

	switch (field->kind) {
	case LFP_FIELD_NUMBER:
	case LFP_FIELD_SIZE:
	case LFP_FIELD_YESNO:
		return false;
	case LFP_FIELD_IPV4:
		return ((const struct in_addr *)member)->s_addr == INADDR_ANY;
	case LFP_FIELD_NAME:
	case LFP_FIELD_VMID:
	case LFP_FIELD_NN:
	case LFP_FIELD_CODEPAGE:
		break;
	}
	return !*(const char *)member;
}
