/* SPDX-License-Identifier: PostgreSQL */
/*
 * policy.c
 *	  Reading policies: the labels.
 *
 * Fails closed: what cannot be read is an error, never "not protected".
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "expression/read_as.h"
#include "policy/domain.h"
#include "policy/partitions.h"
#include "policy/policy.h"
#include "tree/named_columns.h"
#include "tree/reason.h"

#define DP_DEFAULT_MAX_JOIN_ROWS 100

#define DP_DEFAULT_CLIP_MAX_ROWS 100000

/*
 * Whether columns are still what they were when a query was parsed.
 */

/* Is a column of a table still what it was when the query was parsed? */
static bool
is_as_parsed(const Var *column, Oid relid)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(column->varattno));
	Form_pg_attribute form;
	bool		same;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_attribute) GETSTRUCT(tuple);
	same = !form->attisdropped && form->atttypid == column->vartype &&
		form->attcollation == column->varcollid;
	ReleaseSysCache(tuple);
	return same;
}

DpReason *
dp_policy_check_columns(Query *query, int location)
{
	ListCell   *lc;

	foreach(lc, dp_tree_named_columns((Node *) query))
	{
		const Var  *column = lfirst(lc);
		const RangeTblEntry *rte = rt_fetch(column->varno, query->rtable);
		DpReason   *reason;

		if (rte->rtekind != RTE_RELATION || column->varattno <= 0 ||
			is_as_parsed(column, rte->relid))
			continue;
		reason = dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
								   column->location >= 0 ? column->location : location,
								   "Run it again.",
								   "a column of \"%s\" has changed since the query was parsed",
								   rte->eref->aliasname);
		return reason;
	}
	return NULL;
}

typedef struct DpLabel
{
	int			column;			/* zero: the relation itself */
	char	   *text;
} DpLabel;

/* Does a label say that its column is hidden?  Keys are not fetched for that. */
static bool
says_hidden(Datum label)
{
	return toast_raw_datum_size(label) == VARHDRSZ + strlen(DP_HIDDEN_LABEL) &&
		strcmp(TextDatumGetCString(label), DP_HIDDEN_LABEL) == 0;
}

/*
 * Every label of the policy on a relation and its columns, a list of DpLabel; and the
 * columns that are hidden.
 */
static List *
read_labels(Oid relid, Bitmapset **hidden)
{
	List	   *labels = NIL;
	Relation	catalog = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	ScanKeyInit(&key[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	scan = systable_beginscan(catalog, SecLabelObjectIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		TupleDesc	desc = RelationGetDescr(catalog);
		bool		isnull;
		char	   *provider = TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_provider,
																desc, &isnull));
		Datum		value = heap_getattr(tuple, Anum_pg_seclabel_label, desc, &isnull);
		int			column = ((FormData_pg_seclabel *) GETSTRUCT(tuple))->objsubid;
		DpLabel    *label;

		if (strcmp(provider, DP_DOMAIN_PROVIDER) == 0 && says_hidden(value))
			*hidden = bms_add_member(*hidden, column);
		if (strcmp(provider, DP_LABEL_PROVIDER) != 0)
			continue;
		label = palloc(sizeof(DpLabel));
		label->column = column;
		label->text = TextDatumGetCString(value);
		labels = lappend(labels, label);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return labels;
}

/* The columns of a relation that have a label of ours, as a list of int. */
List *
dp_policy_policy_columns(Oid relid)
{
	List	   *columns = NIL;
	Bitmapset  *hidden = NULL;
	ListCell   *cell;

	foreach(cell, read_labels(relid, &hidden))
		columns = lappend_int(columns, ((DpLabel *) lfirst(cell))->column);
	return columns;
}

bool
dp_policy_policy_find(Oid relid, DpPolicy *policy, bool *malformed)
{
	Bitmapset  *hidden = NULL;
	List	   *labels = read_labels(relid, &hidden);
	DpLabel    *label;

	*malformed = false;
	if (labels == NIL)
		return false;
	label = linitial(labels);
	*malformed = list_length(labels) > 1 || label->column <= 0 ||
		!dp_policy_policy_parse(label->text, policy);
	policy->relid = relid;
	policy->unit = label->column;
	policy->hidden = hidden;
	return !*malformed;
}

/* May a data set be called that? */
bool
dp_policy_dataset_name_is_valid(const char *name)
{
	size_t		length = strlen(name);

	if (length == 0 || length >= NAMEDATALEN)
		return false;
	for (; *name; name++)
		if ((unsigned char) *name < 0x20 || *name == 0x7f)
			return false;
	return true;
}

/* May this character stand in a data set name outside quotes? */
static bool
is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '-' || c == '.';
}

