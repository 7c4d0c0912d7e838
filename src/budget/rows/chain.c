/* SPDX-License-Identifier: PostgreSQL */
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

#include "base/compat_varlena.h"
#include "budget/rows/chain.h"

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

void
dp_budget_chain_init(void)
{
	const StringInfoData nothing = {.data = "", .len = 0};
	uint8		hash[DP_CHAIN_BYTES];

	dp_budget_chain_sha256(&nothing, hash);
}

/* SHA-256; looked up once, since that takes longer than a hash. */
void
dp_budget_chain_sha256(const StringInfoData *bytes, uint8 *hash)
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

/* Add numbers with how many they are. */
static void
add_numbers(StringInfo bytes, const char *numbers, int count)
{
	uint64		number;

	pq_sendbyte(bytes, true);
	pq_sendint32(bytes, count);
	enlargeStringInfo(bytes, count * sizeof(number));
	for (int i = 0; i < count; i++)
	{
		memcpy(&number, numbers + i * sizeof(number), sizeof(number));
		pq_writeint64(bytes, number);
	}
}

/* Add an array; what is no plain list of numbers as text. */
static void
add_array(StringInfo bytes, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);

	if (ARR_NDIM(array) == 1 && ARR_LBOUND(array)[0] == 1 && !ARR_HASNULL(array))
		add_numbers(bytes, ARR_DATA_PTR(array), ARR_DIMS(array)[0]);
	else
	{
		char	   *text = OidOutputFunctionCall(F_ARRAY_OUT, value);

		pq_sendbyte(bytes, false);
		add_text(bytes, text, strlen(text));
	}
}

static void
add_jsonb(StringInfo bytes, const Jsonb *json)
{
	StringInfoData text;

	initStringInfo(&text);
	(void) JsonbToCString(&text, unconstify(JsonbContainer *, &json->root), VARSIZE(json));
	add_text(bytes, text.data, text.len);
	pfree(text.data);
}

/* Add the digest of what may be long. */
static void
add_digest(StringInfo bytes, Oid type, Datum value)
{
	StringInfoData whole;
	uint8		hash[DP_CHAIN_BYTES];

	initStringInfo(&whole);
	if (type == JSONBOID)
		add_jsonb(&whole, DatumGetJsonbP(value));
	else
		add_array(&whole, value);
	dp_budget_chain_sha256(&whole, hash);
	appendBinaryStringInfo(bytes, (const char *) hash, DP_CHAIN_BYTES);
	pfree(whole.data);
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
		case JSONBOID:
			add_digest(bytes, type, value);
			break;
		default:
			elog(ERROR, "type %u cannot be chained", type);
	}
}

void
dp_budget_chain_hash(const uint8 *previous, int columns, const Oid *types,
					 const Datum *values, const bool *nulls, const uint8 *known,
					 uint8 *hash)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, (const char *) previous, DP_CHAIN_BYTES);
	for (int i = 0; i < columns; i++)
	{
		pq_sendbyte(&bytes, !nulls[i]);
		if (nulls[i])
			continue;
		if (known != NULL && types[i] == JSONBOID)
			appendBinaryStringInfo(&bytes, (const char *) known, DP_CHAIN_BYTES);
		else
			add_value(&bytes, types[i], values[i]);
	}
	dp_budget_chain_sha256(&bytes, hash);
	pfree(bytes.data);
}

void
dp_budget_chain_digest(const Jsonb *json, uint8 *hash)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	add_jsonb(&bytes, json);
	dp_budget_chain_sha256(&bytes, hash);
	pfree(bytes.data);
}
