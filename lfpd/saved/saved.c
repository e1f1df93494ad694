/* SPDX-License-Identifier: Apache-2.0 */
/* saved.c - what a suspended lfpd leaves for its successor: writing and reading records */
#include "lfpd/saved/saved.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define RECORD_HEAD 8u
#define FIXED_MAX   512u /* of the fields before `bytes` */

enum type { T_u8, T_u16, T_u32, T_u64, T_i32, T_name8, T_addr, T_meta, T_bytes };

struct field {
	enum type type;
	size_t offset; /* in the C struct */
	int64_t min;
	uint64_t max;
	const char *bad;
};

struct layout {
	const struct field *fields;
	size_t nr;
};

#define FIELD(record, kind, name, min_, max_)                                                      \
	{                                                                                          \
		.type = T_##kind,                                                                  \
		.offset = offsetof(struct saved_##record, name),                                   \
		.min = (int64_t)(min_),                                                            \
		.max = (uint64_t)(int64_t)(max_),                                                  \
		.bad = "bad " #name " in a record of " #record,                                    \
	},
#define TABLE(record, number)                                                                      \
	static const struct field fields_##record[] = {SAVED_FIELDS_##record(FIELD, record)};
SAVED_RECORDS(TABLE)

static const struct layout layouts[] = {
#define LAYOUT(record, number)                                                                     \
	[number] = {fields_##record, sizeof(fields_##record) / sizeof(struct field)},
	SAVED_RECORDS(LAYOUT)
#undef LAYOUT
};

static const struct layout *layout_of(unsigned int kind)
{
	if (!kind || kind >= sizeof(layouts) / sizeof(layouts[0]))
		return NULL;
	return &layouts[kind];
}

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = size; i--; value >>= 8)
		at[i] = (uint8_t)value;
}

static uint64_t get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

/* Bytes of a field; 0 for the rest of the record. */
static size_t size_of(enum type type)
{
	static const uint8_t sizes[] = {
		[T_u8] = 1,
		[T_u16] = 2,
		[T_u32] = 4,
		[T_u64] = 8,
		[T_i32] = 4,
		[T_name8] = 8,
		[T_addr] = LFP_ADDR_SIZE,
		[T_meta] = LFP_META_SIZE,
		[T_bytes] = 0,
	};

	return sizes[type];
}

/* Offset of the union in struct saved_record. */
static const uint8_t *body_of(const struct saved_record *record)
{
	return (const uint8_t *)&record->session;
}

static bool in_range(const struct field *field, uint64_t value)
{
	if (field->type == T_i32)
		return (int32_t)(uint32_t)value >= field->min &&
		       (int64_t)(int32_t)(uint32_t)value <= (int64_t)field->max;
	return value >= (uint64_t)field->min && value <= field->max;
}

int saved_put_head(FILE *out)
{
	uint8_t head[SAVED_HEAD] = SAVED_MAGIC;

	put(head + 8, SAVED_VERSION, 4);
	return fwrite(head, sizeof(head), 1, out) == 1 ? 0 : -EIO;
}

static bool put_name8(uint8_t *at, const char *name)
{
	size_t len = strnlen(name, 9);

	if (len > 8)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	memset(at, ' ', 8);
	memcpy(at, name, len);
	return true;
}

/* Integers are read from their C type. */
static uint64_t value_at(const struct field *field, const uint8_t *member)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size_of(field->type)) {
	case 1:
		return *member;
	case 2:
		memcpy(&v16, member, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, member, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, member, sizeof(v64));
		return v64;
	}
}

static bool put_field(const struct field *field, const uint8_t *member, uint8_t *at)
{
	struct lfp_addr addr;
	struct lfp_meta meta;
	uint64_t value;

	switch (field->type) {
	case T_name8:
		return put_name8(at, (const char *)member);
	case T_addr:
		lfp_addr_put((const struct lfp_addr *)(const void *)member, at);
		return !lfp_addr_get(at, &addr);
	case T_meta:
		lfp_meta_put((const struct lfp_meta *)(const void *)member, at);
		return !lfp_meta_get(at, &meta);
	case T_bytes:
		value = ((const struct lfp_bytes *)(const void *)member)->len;
		return in_range(field, value);
	default:
		value = value_at(field, member);
		put(at, value, size_of(field->type));
		return in_range(field, value);
	}
}

int saved_put(FILE *out, const struct saved_record *record)
{
	const struct layout *layout = layout_of(record->kind);
	const struct lfp_bytes *rest = NULL;
	uint8_t head[RECORD_HEAD + FIXED_MAX] = {0}, *at = head + RECORD_HEAD;

	if (!layout)
		return -EINVAL;
	for (size_t i = 0; i < layout->nr; i++) {
		const struct field *field = &layout->fields[i];
		const uint8_t *member = body_of(record) + field->offset;

		if (!put_field(field, member, at))
			return -EINVAL;
		if (field->type == T_bytes)
			rest = (const struct lfp_bytes *)(const void *)member;
		at += size_of(field->type);
	}
	put(head, record->kind, 2);
	put(head + 4, (uint64_t)(at - head) + (rest ? rest->len : 0), 4);
	if (fwrite(head, (size_t)(at - head), 1, out) != 1)
		return -EIO;
	if (rest && rest->len && fwrite(rest->ptr, rest->len, 1, out) != 1)
		return -EIO;
	return 0;
}

