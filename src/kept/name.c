/* SPDX-License-Identifier: PostgreSQL */
/*
 * name.c
 *	  Objects and constants as lasting texts; see name.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/arrayaccess.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "base/compat_executor.h"
#include "base/compat_varlena.h"
#include "budget/rows/chain.h"
#include "kept/name.h"

/*
 * Name of a built-in function or operator; see name.h.
 *
 * Rows of pinned objects stay as they are as long as the server runs.
 */

char
dp_kept_volatility(Oid function)
{
	static char known[FirstUnpinnedObjectId];

	if (function >= FirstUnpinnedObjectId)
		return func_volatile(function);
	if (known[function] == '\0')
		known[function] = func_volatile(function);
	return known[function];
}

char
dp_kept_operator_volatility(Oid operator)
{
	static char known[FirstUnpinnedObjectId];

	if (operator >= FirstUnpinnedObjectId)
		return op_volatile(operator);
	if (known[operator] == '\0')
		known[operator] = op_volatile(operator);
	return known[operator];
}

Oid
dp_kept_commutator(Oid operator)
{
	static bool known[FirstUnpinnedObjectId];
	static Oid	commutators[FirstUnpinnedObjectId];

	if (operator >= FirstUnpinnedObjectId)
		return InvalidOid;
	if (!known[operator])
	{
		commutators[operator] = get_commutator(operator);
		known[operator] = true;
	}
	return commutators[operator];
}

bool
dp_kept_has_one_text(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case TEXTOID:
		case VARCHAROID:
		case UUIDOID:
			return true;
		default:
			return type >= FirstUnpinnedObjectId;	/* an enum */
	}
}

Oid
dp_kept_called_by_attempt(const FuncExpr *call)
{
	ListCell   *lc;

	if (call->funcid < FirstUnpinnedObjectId)
		return InvalidOid;
	foreach(lc, call->args)
	{
		const Const *arg = lfirst(lc);

		if (foreach_current_index(lc) > 1)
			break;
		if (IsA(arg, Const) && arg->consttype == REGPROCEDUREOID && !arg->constisnull)
			return DatumGetObjectId(arg->constvalue);
	}
	return InvalidOid;
}

/* The prefix of a text says how the object is named. */
#define BY_NUMBER 'n'
#define BY_NAME 'q'
#define ARRAY_OF 'a'

/* In place of the number of elements: it follows, and after it a digest of their texts. */
#define BY_DIGEST (-1)

/* Bytes from which on texts of elements are told by a digest. */
#define LONG_TEXT (64 * 1024)

/* Append text in UTF-8 with its length; bytes of no encoding as they are. */
static void
append_name(StringInfo text, const char *string, int length)
{
	const char *utf8 = string;

	if (GetDatabaseEncoding() != PG_SQL_ASCII)
		utf8 = pg_server_to_any(string, length, PG_UTF8);
	if (utf8 != string)
		length = strlen(utf8);
	pq_sendint32(text, length);
	appendBinaryStringInfo(text, utf8, length);
	if (utf8 != string)
		pfree(unconstify(char *, utf8));
}

void
dp_kept_name_string(StringInfo text, const char *string)
{
	append_name(text, string, strlen(string));
}

/* Append the number of what is built in, or of nothing; false if it is neither. */
static bool
name_by_number(StringInfo text, Oid object)
{
	if (object >= FirstUnpinnedObjectId)
		return false;
	pq_sendbyte(text, BY_NUMBER);
	pq_sendint32(text, object);
	return true;
}

static void
name_in_schema(StringInfo text, Oid schema, const char *name)
{
	char	   *schema_name = get_namespace_name(schema);

	pq_sendbyte(text, BY_NAME);
	dp_kept_name_string(text, schema_name ? schema_name : "");
	dp_kept_name_string(text, name);
}

bool
dp_kept_name_type(StringInfo text, Oid type)
{
	HeapTuple	tuple;
	Form_pg_type form;
	Oid			element = InvalidOid;

	if (name_by_number(text, type))
		return true;
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_type) GETSTRUCT(tuple);
	if (IsTrueArrayType(form))
	{
		element = form->typelem;
		pq_sendbyte(text, ARRAY_OF);
	}
	else
		name_in_schema(text, form->typnamespace, NameStr(form->typname));
	ReleaseSysCache(tuple);
	return !OidIsValid(element) || dp_kept_name_type(text, element);
}

