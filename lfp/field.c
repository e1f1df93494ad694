/* SPDX-License-Identifier: Apache-2.0 */
/* field.c - one parameter of a configuration: its key, its range, its place */
#include "lfp/field.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <iconv.h>
#include <limits.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "lfp/accounts.h"
#include "lfp/endpoint.h"
#include "lfp/number.h"
#include "lfp/places.h"
#include "lfp/publish.h"

void lfp_fields_init(const struct lfp_field *fields, size_t nr, void *base, size_t size)
{
	char reason[128];

	memset(base, 0, size);
	for (size_t i = 0; i < nr; i++) {
		int rc = 0;

		if (fields[i].initial && fields[i].kind == LFP_FIELD_CODEPAGE)
			snprintf((char *)base + fields[i].offset, LFP_FIELD_CODEPAGE_MAX, "%s",
				 fields[i].initial);
		else if (fields[i].initial)
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
			      is_size ? "must be decimal digits, optionally followed by K or M"
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
		return refuse(reason, size, "is not a code page that iconv knows");
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

static int set_ipv6(struct in6_addr *member, const char *text, char *reason, size_t size)
{
	struct in6_addr addr;

	if (inet_pton(AF_INET6, text, &addr) != 1)
		return refuse(reason, size, "must be an IPv6 address");
	/* A link-local address is unusable without its interface. */
	if (IN6_IS_ADDR_UNSPECIFIED(&addr) || IN6_IS_ADDR_MULTICAST(&addr) ||
	    IN6_IS_ADDR_V4MAPPED(&addr) || IN6_IS_ADDR_LINKLOCAL(&addr))
		return refuse(reason, size, "must be the address of one host, and not link-local");
	*member = addr;
	return 0;
}

static int set_choice(const struct lfp_field *field, unsigned int *member, const char *text,
		      char *reason, size_t size)
{
	size_t len = strlen(text);
	unsigned int nr = 0;

	for (const char *word = field->choices; *word; nr++) {
		size_t word_len = strcspn(word, " ");

		if (word_len == len && !memcmp(word, text, len)) {
			*member = nr;
			return 0;
		}
		word += word_len + (word[word_len] == ' ');
	}
	snprintf(reason, size, "must be %s: %s", strchr(field->choices, ' ') ? "one of" : "this",
		 field->choices);
	return -EINVAL;
}

static void print_choice(const struct lfp_field *field, unsigned int nr, FILE *out)
{
	const char *word = field->choices;

	for (; nr; nr--)
		word += strcspn(word, " ") + 1;
	fprintf(out, "%.*s", (int)strcspn(word, " "), word);
}

/* A name of the host's user database, or a number. */
static int set_id(enum lfp_field_kind kind, struct lfp_id *member, const char *text, char *reason,
		  size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-_.";
	const char *what = kind == LFP_FIELD_USER ? "user" : "group";
	unsigned long number;
	struct lfp_id id;
	uint32_t found;

	if (strlen(text) > LFP_FIELD_ID_MAX || strspn(text, letters) != strlen(text)) {
		snprintf(reason, size, "must be the name or the number of a %s", what);
		return -EINVAL;
	}
	memset(&id, 0, sizeof(id)); /* structs are compared as bytes */
	if (!lfp_number(text, 0, UINT_MAX - 1, &number)) {
		found = (uint32_t)number;
	} else if (!(kind == LFP_FIELD_USER ? lfp_accounts_user : lfp_accounts_group)(text,
										      &found) ||
		   found == UINT_MAX) {
		snprintf(reason, size, "%s is not a %s of this host", text, what);
		return -EINVAL;
	}
	id.id = found;
	strcpy(id.name, text);
	memcpy(member, &id, sizeof(id));
	return 0;
}

static int set_place(char *member, const char *text, size_t most, char *reason, size_t size)
{
	size_t len = strlen(text);

	if (*text != '/' || text[len - 1] == '/')
		return refuse(reason, size, "must be the absolute path of a file");
	if (len >= most) {
		snprintf(reason, size, "is longer than %zu bytes", most - 1);
		return -EINVAL;
	}
	strcpy(member, text);
	return 0;
}

static int set_publish(char *member, const char *text, char *reason, size_t size)
{
	struct lfp_publish_list list;

	if (strlen(text) >= LFP_FIELD_FILE_MAX) {
		snprintf(reason, size, "is longer than %d bytes", LFP_FIELD_FILE_MAX - 1);
		return -EINVAL;
	}
	if (lfp_publish_parse(&list, text, reason, size))
		return -EINVAL;
	strcpy(member, text);
	return 0;
}

static int set_log(char *member, const char *text, char *reason, size_t size)
{
	if (strcmp(text, "journal") && strcmp(text, "memory") && *text != '/')
		return refuse(reason, size,
			      "must be journal, memory or the absolute path of a file");
	if (*text == '/')
		return set_place(member, text, LFP_FIELD_PLACE_MAX, reason, size);
	strcpy(member, text);
	return 0;
}

static int set_endpoint(char *member, const char *text, char *reason, size_t size)
{
	struct sockaddr_storage addr;
	socklen_t len;

	if (strlen(text) >= LFP_FIELD_PLACE_MAX || lfp_endpoint(text, &addr, &len))
		return refuse(reason, size,
			      "must be an absolute path of at most 107 bytes, a port, "
			      "127.0.0.1:PORT or [::1]:PORT");
	strcpy(member, text);
	return 0;
}

/* The characters that the kernel allows in the name of an interface, but those that would need
 * quotes in the file. */
static int set_interface(char *member, const char *text, char *reason, size_t size)
{
	size_t len = strlen(text);

	for (const char *at = text; *at; at++)
		if (*at <= ' ' || *at > '~' || strchr("/:#;\"'", *at))
			len = 0;
	if (!len || len >= LFP_FIELD_IF_MAX || !strcmp(text, ".") || !strcmp(text, ".."))
		return refuse(reason, size, "must be the name of a network interface");
	strcpy(member, text);
	return 0;
}

/* No other characters, so that the value needs no escapes in a unit of systemd. */
static int set_netns(char *member, const char *text, char *reason, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_.-+:@=,";
	const char *at = text;

	while (*at == '/' || (*at && strchr(letters, *at)))
		at++;
	if (*at || (*text != '/' && strchr(text, '/')) || text[strlen(text) - 1] == '/' ||
	    !strcmp(text, ".") || !strcmp(text, ".."))
		return refuse(reason, size,
			      "must be a name below /run/netns or an absolute path, of letters, "
			      "digits and _.-+:@=,");
	if (strlen(text) >= LFP_FIELD_PLACE_MAX)
		return refuse(reason, size, "is longer than 107 bytes");
	strcpy(member, text);
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
	case LFP_FIELD_IPV6:
		return set_ipv6(member, text, reason, size);
	case LFP_FIELD_CHOICE:
		return set_choice(field, member, text, reason, size);
	case LFP_FIELD_USER:
	case LFP_FIELD_GROUP:
		return set_id(field->kind, member, text, reason, size);
	case LFP_FIELD_PLACE:
		return set_place(member, text, LFP_FIELD_PLACE_MAX, reason, size);
	case LFP_FIELD_FILE:
		return set_place(member, text, LFP_FIELD_FILE_MAX, reason, size);
	case LFP_FIELD_PUBLISH:
		return set_publish(member, text, reason, size);
	case LFP_FIELD_LOG:
		return set_log(member, text, reason, size);
	case LFP_FIELD_ENDPOINT:
		return set_endpoint(member, text, reason, size);
	case LFP_FIELD_INTERFACE:
		return set_interface(member, text, reason, size);
	case LFP_FIELD_NETNS:
		return set_netns(member, text, reason, size);
	}
	return refuse(reason, size, "has an unknown kind");
}

void lfp_field_print(const struct lfp_field *field, const void *base, FILE *out)
{
	const void *member = (const char *)base + field->offset;
	char addr[INET6_ADDRSTRLEN];

	if (lfp_field_absent(field, base))
		return;
	switch (field->kind) {
	case LFP_FIELD_NAME:
	case LFP_FIELD_VMID:
	case LFP_FIELD_NN:
	case LFP_FIELD_CODEPAGE:
	case LFP_FIELD_PLACE:
	case LFP_FIELD_FILE:
	case LFP_FIELD_LOG:
	case LFP_FIELD_PUBLISH:
	case LFP_FIELD_ENDPOINT:
	case LFP_FIELD_INTERFACE:
	case LFP_FIELD_NETNS:
	case LFP_FIELD_USER: /* its first member */
	case LFP_FIELD_GROUP:
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
	case LFP_FIELD_IPV6:
		fputs(inet_ntop(AF_INET6, member, addr, sizeof(addr)), out);
		break;
	case LFP_FIELD_CHOICE:
		print_choice(field, *(const unsigned int *)member, out);
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
	case LFP_FIELD_CHOICE:
		return false;
	case LFP_FIELD_IPV4:
		return ((const struct in_addr *)member)->s_addr == INADDR_ANY;
	case LFP_FIELD_IPV6:
		return IN6_IS_ADDR_UNSPECIFIED((const struct in6_addr *)member);
	case LFP_FIELD_NAME:
	case LFP_FIELD_VMID:
	case LFP_FIELD_NN:
	case LFP_FIELD_CODEPAGE:
	case LFP_FIELD_USER:
	case LFP_FIELD_GROUP:
	case LFP_FIELD_PLACE:
	case LFP_FIELD_FILE:
	case LFP_FIELD_LOG:
	case LFP_FIELD_PUBLISH:
	case LFP_FIELD_ENDPOINT:
	case LFP_FIELD_INTERFACE:
	case LFP_FIELD_NETNS:
		break;
	}
	return !*(const char *)member;
}

static size_t member_size(const struct lfp_field *field)
{
	switch (field->kind) {
	case LFP_FIELD_NAME:
	case LFP_FIELD_VMID:
		return 9;
	case LFP_FIELD_NN:
		return 3;
	case LFP_FIELD_CODEPAGE:
		return LFP_FIELD_CODEPAGE_MAX;
	case LFP_FIELD_NUMBER:
	case LFP_FIELD_SIZE:
	case LFP_FIELD_CHOICE:
		return sizeof(unsigned int);
	case LFP_FIELD_YESNO:
		return sizeof(bool);
	case LFP_FIELD_IPV4:
		return sizeof(struct in_addr);
	case LFP_FIELD_IPV6:
		return sizeof(struct in6_addr);
	case LFP_FIELD_USER:
	case LFP_FIELD_GROUP:
		return sizeof(struct lfp_id);
	case LFP_FIELD_PLACE:
	case LFP_FIELD_LOG:
	case LFP_FIELD_ENDPOINT:
	case LFP_FIELD_NETNS:
		return LFP_FIELD_PLACE_MAX;
	case LFP_FIELD_FILE:
	case LFP_FIELD_PUBLISH:
		return LFP_FIELD_FILE_MAX;
	case LFP_FIELD_INTERFACE:
		return LFP_FIELD_IF_MAX;
	}
	return 0;
}

bool lfp_field_equal(const struct lfp_field *field, const void *a, const void *b)
{
	return !memcmp((const char *)a + field->offset, (const char *)b + field->offset,
		       member_size(field));
}

void lfp_field_copy(const struct lfp_field *field, void *to, const void *from)
{
	memcpy((char *)to + field->offset, (const char *)from + field->offset, member_size(field));
}