int saved_put_frame(FILE *out, enum saved_role role, const struct lfp_frame *frame)
{
	static uint8_t buf[131072];
	struct saved_record record = {
		.kind = SAVED_RECORD_frame,
		.frame = {.role = (uint8_t)role, .frame = {.ptr = buf}},
	};
	int n = lfp_frame_encode(frame, buf, sizeof(buf));

	if (n < 0)
		return -EINVAL;
	record.frame.frame.len = (uint32_t)n;
	return saved_put(out, &record);
}

int saved_open(struct saved_reader *reader, const uint8_t *bytes, size_t len, const char **why)
{
	memset(reader, 0, sizeof(*reader));
	*why = "it is not a saved state";
	if (len < SAVED_HEAD || memcmp(bytes, SAVED_MAGIC, 8) != 0)
		return -EPROTO;
	*why = "it has another version";
	if (get(bytes + 8, 4) != SAVED_VERSION)
		return -EPROTONOSUPPORT;
	*why = "its header has unknown values";
	if (get(bytes + 12, 4))
		return -EPROTO;
	reader->at = bytes + SAVED_HEAD;
	reader->left = len - SAVED_HEAD;
	return 0;
}

static bool get_name8(const uint8_t *at, char *out)
{
	size_t len = 8;

	while (len && at[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len; i++)
		if (at[i] <= ' ' || at[i] > '~')
			return false;
	memcpy(out, at, len);
	memset(out + len, 0, 9 - len);
	return true;
}

static bool get_integer(const struct field *field, const uint8_t *at, uint8_t *member)
{
	uint64_t value = get(at, size_of(field->type));
	uint32_t v32 = (uint32_t)value;
	uint16_t v16 = (uint16_t)value;

	switch (size_of(field->type)) {
	case 1:
		*member = (uint8_t)value;
		break;
	case 2:
		memcpy(member, &v16, sizeof(v16));
		break;
	case 4:
		memcpy(member, &v32, sizeof(v32));
		break;
	default:
		memcpy(member, &value, sizeof(value));
		break;
	}
	return in_range(field, value);
}

/* @len: bytes from @at to the end of the record. */
static bool get_field(const struct field *field, const uint8_t *at, size_t len, uint8_t *member)
{
	struct lfp_bytes *bytes;

	switch (field->type) {
	case T_name8:
		return get_name8(at, (char *)member);
	case T_addr:
		return !lfp_addr_get(at, (struct lfp_addr *)(void *)member);
	case T_meta:
		return !lfp_meta_get(at, (struct lfp_meta *)(void *)member);
	case T_bytes:
		bytes = (struct lfp_bytes *)(void *)member;
		*bytes = (struct lfp_bytes){.ptr = at, .len = (uint32_t)len};
		return in_range(field, len);
	default:
		return get_integer(field, at, member);
	}
}

static int get_fields(const struct layout *layout, const uint8_t *at, size_t len, uint8_t *body,
		      const char **why)
{
	bool rest = false;

	for (size_t i = 0; i < layout->nr; i++) {
		const struct field *field = &layout->fields[i];
		size_t size = size_of(field->type);

		*why = field->bad;
		if (size > len || !get_field(field, at, len, body + field->offset))
			return -EPROTO;
		at += size;
		len -= size;
		rest |= field->type == T_bytes;
	}
	*why = "a record that is too long";
	return len && !rest ? -EPROTO : 0;
}

int saved_next(struct saved_reader *reader, struct saved_record *record, const char **why)
{
	const struct layout *layout;
	unsigned int kind;
	size_t len;
	int rc;

	*why = "it is truncated";
	if (reader->left < RECORD_HEAD)
		return -EPROTO;
	kind = (unsigned int)get(reader->at, 2);
	len = get(reader->at + 4, 4);
	if (len < RECORD_HEAD || len > reader->left)
		return -EPROTO;
	*why = "a record of unknown kind";
	layout = layout_of(kind);
	if (!layout || get(reader->at + 2, 2))
		return -EPROTO;
	memset(record, 0, sizeof(*record));
	record->kind = (enum saved_kind)kind;
	rc = get_fields(layout, reader->at + RECORD_HEAD, len - RECORD_HEAD,
			(uint8_t *)&record->session, why);
	if (rc)
		return rc;
	reader->at += len;
	reader->left -= len;
	reader->records++;
	rc = saved_check(reader, record, why);
	if (rc)
		return rc;
	reader->last = record->kind;
	return record->kind != SAVED_RECORD_end;
}

void saved_get_frame(const struct saved_frame *saved, struct lfp_frame *frame)
{
	const char *why;

	(void)lfp_frame_decode(saved->frame.ptr, saved->frame.len, saved_side(saved->role), frame,
			       &why);
}