bool
dp_kept_name_collation(StringInfo text, Oid collation)
{
	HeapTuple	tuple;
	Form_pg_collation form;

	if (name_by_number(text, collation))
		return true;
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_collation) GETSTRUCT(tuple);
	name_in_schema(text, form->collnamespace, NameStr(form->collname));
	ReleaseSysCache(tuple);
	return true;
}

bool
dp_kept_name_function(StringInfo text, Oid function)
{
	HeapTuple	tuple;
	Form_pg_proc form;

	if (name_by_number(text, function))
		return true;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	name_in_schema(text, form->pronamespace, NameStr(form->proname));
	ReleaseSysCache(tuple);
	return true;
}

bool
dp_kept_name_operator(StringInfo text, Oid operator)
{
	return name_by_number(text, operator);
}

bool
dp_kept_name_column(StringInfo text, Oid relation, AttrNumber column)
{
	char	   *name = column > 0 ? get_attname(relation, column, true) : NULL;

	if (name == NULL)
		return false;
	dp_kept_name_string(text, name);
	pfree(name);
	return true;
}

bool
dp_kept_name_relation(StringInfo text, Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class form;
	bool		lasts;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	lasts = form->relpersistence != RELPERSISTENCE_TEMP;
	name_in_schema(text, form->relnamespace, NameStr(form->relname));
	ReleaseSysCache(tuple);
	return lasts;
}

/* Append an enum's value by its label. */
static bool
name_label(StringInfo text, Oid label)
{
	HeapTuple	tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(label));

	if (!HeapTupleIsValid(tuple))
		return false;
	dp_kept_name_string(text, NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	ReleaseSysCache(tuple);
	return true;
}

bool
dp_kept_is_object_number(Oid type)
{
	switch (type)
	{
		case REGPROCOID:
		case REGPROCEDUREOID:
		case REGOPEROID:
		case REGOPERATOROID:
		case REGCLASSOID:
		case REGTYPEOID:
		case REGROLEOID:
		case REGNAMESPACEOID:
		case REGCONFIGOID:
		case REGDICTIONARYOID:
		case REGCOLLATIONOID:
			return true;
		default:
			return false;
	}
}

/* Append the bytes of a value that is passed by value. */
static void
name_word(StringInfo text, Datum value, int length)
{
	switch (length)
	{
		case 1:
			pq_sendint8(text, DatumGetUInt8(value));
			break;
		case 2:
			pq_sendint16(text, DatumGetUInt16(value));
			break;
		case 4:
			pq_sendint32(text, DatumGetUInt32(value));
			break;
		default:
			pq_sendint64(text, (uint64) value);
	}
}

/* Append the bytes of a value, with their number if that varies. */
static void
name_bytes(StringInfo text, Datum value, int length, bool byval)
{
	if (byval)
		name_word(text, value, length);
	else if (length > 0)
		appendBinaryStringInfo(text, DatumGetPointer(value), length);
	else if (length == -2)
		dp_kept_name_string(text, DatumGetCString(value));
	else
	{
		struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

		pq_sendint32(text, VARSIZE_ANY_EXHDR(bytes));
		appendBinaryStringInfo(text, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}
}

/* Append a value of a type that is no array. */
static bool
name_value(StringInfo text, Oid type, Datum value, int length, bool byval)
{
	if (type >= FirstUnpinnedObjectId)
		return get_typtype(type) == TYPTYPE_ENUM && name_label(text, DatumGetObjectId(value));
	if (dp_kept_is_object_number(type) && DatumGetObjectId(value) >= FirstUnpinnedObjectId)
		return false;
	if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID)
	{
		struct varlena *string = PG_DETOAST_DATUM_PACKED(value);

		append_name(text, VARDATA_ANY(string), VARSIZE_ANY_EXHDR(string));
	}
	else
		name_bytes(text, value, length, byval);
	return true;
}

/* Elements of an array as texts. */
typedef struct Elements
{
	const ArrayType *array;
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
	int			count;
	array_iter	next;
	StringInfoData text;		/* of those that are put together, or the digest of the first and
								 * the others */
	bool		is_long;		/* does the text begin with a digest? */
	int			named;			/* number of those */
} Elements;

static void
begin_elements(Elements *elements, const Const *array)
{
	ArrayType  *values = DatumGetArrayTypeP(array->constvalue);

	memset(elements, 0, sizeof(Elements));
	elements->array = values;
	elements->type = ARR_ELEMTYPE(values);
	elements->count = ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
	get_typlenbyvalalign(elements->type, &elements->length, &elements->byval, &elements->align);
	DP_BEGIN_ELEMENTS(&elements->next, (AnyArrayType *) values, elements->length, elements->byval, elements->align);
	initStringInfo(&elements->text);
}

