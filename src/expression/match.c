/* SPDX-License-Identifier: PostgreSQL */
/*
 * match.c
 *	  LIKE, ILIKE and position() of any pattern, in time that the sizes alone bound.
 *
 * PostgreSQL tries a pattern at each place of a text, which may cost the product of both sizes.
 * Here a text is read once, by an automaton: a bit for each part of the pattern says whether the
 * text read so far matches the pattern up to it (the shift-and algorithm of Baeza-Yates and
 * Gonnet).  It is exact where text is matched byte by byte.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "base/compat_varlena.h"
#include "expression/allow_list.h"
#include "expression/match.h"

#define MAX_WORDS (DP_MAX_GUIDE_SIZE / 64 + 1)

/* Bits of the state before the first part of a pattern, and after each. */
typedef struct Automaton
{
	int			last;			/* the state that accepts */
	int			words;
	uint64		stays[MAX_WORDS];	/* what any byte leaves as it is: before a % */
	uint64		rest[MAX_WORDS];	/* what further bytes of a character leave: after a _ */
	uint64		any[MAX_WORDS]; /* entered by any character: after a _ */
	uint64		bytes[256 * MAX_WORDS]; /* entered by each byte */
} Automaton;

static inline void
set_bit(uint64 *words, int state)
{
	words[state / 64] |= UINT64CONST(1) << (state % 64);
}

static inline bool
has_bit(const uint64 *words, int state)
{
	return (words[state / 64] >> (state % 64)) & 1;
}

/* An automaton that is in its first state, with room for as many more. */
static void
start(Automaton *automaton, int parts)
{
	automaton->last = 0;
	automaton->words = parts / 64 + 1;
	Assert(automaton->words <= MAX_WORDS);
	memset(automaton->stays, 0, sizeof(automaton->stays));
	memset(automaton->rest, 0, sizeof(automaton->rest));
	memset(automaton->any, 0, sizeof(automaton->any));
	memset(automaton->bytes, 0, 256 * automaton->words * sizeof(uint64));
}

static void
add_byte(Automaton *automaton, unsigned char byte)
{
	set_bit(automaton->bytes + byte * automaton->words, ++automaton->last);
}

static void
add_character(Automaton *automaton)
{
	set_bit(automaton->any, ++automaton->last);
	set_bit(automaton->rest, automaton->last);
}

/* Read a LIKE pattern.  One that an escape character ends has a last state that nothing enters. */
static void
read_pattern(Automaton *automaton, const text *pattern)
{
	const char *c = VARDATA_ANY(pattern);
	const char *end = c + VARSIZE_ANY_EXHDR(pattern);

	start(automaton, end - c);
	for (; c < end; c++)
	{
		if (*c == '%')
			set_bit(automaton->stays, automaton->last);
		else if (*c == '_')
			add_character(automaton);
		else if (*c == '\\' && ++c == end)
			automaton->last++;
		else
			add_byte(automaton, *c);
	}
}

/* Have the states after a byte follow those before. */
static inline void
read_byte(const Automaton *automaton, uint64 *states, unsigned char byte, bool continues)
{
	const uint64 *entered = automaton->bytes + byte * automaton->words;
	uint64		carry = 0;

	for (int i = 0; i < automaton->words; i++)
	{
		uint64		before = states[i];
		uint64		after = (before << 1) | carry;

		carry = before >> 63;
		if (continues)
			states[i] = (after & entered[i]) | (before & (automaton->stays[i] | automaton->rest[i]));
		else
			states[i] = (after & (entered[i] | automaton->any[i])) | (before & automaton->stays[i]);
	}
}

/*
 * Read a text to its end, or until the first place where the last state is entered.  Returns how many bytes were
 * read, or -1 if that state was not the last one's.
 */
static int
run(const Automaton *automaton, const text *subject, bool to_end)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(subject);
	int			length = VARSIZE_ANY_EXHDR(subject);
	bool		is_utf8 = GetDatabaseEncoding() == PG_UTF8;
	uint64		states[MAX_WORDS] = {1};

	for (int i = 0; i < length; i++)
	{
		if (!to_end && has_bit(states, automaton->last))
			return i;
		read_byte(automaton, states, bytes[i], is_utf8 && (bytes[i] & 0xC0) == 0x80);
	}
	return has_bit(states, automaton->last) ? length : -1;
}

/* Is it NOT LIKE or NOT ILIKE? */
static bool
is_negated(Oid function)
{
	return function == F_TEXTNLIKE || function == F_BPCHARNLIKE || function == F_NOTLIKE_TEXT_TEXT ||
		function == F_TEXTICNLIKE || function == F_BPCHARICNLIKE;
}

Datum
dp_expression_match(PG_FUNCTION_ARGS)
{
	Datum		subject = PG_GETARG_DATUM(0);
	Datum		pattern = PG_GETARG_DATUM(1);
	Automaton	automaton;

	if (dp_expression_verdict(fcinfo->flinfo->fn_oid).cost == DP_COST_MATCH_FOLDED)
	{
		subject = DirectFunctionCall1Coll(lower, PG_GET_COLLATION(), subject);
		pattern = DirectFunctionCall1Coll(lower, PG_GET_COLLATION(), pattern);
	}
	if (VARSIZE_ANY_EXHDR(DatumGetTextPP(pattern)) > DP_MAX_GUIDE_SIZE)
		PG_RETURN_NULL();
	read_pattern(&automaton, DatumGetTextPP(pattern));
	PG_RETURN_BOOL((run(&automaton, DatumGetTextPP(subject), true) >= 0) != is_negated(fcinfo->flinfo->fn_oid));
}

Datum
dp_expression_position(PG_FUNCTION_ARGS)
{
	text	   *subject = PG_GETARG_TEXT_PP(0);
	text	   *sought = PG_GETARG_TEXT_PP(1);
	int			length = VARSIZE_ANY_EXHDR(sought);
	Automaton	automaton;
	int			end;

	if (length > DP_MAX_GUIDE_SIZE)
		PG_RETURN_NULL();
	start(&automaton, length);
	set_bit(automaton.stays, 0);
	for (int i = 0; i < length; i++)
		add_byte(&automaton, VARDATA_ANY(sought)[i]);
	end = run(&automaton, subject, false);
	PG_RETURN_INT32(end < 0 ? 0 : pg_mbstrlen_with_len(VARDATA_ANY(subject), end - length) + 1);
}
