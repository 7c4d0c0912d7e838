/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_as.h
 *	  Types whose values are read as those of a built-in type.
 */
#ifndef DP_EXPRESSION_READ_AS_H
#define DP_EXPRESSION_READ_AS_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * The type whose values those of this one are, byte by byte: of a domain its base type, of citext and of domains
 * over it text; else the type itself.  *typmod, unless NULL, is that of the result.
 */
extern Oid	dp_expression_read_as(Oid type, int32 *typmod);

/*
 * The text that is brought into lower case as citext has it, of lower(text), be it tried or not; of any other expression
 * itself.
 */
extern Node *dp_expression_without_lower(Node *expr);

/* Is it an operator of citext itself? */
extern bool dp_expression_ignores_case(Oid operator);

/*
 * The built-in operator of texts that an operator of citext is; InvalidOid if there is none.  *lowers: is it over both
 * operands in lower case?  Else it ignores case itself.
 */
extern Oid	dp_expression_text_operator(Oid operator, bool *lowers);

/*
 * The built-in operator that one of the extension intarray stands before: of the same name, operands and
 * meaning; InvalidOid if there is none.
 */
extern Oid	dp_expression_shadowed_operator(Oid operator);

/* Is it a function of this extension, in C or one of the server's, which only a superuser makes? */
extern bool dp_expression_is_native(Oid function, const char *extension);

#endif							/* DP_EXPRESSION_READ_AS_H */
