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
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "query/kept/name.h"

/* What a text begins with says how the object is named. */
#define BY_NUMBER 'n'
#define BY_NAME 'q'
#define ARRAY_OF 'a'

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
}

void
dp_query_name_string(StringInfo text, const char *string)
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
	dp_query_name_string(text, schema_name ? schema_name : "");
	dp_query_name_string(text, name);
}

bool
dp_query_name_type(StringInfo text, Oid type)
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
	return !OidIsValid(element) || dp_query_name_type(text, element);
}

bool
dp_query_name_collation(StringInfo text, Oid collation)
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
dp_query_name_function(StringInfo text, Oid function)
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
dp_query_name_operator(StringInfo text, Oid operator)
{
	return name_by_number(text, operator);
}

bool
dp_query_name_column(StringInfo text, Oid relation, AttrNumber column)
{
	char	   *name = column > 0 ? get_attname(relation, column, true) : NULL;

	if (name == NULL)
		return false;
	dp_query_name_string(text, name);
	pfree(name);
	return true;
}

bool
dp_query_name_relation(StringInfo text, Oid relation)
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
	dp_query_name_string(text, NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	ReleaseSysCache(tuple);
	return true;
}

bool
dp_query_is_object_number(Oid type)
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
		dp_query_name_string(text, DatumGetCString(value));
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
	if (dp_query_is_object_number(type) && DatumGetObjectId(value) >= FirstUnpinnedObjectId)
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

bool
dp_query_name_elements(const Const *array, List **texts)
{
	ArrayType  *values = DatumGetArrayTypeP(array->constvalue);
	Oid			type = ARR_ELEMTYPE(values);
	Datum	   *value;
	bool	   *isnull;
	int			count;
	int16		length;
	bool		byval;
	char		align;

	*texts = NIL;
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(values, type, length, byval, align, &value, &isnull, &count);
	for (int i = 0; i < count; i++)
	{
		StringInfo	text = makeStringInfo();

		pq_sendbyte(text, isnull[i]);
		if (!isnull[i] && !name_value(text, type, value[i], length, byval))
			return false;
		*texts = lappend(*texts, text);
	}
	return true;
}

/* Append an array of values that are not built in. */
static bool
name_array(StringInfo text, const Const *array)
{
	List	   *texts;
	ListCell   *lc;

	if (!dp_query_name_elements(array, &texts))
		return false;
	pq_sendint32(text, list_length(texts));
	foreach(lc, texts)
	{
		StringInfo	element = lfirst(lc);

		appendBinaryStringInfo(text, element->data, element->len);
	}
	return true;
}

bool
dp_query_name_constant(StringInfo text, const Const *constant)
{
	Oid			type = constant->consttype;

	if (!dp_query_name_type(text, type))
		return false;
	pq_sendbyte(text, constant->constisnull);
	if (constant->constisnull)
		return true;
	if (type >= FirstUnpinnedObjectId && OidIsValid(get_element_type(type)))
		return name_array(text, constant);
	return name_value(text, type, constant->constvalue, constant->constlen, constant->constbyval);
}