/* Append a data set name, in quotes if it needs them. */
static void
append_dataset(StringInfo label, const char *name)
{
	const char *c = name;

	while (is_bare(*c))
		c++;
	if (*c == '\0')
	{
		appendStringInfoString(label, name);
		return;
	}
	appendStringInfoChar(label, '"');
	for (c = name; *c; c++)
	{
		if (*c == '"')
			appendStringInfoChar(label, '"');
		appendStringInfoChar(label, *c);
	}
	appendStringInfoChar(label, '"');
}

char *
dp_policy_policy_label(const DpPolicy *policy)
{
	StringInfoData label;

	initStringInfo(&label);
	appendStringInfoString(&label, "dataset=");
	append_dataset(&label, NameStr(policy->dataset));
	appendStringInfo(&label, " max_rows=%d max_groups=%d", policy->max_rows, policy->max_groups);
	if (policy->max_values > 0)
		appendStringInfo(&label, " max_values=%d", policy->max_values);
	if (policy->max_join_rows != DP_DEFAULT_MAX_JOIN_ROWS)
		appendStringInfo(&label, " max_join_rows=%d", policy->max_join_rows);
	if (policy->clip_max_rows != DP_DEFAULT_CLIP_MAX_ROWS)
		appendStringInfo(&label, " clip_max_rows=%d", policy->clip_max_rows);
	if (policy->linked)
		appendStringInfoString(&label, " linked");
	return label.data;
}

/* Step over a literal word; NULL if it is not there. */
static const char *
parse_word(const char *text, const char *word)
{
	size_t		length = strlen(word);

	return text && strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* Read a data set name, quoted or bare; NULL if there is none. */
static const char *
parse_dataset(const char *text, NameData *dataset)
{
	bool		quoted = text && *text == '"';
	char		name[NAMEDATALEN];
	int			length = 0;

	if (text == NULL)
		return NULL;
	for (text += quoted; quoted ? *text != '\0' : is_bare(*text); text++)
	{
		if (quoted && *text == '"' && *++text != '"')
			break;
		if (length >= NAMEDATALEN - 1)
			return NULL;
		name[length++] = *text;
	}
	if (quoted && text[-1] != '"')
		return NULL;
	name[length] = '\0';
	namestrcpy(dataset, name);
	return dp_policy_dataset_name_is_valid(name) ? text : NULL;
}

/* Read a bound from 1 to `most`; NULL if there is none. */
static const char *
parse_bound(const char *text, int most, int *bound)
{
	char	   *end;
	long		value;

	if (text == NULL)
		return NULL;
	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || errno != 0 || value < 1 || value > most)
		return NULL;
	*bound = (int) value;
	return end;
}

/* Read a word and a bound if the word is there. */
static const char *
parse_optional(const char *text, const char *word, int most, int *bound)
{
	const char *number = parse_word(text, word);

	return number ? parse_bound(number, most, bound) : text;
}

bool
dp_policy_policy_parse(const char *label, DpPolicy *policy)
{
	const char *text = label;

	text = parse_dataset(parse_word(text, "dataset="), &policy->dataset);
	text = parse_bound(parse_word(text, " max_rows="), DP_MAX_MAX_ROWS, &policy->max_rows);
	text = parse_bound(parse_word(text, " max_groups="), DP_MAX_MAX_GROUPS, &policy->max_groups);
	policy->max_values = 0;
	text = parse_optional(text, " max_values=", DP_MAX_MAX_ROWS, &policy->max_values);
	policy->max_join_rows = DP_DEFAULT_MAX_JOIN_ROWS;
	text = parse_optional(text, " max_join_rows=", DP_MAX_MAX_JOIN_ROWS, &policy->max_join_rows);
	policy->clip_max_rows = DP_DEFAULT_CLIP_MAX_ROWS;
	text = parse_optional(text, " clip_max_rows=", DP_MAX_MAX_ROWS, &policy->clip_max_rows);
	policy->linked = text && parse_word(text, " linked") != NULL;
	if (policy->linked)
		text = parse_word(text, " linked");

	/* One spelling only: strtol and the quotes would accept more. */
	return text && *text == '\0' && strcmp(dp_policy_policy_label(policy), label) == 0;
}

