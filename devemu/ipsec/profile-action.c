/* SPDX-License-Identifier: Apache-2.0 */
/* profile-action.c - algorithms and keys of an IpManVpnAction */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "devemu/ipsec/profile-inner.h"
#include "lfp/number.h"

/* "KeyLength 128" behind the name, or nothing, for the least. */
static int key_length(struct profile *profile, unsigned int *keylen)
{
	unsigned long bits = 128;

	if (profile->words == 2) {
		*keylen = 16;
		return 0;
	}
	if (profile->words != 4 || strcasecmp(profile->word[2], "KeyLength") ||
	    lfp_number(profile->word[3], 128, 256, &bits) < 0 || bits % 64)
		return profile_fail(profile, "needs KeyLength 128, 192 or 256 behind %s",
				    profile->word[1]);
	*keylen = (unsigned int)bits / 8;
	return 0;
}

int profile_encrypt(struct profile *profile)
{
	struct algorithms *to = &profile->pending.common.algorithms;
	const char *name = profile->words > 1 ? profile->word[1] : "";

	to->keylen = 0;
	if (profile->words == 2 && !strcasecmp(name, "DoNot"))
		to->encr = ENCR_NONE;
	else if (profile->words == 2 && !strcasecmp(name, "NULL"))
		to->encr = ENCR_NULL;
	else if (profile->words == 2 && !strcasecmp(name, "3DES"))
		to->encr = ENCR_3DES_CBC, to->keylen = 24;
	else if (!strcasecmp(name, "AES_CBC"))
		to->encr = ENCR_AES_CBC;
	else if (!strcasecmp(name, "AES_GCM_16"))
		to->encr = ENCR_AES_GCM;
	else
		return profile_fail(profile, "needs AES_CBC, AES_GCM_16, 3DES, NULL or DoNot");
	if (to->encr == ENCR_AES_CBC || to->encr == ENCR_AES_GCM)
		return key_length(profile, &to->keylen);
	if (to->encr == ENCR_3DES_CBC && !profile->weak)
		return profile_fail(profile, "3DES needs AllowWeak Yes at the top of the file");
	return 0;
}

int profile_auth(struct profile *profile)
{
	static const struct {
		const char *name;
		enum auth auth;
	} known[] = {{"HMAC_MD5", AUTH_MD5_96},
		     {"HMAC_SHA1", AUTH_SHA1_96},
		     {"HMAC_SHA2_256_128", AUTH_SHA2_128},
		     {"NULL", AUTH_NONE}};
	struct sa_config *to = &profile->pending.common;

	if (profile->words != 3 ||
	    (strcasecmp(profile->word[1], "ESP") && strcasecmp(profile->word[1], "AH")))
		return profile_fail(profile, "needs ESP or AH, and an algorithm");
	to->ah = !strcasecmp(profile->word[1], "AH");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcasecmp(profile->word[2], known[i].name)) {
			to->algorithms.auth = known[i].auth;
			if (known[i].auth == AUTH_MD5_96 && !profile->weak)
				return profile_fail(
					profile,
					"HMAC_MD5 needs AllowWeak Yes at the top of the file");
			return 0;
		}
	return profile_fail(profile, "'%s' is none of HMAC_SHA2_256_128, HMAC_SHA1, HMAC_MD5, NULL",
			    profile->word[2]);
}