/* Append the i-th element, as the next one. */
static bool
name_next(Elements *elements, StringInfo text, int i)
{
	bool		isnull;
	Datum		value = DP_NEXT_ELEMENT(&elements->next, &isnull, i, elements->length, elements->byval,
										elements->align);

	CHECK_FOR_INTERRUPTS();
	pq_sendbyte(text, isnull);
	return isnull || name_value(text, elements->type, value, elements->length, elements->byval);
}

/* Have a digest of what is put together so far stand for it. */
static void
digest_elements(Elements *elements)
{
	uint8		digest[DP_CHAIN_BYTES];

	dp_budget_chain_sha256(&elements->text, digest);
	resetStringInfo(&elements->text);
	appendBinaryStringInfo(&elements->text, (char *) digest, sizeof(digest));
	elements->is_long = true;
}

/* Note that one more is put together. */
static void
note_element(Elements *elements)
{
	elements->named++;
	if (elements->text.len >= LONG_TEXT)
		digest_elements(elements);
}

/* Append those that were put together: as they are, or if they are many their digest. */
static void
append_elements(StringInfo text, Elements *elements)
{
	if (elements->is_long)
	{
		digest_elements(elements);
		pq_sendint32(text, BY_DIGEST);
	}
	pq_sendint32(text, elements->named);
	appendBinaryStringInfo(text, elements->text.data, elements->text.len);
	pfree(elements->text.data);
}

/* Put all together in their order. */
static bool
name_in_order(Elements *elements)
{
	for (int i = 0; i < elements->count; i++)
	{
		if (!name_next(elements, &elements->text, i))
			return false;
		note_element(elements);
	}
	return true;
}

/* Where texts are that are put in order: in which text, and how long the values are if all are alike. */
typedef struct Texts
{
	const char *data;
	int			length;			/* or -1 if each says it */
} Texts;

/* Bytes of an element's text. */
static int
length_of_text(const Texts *texts, int at)
{
	uint32		length;

	if (texts->data[at] != 0)
		return 1;
	if (texts->length > 0)
		return 1 + texts->length;
	memcpy(&length, texts->data + at + 1, sizeof(length));
	return 1 + sizeof(length) + pg_ntoh32(length);
}

/* The order of dp_kept_compare_texts. */
static int
compare_texts(const void *left, const void *right, void *arg)
{
	const Texts *texts = arg;
	int			a = *(const int *) left;
	int			b = *(const int *) right;
	int			first = length_of_text(texts, a);
	int			second = length_of_text(texts, b);
	int			order = memcmp(texts->data + a, texts->data + b, Min(first, second));

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : first - second;
}

/* Put all together in an order of their own, each once. */
static bool
name_as_set(Elements *elements)
{
	int		   *places = MemoryContextAllocHuge(CurrentMemoryContext, (Size) Max(elements->count, 1) * sizeof(int));
	Texts		texts = {.length = elements->type < FirstUnpinnedObjectId ? elements->length : -1};
	StringInfoData all;

	initStringInfo(&all);
	for (int i = 0; i < elements->count; i++)
	{
		places[i] = all.len;
		if (!name_next(elements, &all, i))
			return false;
	}
	texts.data = all.data;
	qsort_arg(places, elements->count, sizeof(int), compare_texts, &texts);
	for (int i = 0; i < elements->count; i++)
	{
		if (i > 0 && compare_texts(&places[i - 1], &places[i], &texts) == 0)
			continue;
		appendBinaryStringInfo(&elements->text, all.data + places[i], length_of_text(&texts, places[i]));
		note_element(elements);
	}
	pfree(all.data);
	pfree(places);
	return true;
}

bool
dp_kept_name_elements(StringInfo text, const Const *array, bool as_set)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg naming values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Elements	elements;
	bool		named;

	begin_elements(&elements, array);
	named = as_set ? name_as_set(&elements) : name_in_order(&elements);
	if (named)
		append_elements(text, &elements);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return named;
}

bool
dp_kept_name_constant(StringInfo text, const Const *constant)
{
	Oid			type = constant->consttype;

	if (!dp_kept_name_type(text, type))
		return false;
	pq_sendbyte(text, constant->constisnull);
	if (constant->constisnull)
		return true;
	if (type >= FirstUnpinnedObjectId && OidIsValid(get_element_type(type)))
		return dp_kept_name_elements(text, constant, false);
	return name_value(text, type, constant->constvalue, constant->constlen, constant->constbyval);
}
