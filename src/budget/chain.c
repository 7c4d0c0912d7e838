/*
 * chain.c
 *	  The hash that chains each row of the ledger to the one before.
 */
#include "postgres.h"

#include <openssl/evp.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "budget/chain.h"

/* What a row comes to, in bytes, as a rule. */
#define DP_CHAIN_USUAL 2000

/* Add text in UTF-8 with its length; bytes of no encoding as they are. */
static void
add_text(StringInfo bytes, const char *text, int length)
{
	const char *utf8 = text;

	if (GetDatabaseEncoding() != PG_SQL_ASCII)
		utf8 = pg_server_to_any(text, length, PG_UTF8);
	if (utf8 != text)
		length = strlen(utf8);
	pq_sendint32(bytes, length);
	appendBinaryStringInfo(bytes, utf8, length);
}

/* Add an array with its length; what is no plain list of numbers as text. */
static void
add_array(StringInfo bytes, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	bool		plain = ARR_NDIM(array) == 1 && ARR_LBOUND(array)[0] == 1 && !ARR_HASNULL(array);

	pq_sendbyte(bytes, plain);
	if (plain)
	{
		const char *data = ARR_DATA_PTR(array);
		int			count = ARR_DIMS(array)[0];
		uint64		number;

		pq_sendint32(bytes, count);
		enlargeStringInfo(bytes, count * sizeof(number));
		for (int i = 0; i < count; i++)
		{
			memcpy(&number, data + i * sizeof(number), sizeof(number));
			pq_writeint64(bytes, number);
		}
	}
	else
	{
		char	   *text = OidOutputFunctionCall(F_ARRAY_OUT, value);

		add_text(bytes, text, strlen(text));
	}
}

static void
add_jsonb(StringInfo bytes, Datum value)
{
	Jsonb	   *json = DatumGetJsonbP(value);
	StringInfoData text;

	initStringInfo(&text);
	(void) JsonbToCString(&text, &json->root, VARSIZE(json));
	add_text(bytes, text.data, text.len);
	pfree(text.data);
}

static void
add_value(StringInfo bytes, Oid type, Datum value)
{
	switch (type)
	{
		case BOOLOID:
			pq_sendbyte(bytes, DatumGetBool(value));
			break;
		case INT8OID:
		case TIMESTAMPTZOID:
			pq_sendint64(bytes, DatumGetInt64(value));
			break;
		case FLOAT8OID:
			pq_sendfloat8(bytes, DatumGetFloat8(value));
			break;
		case TEXTOID:
			{
				text	   *string = DatumGetTextPP(value);

				add_text(bytes, VARDATA_ANY(string), VARSIZE_ANY_EXHDR(string));
				break;
			}
		case FLOAT8ARRAYOID:
			add_array(bytes, value);
			break;
		case JSONBOID:
			add_jsonb(bytes, value);
			break;
		default:
			elog(ERROR, "type %u cannot be chained", type);
	}
}

/* SHA-256; looked up once, since that takes longer than a hash. */
static void
digest(const StringInfoData *bytes, uint8 *hash)
{
	static EVP_MD_CTX *context = NULL;
	const EVP_MD *lookup = NULL;

	if (context == NULL)
	{
		context = EVP_MD_CTX_new();
		lookup = EVP_sha256();
	}
	if (context == NULL ||
		!EVP_DigestInit_ex(context, lookup, NULL) ||
		!EVP_DigestUpdate(context, bytes->data, bytes->len) ||
		!EVP_DigestFinal_ex(context, hash, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not compute a SHA-256 hash")));
}

void
dp_budget_chain_hash(const uint8 *previous, int columns, const Oid *types,
					 const Datum *values, const bool *nulls, const DpChainText *json,
					 uint8 *hash)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	enlargeStringInfo(&bytes, DP_CHAIN_USUAL);
	appendBinaryStringInfo(&bytes, (const char *) previous, DP_CHAIN_BYTES);
	for (int i = 0; i < columns; i++)
	{
		pq_sendbyte(&bytes, !nulls[i]);
		if (!nulls[i] && types[i] == JSONBOID && json != NULL)
			add_text(&bytes, json->data, json->length);
		else if (!nulls[i])
			add_value(&bytes, types[i], values[i]);
	}
	digest(&bytes, hash);
	pfree(bytes.data);
}