bool
dp_policy_lowers_unit(Oid type)
{
	return dp_expression_read_as(type, NULL) == TEXTOID && getBaseType(type) != TEXTOID;
}

/*
 * Whether a table is protected, for every statement that is planned, and its policy.
 *
 * Declaring and dropping a policy changes the relation, so that PostgreSQL tells every
 * session.
 */

typedef struct ProtectedEntry
{
	Oid			relid;			/* hash key */
	bool		is_protected;
	uint64		read_at;		/* when the policy was read, that is good no longer; 0: never */
	DpPolicy	policy;			/* of no hidden column */
} ProtectedEntry;

static HTAB *protected_cache = NULL;

/* Policies that were read are good until this changes. */
static uint64 reading = 1;

/* Are they, at all? */
static bool reads_once = false;

void
dp_policy_read_once(bool once)
{
	reads_once = once;
	reading++;
}

/* Forget whether a relation, or any, is protected. */
static void
forget_protected(Oid relid)
{
	HTAB	   *cache = protected_cache;

	reading++;
	if (cache == NULL)
		return;
	if (OidIsValid(relid))
		(void) hash_search(cache, &relid, HASH_REMOVE, NULL);
	else
	{
		protected_cache = NULL;
		hash_destroy(cache);
	}
}

/* A relation has changed, or all may have.  Both are told here: PostgreSQL tells ten at most. */
static void
forget_relation(Datum arg, Oid relid)
{
	forget_protected(relid);
	dp_policy_forget_partitions(relid);
}

/* A function has changed: the extension may have come or gone, and the function may be somebody else's. */
static void
forget_all(Datum arg, int cacheid, uint32 hashvalue)
{
	forget_protected(InvalidOid);
	dp_policy_doubt_members();
}

/* A role has changed: it may be a superuser no longer. */
static void
doubt(Datum arg, int cacheid, uint32 hashvalue)
{
	dp_policy_doubt_members();
}

void
dp_policy_protected_init(void)
{
	CacheRegisterSyscacheCallback(AUTHOID, doubt, (Datum) 0);
	CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(PROCOID, forget_all, (Datum) 0);
}

static void
enter(Oid relid, bool is_protected)
{
	ProtectedEntry *entry;

	if (protected_cache == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(ProtectedEntry)};

		protected_cache = hash_create("dp_agg protected tables", 64, &control,
									  HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(protected_cache, &relid, HASH_ENTER, NULL);
	entry->is_protected = is_protected;
	entry->read_at = 0;
}

/* What is known of a relation, or NULL. */
static ProtectedEntry *
find_entry(Oid relid)
{
	return protected_cache ? hash_search(protected_cache, &relid, HASH_FIND, NULL) : NULL;
}

bool
dp_policy_is_protected(Oid relid)
{
	const ProtectedEntry *entry;
	bool		is_protected;

	if (relid < FirstNormalObjectId)
		return false;
	entry = find_entry(relid);
	if (entry)
		return entry->is_protected;

	/* Reading catalogs may empty the cache: enter afterwards. */
	is_protected = dp_policy_policy_columns(relid) != NIL &&
		OidIsValid(get_extension_oid("dp_agg", true));
	enter(relid, is_protected);
	return is_protected;
}

/* Keep a policy that was read, if nothing has changed since, where it is known that there is one. */
static void
keep(const DpPolicy *policy, uint64 began)
{
	ProtectedEntry *entry = find_entry(policy->relid);

	if (entry == NULL || policy->hidden || !reads_once || reading != began)
		return;
	entry->policy = *policy;
	entry->read_at = began;
}

bool
dp_policy_policy_get(Oid relid, DpPolicy *policy)
{
	const ProtectedEntry *entry = find_entry(relid);
	uint64		began = reading;
	bool		malformed;
	bool		found;

	if (entry && entry->read_at == reading)
	{
		*policy = entry->policy;
		return true;
	}
	found = dp_policy_policy_find(relid, policy, &malformed);
	if (malformed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("protection of relation with OID %u is malformed", relid),
				 errhint("Have its owner declare it again with dp_agg.protect.")));
	if (found)
		keep(policy, began);
	return found;
}
