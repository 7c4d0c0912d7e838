/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_parcel.c
 *	  Answers as bytes, on their way from a session to the keeper.
 *
 * Both are processes of one server, so that structs go as they are.  Each answer is a
 * head, what it was asked, the names of relations, and what was released with its shape, where
 * varlenas may stand.
 */
#include "postgres.h"

#include "base/compat_varlena.h"
#include "budget/kept/kept_parcel.h"
#include "budget/kept/kept_table.h"

/* In front of all answers. */
typedef struct Head
{
	int			answers;
} Head;

static char *
aligned(char *bytes)
{
	return (char *) MAXALIGN((uintptr_t) bytes);
}

static Size
answer_size(const DpKeptAnswer *answer)
{
	Size		size = MAXALIGN(sizeof(DpKeptAnswer)) + strlen(answer->asked) + 1 + sizeof(int);
	ListCell   *lc;

	foreach(lc, answer->relations)
		size += strlen(lfirst(lc)) + 1;
	return MAXALIGN(size) + MAXALIGN(VARSIZE(answer->released)) +
		(answer->shape ? MAXALIGN(VARSIZE(answer->shape)) : 0);
}

Size
dp_budget_kept_parcel_size(const List *answers)
{
	Size		size = MAXALIGN(sizeof(Head));
	ListCell   *lc;

	foreach(lc, answers)
		size += answer_size(lfirst(lc));
	return size;
}

/* Write bytes, and return where the next go. */
static char *
put(char *to, const void *from, Size size)
{
	memcpy(to, from, size);
	return to + size;
}

static char *
write_answer(const DpKeptAnswer *answer, char *to)
{
	int			relations = list_length(answer->relations);
	ListCell   *lc;

	to = aligned(put(to, answer, sizeof(*answer)));
	to = put(to, &relations, sizeof(relations));
	to = put(to, answer->asked, strlen(answer->asked) + 1);
	foreach(lc, answer->relations)
		to = put(to, lfirst(lc), strlen(lfirst(lc)) + 1);
	to = aligned(put(aligned(to), answer->released, VARSIZE(answer->released)));
	return answer->shape ? aligned(put(to, answer->shape, VARSIZE(answer->shape))) : to;
}

void
dp_budget_kept_parcel_write(const List *answers, char *bytes)
{
	Head		head = {.answers = list_length(answers)};
	char	   *next = aligned(put(bytes, &head, sizeof(head)));
	ListCell   *lc;

	foreach(lc, answers)
		next = write_answer(lfirst(lc), next);
}

/* Read an answer, and return where the next one is. */
static char *
read_answer(DpKeptAnswer *answer, char *from)
{
	int			relations;

	memcpy(answer, from, sizeof(*answer));
	from = aligned(from + sizeof(*answer));
	memcpy(&relations, from, sizeof(relations));
	from += sizeof(relations);
	answer->asked = from;
	answer->relations = NIL;
	from += strlen(from) + 1;
	for (int i = 0; i < relations; i++)
	{
		answer->relations = lappend(answer->relations, from);
		from += strlen(from) + 1;
	}
	from = aligned(from);
	answer->released = (bytea *) from;
	from = aligned(from + VARSIZE(answer->released));
	if (answer->shape == NULL)
		return from;
	answer->shape = (bytea *) from;
	return aligned(from + VARSIZE(answer->shape));
}

List *
dp_budget_kept_parcel_read(char *bytes)
{
	List	   *answers = NIL;
	Head		head;

	memcpy(&head, bytes, sizeof(head));
	bytes = aligned(bytes + sizeof(head));
	for (int i = 0; i < head.answers; i++)
	{
		DpKeptAnswer *answer = palloc(sizeof(DpKeptAnswer));

		bytes = read_answer(answer, bytes);
		answers = lappend(answers, answer);
	}
	return answers;
}
