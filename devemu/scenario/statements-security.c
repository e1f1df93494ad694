/* SPDX-License-Identifier: Apache-2.0 */
/* statements-security.c - endpoint security: the ends that encrypt, and their key servers */
#include "devemu/scenario/line.h"

#include <errno.h>

#include "devemu/scenario/key.h"
#include "lfp/number.h"

/* One number, the statement's only name. */
static int number(const struct line *line, unsigned long min, unsigned long max, uint32_t *to)
{
	unsigned long value;

	if (names_are(line, 1) < 0)
		return -EINVAL;
	if (lfp_number(line->name[0], min, max, &value) < 0)
		return line_fail(line, "", "'%s' is not in the range %lu to %lu", line->name[0],
				 min, max);
	*to = (uint32_t)value;
	return 0;
}

int statement_fces_frame_bytes(struct config *config, struct line *line)
{
	return number(line, 0, 256, &config->fces_frame_bytes);
}

int statement_fces_key_frames(struct config *config, struct line *line)
{
	return number(line, 1, 4000000000, &config->fces_key_frames);
}

int statement_key_server(struct config *config, struct line *line)
{
	struct key_server_config *to =
		config_add(&config->key_server, &config->key_servers, sizeof(*config->key_server));

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	if (names_are(line, 1) < 0 ||
	    name_text(line, 0, "key server", to->name, sizeof(to->name)) < 0 ||
	    key_text(line, "address", to->address, sizeof(to->address)) < 0 ||
	    key_text(line, "keys", to->keys, sizeof(to->keys)) < 0)
		return -EINVAL;
	if (*to->address && !*to->keys)
		return line_fail(line, "keys", "a file with the secrets of the ends is required");
	if (*to->keys && !*to->address)
		return line_fail(line, "address", "the address of the server is required");
	return 0;
}

int key_fces(struct line *line, enum fces_policy *policy, char key_server[CONFIG_NAME_MAX])
{
	static const char *const words[] = {
		[FCES_NO] = "no", [FCES_YES] = "yes", [FCES_REQUIRED] = "required", NULL};
	unsigned int index = FCES_NO;

	if (key_word(line, "fces", words, &index) < 0 ||
	    key_text(line, "key-server", key_server, CONFIG_NAME_MAX) < 0)
		return -EINVAL;
	if (*key_server && index == FCES_NO)
		return line_fail(line, "key-server", "requires fces=yes or fces=required");
	*policy = (enum fces_policy)index;
	return 0;
}
