/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - recursive descent over the text */
#include "figures/expression.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/analytic.h"

enum { NAME_MAX_LEN = 96 };

struct parser {
	const char *at, *end;
	const struct expression_source *source;
	unsigned int depth, kinds;
	int rc; /* the first error, which ends the evaluation */
	char *why;
};

static double fail(struct parser *parser, int rc, const char *fmt, ...)
{
	va_list ap;

	if (parser->rc == 0) {
		parser->rc = rc;
		va_start(ap, fmt);
		vsnprintf(parser->why, EXPRESSION_WHY, fmt, ap);
		va_end(ap);
	}
	parser->at = parser->end;
	return NAN;
}

/* The next character that is no blank; '\0' at the end. */
static char peek(struct parser *parser)
{
	while (parser->at < parser->end && *parser->at == ' ')
		parser->at++;
	return parser->at < parser->end ? *parser->at : '\0';
}

/* Returns the text between the bracket here and @close. */
static int bracketed(struct parser *parser, char close, char text[NAME_MAX_LEN])
{
	const char *start = ++parser->at;
	const char *stop = memchr(start, close, (size_t)(parser->end - start));

	if (!stop || stop - start >= NAME_MAX_LEN) {
		fail(parser, -EINVAL, "a '%c' is missing, or the text before it is too long",
		     close);
		return -EINVAL;
	}
	memcpy(text, start, (size_t)(stop - start));
	text[stop - start] = '\0';
	parser->at = stop + 1;
	return 0;
}

static double row(struct parser *parser)
{
	char text[NAME_MAX_LEN], *blank;
	unsigned long nr = 1;
	double value = NAN;

	if (bracketed(parser, ']', text) < 0)
		return NAN;
	blank = strchr(text, ' ');
	if (blank) {
		char *end;

		*blank = '\0';
		nr = strtoul(blank + 1, &end, 10);
		if (*end || nr < 1 || nr > 99)
			return fail(parser, -EINVAL, "[%s]: '%s' is not from 1 to 99", text,
				    blank + 1);
	}
	parser->kinds |= EXPRESSION_ROW;
	if (parser->rc == 0) {
		int rc = parser->source->row(parser->source->context, text, (unsigned int)nr,
					     &value, parser->why);

		if (rc < 0) {
			parser->rc = rc;
			parser->at = parser->end;
		}
	}
	return value;
}

static double run(struct parser *parser)
{
	char text[NAME_MAX_LEN], *blank;
	double value = NAN;

	if (bracketed(parser, '}', text) < 0)
		return NAN;
	blank = strchr(text, ' ');
	if (!blank)
		return fail(parser, -EINVAL, "{%s}: a metric is missing", text);
	*blank = '\0';
	parser->kinds |= EXPRESSION_RUN;
	if (parser->rc == 0) {
		int rc = parser->source->run(parser->source->context, text, blank + 1, &value,
					     parser->why);

		if (rc < 0) {
			parser->rc = rc;
			parser->at = parser->end;
		}
	}
	return value;
}

static double sum(struct parser *parser);

