/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_as.c
 *	  Types whose values are read as those of a built-in type.
 *
 * Nothing of a domain or an extension is run by that.  A domain's checks are run by casts to it alone.
 * Values of citext are those of text: its input function is text's own, and only a superuser makes
 * a cast without a function.  Its operators are C functions over lower() of
 * both operands, by the database's collation; what stands for them here is lower() and the operators of
 * text.  That they are the extension's own is checked so that an operator of somebody
 * else's does not turn into one of another meaning.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_language.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "expression/null_on_error.h"
#include "expression/read_as.h"

/* Is an object part of the extension of this name? */
static bool
is_of_extension(Oid class, Oid object, const char *name)
{
	Oid			extension = getExtensionOfObject(class, object);
	char	   *found = OidIsValid(extension) ? get_extension_name(extension) : NULL;

	return found && strcmp(found, name) == 0;
}

/* citext, whose values text's input function makes, and which is text to the server */
static bool
is_citext(Oid type)
{
	HeapTuple	tuple;
	bool		is_text;
	Oid			function;

	if (type < FirstUnpinnedObjectId)
		return false;
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		return false;
	is_text = ((Form_pg_type) GETSTRUCT(tuple))->typtype == TYPTYPE_BASE &&
		((Form_pg_type) GETSTRUCT(tuple))->typcollation == DEFAULT_COLLATION_OID &&
		strcmp(NameStr(((Form_pg_type) GETSTRUCT(tuple))->typname), "citext") == 0;
	ReleaseSysCache(tuple);
	return is_text && is_of_extension(TypeRelationId, type, "citext") &&
		find_coercion_pathway(TEXTOID, type, COERCION_IMPLICIT, &function) == COERCION_PATH_RELABELTYPE;
}

Oid
dp_expression_read_as(Oid type, int32 *typmod)
{
	int32		unused = -1;
	Oid			base;

	if (typmod == NULL)
		typmod = &unused;
	if (type < FirstUnpinnedObjectId)
		return type;
	base = get_typtype(type) == TYPTYPE_DOMAIN ? getBaseTypeAndTypmod(type, typmod) : type;
	return is_citext(base) ? TEXTOID : base;
}

Node *
dp_expression_without_lower(Node *expr)
{
	FuncExpr   *call = (FuncExpr *) expr;

	if (expr == NULL || !IsA(expr, FuncExpr) || call->inputcollid != DEFAULT_COLLATION_OID)
		return expr;
	return call->funcid == F_LOWER_TEXT || dp_expression_attempted(expr) == F_LOWER_TEXT ? llast(call->args) : expr;
}

bool
dp_expression_is_native(Oid function, const char *extension)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		is_native;

	if (!HeapTupleIsValid(tuple))
		return false;
	is_native = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId ||
		((Form_pg_proc) GETSTRUCT(tuple))->prolang == INTERNALlanguageId;
	ReleaseSysCache(tuple);
	return is_native && is_of_extension(ProcedureRelationId, function, extension);
}

/* Is this an operator of an extension, over such a function of it? */
static bool
is_genuine(Oid operator, const char *extension)
{
	return operator >= FirstUnpinnedObjectId && is_of_extension(OperatorRelationId, operator, extension) &&
		dp_expression_is_native(get_opcode(operator), extension);
}

/* Operators of citext by their names, and those of text. */
static const struct
{
	const char *name;
	const char *of_text;
	bool		lowers;
}			operators[] = {
	{"=", "=", true},
	{"<>", "<>", true},
	{"<", "<", true},
	{"<=", "<=", true},
	{">", ">", true},
	{">=", ">=", true},
	{"~~", "~~*", false},
	{"~~*", "~~*", false},
	{"!~~", "!~~*", false},
	{"!~~*", "!~~*", false},
	{"~", "~*", false},
	{"~*", "~*", false},
	{"!~", "!~*", false},
	{"!~*", "!~*", false},
};

/* The built-in operator of this name over these types. */
static Oid
built_in(const char *name, Oid left, Oid right)
{
	return OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString(pstrdup(name))), left, right);
}

bool
dp_expression_ignores_case(Oid operator)
{
	Oid			left;
	Oid			right;

	if (operator < FirstUnpinnedObjectId)
		return false;
	op_input_types(operator, &left, &right);
	return is_citext(left) && is_genuine(operator, "citext");
}

Oid
dp_expression_text_operator(Oid operator, bool *lowers)
{
	const char *name;

	if (!dp_expression_ignores_case(operator))
		return InvalidOid;
	name = get_opname(operator);
	for (int i = 0; i < lengthof(operators); i++)
		if (strcmp(operators[i].name, name) == 0)
		{
			*lowers = operators[i].lowers;
			return built_in(operators[i].of_text, TEXTOID, TEXTOID);
		}
	return InvalidOid;
}

Oid
dp_expression_shadowed_operator(Oid operator)
{
	const char *name;
	Oid			left;
	Oid			right;

	if (operator < FirstUnpinnedObjectId)
		return InvalidOid;
	op_input_types(operator, &left, &right);
	name = get_opname(operator);
	if (left != INT4ARRAYOID || right != INT4ARRAYOID || name == NULL ||
		!(strcmp(name, "&&") == 0 || strcmp(name, "@>") == 0 || strcmp(name, "<@") == 0) ||
		!is_genuine(operator, "intarray"))
		return InvalidOid;
	return built_in(name, ANYARRAYOID, ANYARRAYOID);
}