static int nibble(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/* "0x" and an even number of hexadecimal digits. Returns the bytes, or -1. */
static int read_key(const char *text, uint8_t *key, size_t room)
{
	size_t len = strlen(text);

	if (len < 4 || len % 2 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return -1;
	text += 2;
	len = len / 2 - 1;
	for (size_t i = 0; i < len; i++) {
		const int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);

		if (high < 0 || low < 0 || i == room)
			return -1;
		key[i] = (uint8_t)(high << 4 | low);
	}
	return (int)len;
}

/* "spi key". A message never has the key, nor a word that might be one. */
int profile_key(struct profile *profile, unsigned int which)
{
	struct profile_key *key = &profile->pending.key[profile->pending.generations - 1][which];
	unsigned long spi;
	int len;

	if (key->given)
		return profile_fail(profile, "appears twice");
	if (profile->block[profile->depth] == BLOCK_ACTION && profile->pending.generations > 1)
		return profile_fail(profile, "must come before the first Replacement");
	if (profile->words != 3 ||
	    lfp_number(profile->word[1], POLICY_SPI_MIN, UINT32_MAX, &spi) < 0)
		return profile_fail(profile, "needs an SPI from %d to %u and a key", POLICY_SPI_MIN,
				    UINT32_MAX);
	len = read_key(profile->word[2], key->key, sizeof(key->key));
	if (len < 0)
		return profile_fail(profile, "the key is not 0x and pairs of hexadecimal digits");
	key->given = true;
	key->spi = (uint32_t)spi;
	key->len = (unsigned int)len;
	return 0;
}

static int check_key(struct profile *profile, const struct profile_key *key, const char *word,
		     unsigned int len)
{
	if (len && !key->given)
		return profile_fail(profile, "%s needs %s", profile->action->name, word);
	if (!len && key->given)
		return profile_fail(profile, "%s has %s without an algorithm for it",
				    profile->action->name, word);
	if (key->given && key->len != len)
		return profile_fail(profile, "%s: the key of %s has %u bytes and needs %u",
				    profile->action->name, word, key->len, len);
	return 0;
}

/* AH's part of @to, in transport mode around ESP's, goes to @ah. */
static void split(struct sa_config *to, uint32_t esp_spi, struct sa_config *ah)
{
	*ah = *to;
	ah->mode = SA_TRANSPORT;
	ah->algorithms = (struct algorithms){.auth = to->algorithms.auth};
	memcpy(ah->algorithms.auth_key, to->algorithms.auth_key, KEY_MAX);
	to->ah = false;
	to->in_ah = true;
	to->spi = esp_spi;
	to->algorithms.auth = AUTH_NONE;
	explicit_bzero(to->algorithms.auth_key, KEY_MAX);
}

/* One direction of one generation. With AH and encryption, @to becomes ESP's and @ah AH's. */
static int fill(struct profile *profile, const struct profile_key *auth,
		const struct profile_key *encrypt, bool inbound, struct sa_config *to,
		struct sa_config *ah)
{
	const struct profile_action *pending = &profile->pending;
	const struct algorithms *algorithms = &pending->common.algorithms;
	const unsigned int salt = algorithms->encr == ENCR_AES_GCM ? SALT : 0;

	*to = pending->common;
	to->inbound = inbound;
	to->src = inbound ? pending->remote : pending->local;
	to->dst = inbound ? pending->local : pending->remote;
	strcpy(to->name, profile->action->name);
	if (check_key(profile, auth, inbound ? "AuthInboundSa" : "AuthOutboundSa",
		      auth_key_len(algorithms->auth)) < 0 ||
	    check_key(profile, encrypt, inbound ? "EncryptInboundSa" : "EncryptOutboundSa",
		      algorithms->keylen + salt) < 0)
		return -EINVAL;
	if (!to->ah && auth->given && encrypt->given && auth->spi != encrypt->spi)
		return profile_fail(profile, "%s: the two keys of an SA have different SPIs",
				    profile->action->name);
	to->spi = auth->given ? auth->spi : encrypt->spi;
	memcpy(to->algorithms.auth_key, auth->key, KEY_MAX);
	memcpy(to->algorithms.key, encrypt->key, algorithms->keylen);
	memcpy(to->algorithms.salt, encrypt->key + algorithms->keylen, salt);
	if (profile->action->around)
		split(to, encrypt->spi, ah);
	return 0;
}

static int check_action(struct profile *profile)
{
	const struct profile_action *pending = &profile->pending;
	const struct sa_config *common = &pending->common;
	const char *name = profile->action->name;

	if (!pending->local.version || !pending->remote.version)
		return profile_fail(profile, "%s needs both addresses of endpoints", name);
	if (pending->local.version != pending->remote.version)
		return profile_fail(profile, "%s: one endpoint is IPv4, the other IPv6", name);
	if (common->ah
		    ? common->algorithms.auth == AUTH_NONE || common->algorithms.encr == ENCR_NULL
		    : !algorithms_fit(&common->algorithms, false))
		return profile_fail(profile,
				    "%s: HowToEncrypt and HowToAuth do not go together: ESP needs "
				    "AES_GCM_16 with NULL or others with an HMAC, AH needs an HMAC "
				    "and DoNot, AES_CBC, AES_GCM_16 or 3DES",
				    name);
	if (common->ah && common->udp_port)
		return profile_fail(profile, "%s: only ESP fits into UDP", name);
	return 0;
}

static bool spi_taken(const struct policy *policy, const struct sa_config *config)
{
	for (unsigned int i = 0; i < policy->actions; i++)
		for (unsigned int g = 0; g < policy->action[i].generations; g++) {
			const struct policy_action *action = &policy->action[i];
			const struct sa_config *both[] = {&action->in[g], &action->ah_in[g]};

			for (unsigned int n = 0; n <= action->around; n++)
				if (both[n] != config && both[n]->spi == config->spi &&
				    both[n]->ah == config->ah)
					return true;
		}
	return false;
}

static int check_spi(struct profile *profile, const struct sa_config *config)
{
	if (!spi_taken(profile->policy, config))
		return 0;
	return profile_fail(profile, "%s: SPI %u of an inbound SA appears twice", config->name,
			    config->spi);
}

int profile_action_done(struct profile *profile)
{
	struct policy_action *action = profile->action;
	struct profile_action *pending = &profile->pending;

	if (check_action(profile) < 0)
		return -EINVAL;
	action->around = pending->common.ah && pending->common.algorithms.encr != ENCR_NONE;
	for (unsigned int g = 0; g < pending->generations; g++) {
		const struct profile_key *key = pending->key[g];

		if (fill(profile, &key[KEY_AUTH_IN], &key[KEY_ENCRYPT_IN], true, &action->in[g],
			 &action->ah_in[g]) < 0 ||
		    fill(profile, &key[KEY_AUTH_OUT], &key[KEY_ENCRYPT_OUT], false, &action->out[g],
			 &action->ah_out[g]) < 0)
			return -EINVAL;
		action->in[g].generation = action->out[g].generation = g;
		action->ah_in[g].generation = action->ah_out[g].generation = g;
		action->generations = g + 1;
		if (check_spi(profile, &action->in[g]) < 0 ||
		    (action->around && check_spi(profile, &action->ah_in[g]) < 0))
			return -EINVAL;
	}
	explicit_bzero(pending, sizeof(*pending));
	return 0;
}