static double call(struct parser *parser)
{
	enum analytic_kind kind = ANALYTIC_CLOSED;
	double value = NAN, argument[ANALYTIC_ARGUMENTS] = {0};
	const char *start = parser->at;
	char name[NAME_MAX_LEN];
	unsigned int count = 0;
	size_t len;
	int rc;

	while (parser->at < parser->end &&
	       (isalnum((unsigned char)*parser->at) || *parser->at == '_'))
		parser->at++;
	len = (size_t)(parser->at - start);
	if (len >= sizeof(name))
		return fail(parser, -EINVAL, "a name of %zu characters is too long", len);
	memcpy(name, start, len);
	name[len] = '\0';
	if (peek(parser) != '(')
		return fail(parser, -EINVAL, "'(' is missing after %s", name);
	parser->at++;
	while (peek(parser) != ')' && parser->at < parser->end) {
		if (count == ANALYTIC_ARGUMENTS)
			return fail(parser, -EINVAL, "%s has more than %d arguments", name,
				    ANALYTIC_ARGUMENTS);
		argument[count++] = sum(parser);
		if (peek(parser) != ',')
			break;
		parser->at++;
	}
	if (peek(parser) != ')')
		return fail(parser, -EINVAL, "')' is missing after the arguments of %s", name);
	parser->at++;
	if (parser->rc < 0)
		return NAN;
	if (count == 1 && !strcmp(name, "abs"))
		return fabs(argument[0]);
	if (count == 1 && !strcmp(name, "ceil"))
		return ceil(argument[0]);
	if (count == 1 && !strcmp(name, "floor"))
		return floor(argument[0]);
	if (count == 1 && !strcmp(name, "round"))
		return round(argument[0]);
	if (count == 2 && !strcmp(name, "max"))
		return fmax(argument[0], argument[1]);
	if (count == 2 && !strcmp(name, "min"))
		return fmin(argument[0], argument[1]);
	rc = analytic_call(name, argument, count, &value, &kind);
	if (rc < 0)
		return fail(parser, rc, "unknown function %s with %u arguments", name, count);
	parser->kinds |= kind == ANALYTIC_REPLAY ? EXPRESSION_REPLAY
			 : kind == ANALYTIC_RUN  ? EXPRESSION_RUN
						 : EXPRESSION_CLOSED;
	return value;
}

static double number(struct parser *parser)
{
	const char *start = parser->at;
	char text[32], *end;
	double value;

	while (parser->at < parser->end &&
	       (isdigit((unsigned char)*parser->at) || *parser->at == '.'))
		parser->at++;
	if ((size_t)(parser->at - start) >= sizeof(text))
		return fail(parser, -EINVAL, "a number has too many digits");
	memcpy(text, start, (size_t)(parser->at - start));
	text[parser->at - start] = '\0';
	value = strtod(text, &end);
	return *end ? fail(parser, -EINVAL, "'%s' is not a number", text) : value;
}

static double factor(struct parser *parser)
{
	const char c = peek(parser);
	double value;

	if (++parser->depth > EXPRESSION_DEPTH) {
		value = fail(parser, -EINVAL, "nested more than %d levels deep", EXPRESSION_DEPTH);
	} else if (c == '(') {
		parser->at++;
		value = sum(parser);
		if (peek(parser) == ')')
			parser->at++;
		else
			value = fail(parser, -EINVAL, "')' is missing");
	} else if (c == '-') {
		parser->at++;
		value = -factor(parser);
	} else if (c == '[') {
		value = row(parser);
	} else if (c == '{') {
		value = run(parser);
	} else if (isdigit((unsigned char)c) || c == '.') {
		value = number(parser);
	} else if (isalpha((unsigned char)c)) {
		value = call(parser);
	} else {
		value = c ? fail(parser, -EINVAL, "'%c' cannot start a value", c)
			  : fail(parser, -EINVAL, "a value is missing at the end");
	}
	parser->depth--;
	return value;
}

static double product(struct parser *parser)
{
	double value = factor(parser);

	for (char c; (c = peek(parser)) == '*' || c == '/';) {
		double right;

		parser->at++;
		right = factor(parser);
		value = c == '*' ? value * right : value / right;
	}
	return value;
}

static double sum(struct parser *parser)
{
	double value = product(parser);

	for (char c; (c = peek(parser)) == '+' || c == '-';) {
		double right;

		parser->at++;
		right = product(parser);
		value = c == '+' ? value + right : value - right;
	}
	return value;
}

int expression_value(const char *text, size_t len, const struct expression_source *source,
		     double *value, unsigned int *kinds, char why[EXPRESSION_WHY])
{
	struct parser parser = {.at = text, .end = text + len, .source = source, .why = why};

	why[0] = '\0';
	*value = sum(&parser);
	if (peek(&parser))
		fail(&parser, -EINVAL, "unexpected '%c' after the expression", peek(&parser));
	if (!isfinite(*value))
		fail(&parser, -EDOM, "the result is not a finite number");
	*kinds |= parser.kinds;
	return parser.rc;
}
