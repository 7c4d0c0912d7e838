/* SPDX-License-Identifier: PostgreSQL */
/*
 * question.c
 *	  The question that a block asks, as a digest; see question.h.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "budget/rows/chain.h"
#include "kept/by_value.h"
#include "kept/name.h"
#include "kept/question.h"
#include "kept/spell_query.h"
#include "kept/spelling.h"
#include "policy/policy.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "tree/public_params.h"

static void name_labels(StringInfo text, Oid relation);

/*
 * Declarations of a table's owner, as a text.
 *
 * The label itself stands for the policy's version: whoever declares the same again changes
 * nothing.  What a domain means for a question stands in it: as bounds, or as keys.
 */

/* A label of ours with its column and kind; NULL of another provider's. */
static StringInfo
read_label(Oid relation, HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;
	const char *provider = TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_provider, desc, &isnull));
	AttrNumber	column = ((FormData_pg_seclabel *) GETSTRUCT(tuple))->objsubid;
	StringInfo	label;

	if (strcmp(provider, DP_LABEL_PROVIDER) != 0)
		return NULL;
	label = dp_kept_new_text();
	(void) dp_kept_name_column(label, relation, column);
	dp_kept_name_string(label, TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_label, desc, &isnull)));
	return label;
}

/* Append the policy of a table; nothing of a public table's. */
static void
name_labels(StringInfo text, Oid relation)
{
	List	   *labels = NIL;
	Relation	catalog;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!dp_policy_is_protected(relation))
		return;
	catalog = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	ScanKeyInit(&key[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	scan = systable_beginscan(catalog, SecLabelObjectIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		StringInfo	label = read_label(relation, tuple, RelationGetDescr(catalog));

		if (label)
			labels = lappend(labels, label);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	dp_kept_spell_set(text, labels);
}

/* Prefix of texts of this form: another form has other digests. */
#define FORM "dp_agg question 2"

/* Settings that functions depend on which are not immutable, and texts of values. */
static const char *const settings[] = {
	"TimeZone", "timezone_abbreviations", "DateStyle", "IntervalStyle", "lc_monetary", "lc_numeric",
	"lc_time", "extra_float_digits", "bytea_output", "xmlbinary", "xmloption",
	"default_text_search_config"
};

void
dp_kept_spell_noise(StringInfo text, const DpNoise *noise)
{
	pq_sendint32(text, noise->mechanism | (noise->own > 0 ? DP_KEPT_SHARED : 0) | (noise->across ? DP_KEPT_ACROSS : 0));
	pq_sendint32(text, noise->groups);
	pq_sendint32(text, noise->grid);
	pq_sendint64(text, noise->sensitivity);
	pq_sendint64(text, noise->scale_num);
	pq_sendint64(text, noise->scale_den);
	pq_sendint64(text, noise->sigma);
	if (noise->own == 0)
		return;
	pq_sendint32(text, noise->direction);
	pq_sendint64(text, noise->own);
	if (!noise->across)
		return;
	pq_sendint32(text, noise->own_bits);
	pq_sendint32(text, noise->part);
	pq_sendint32(text, noise->others);
}

/* A release, but for its place, and what only describes it to people or is made of its answer. */
static void
add_release(StringInfo text, const DpRelease *release)
{
	pq_sendbyte(text, release->kind);
	pq_sendfloat8(text, release->epsilon);
	pq_sendfloat8(text, release->delta);
	pq_sendint64(text, release->width);
	pq_sendint32(text, release->features);
	pq_sendint32(text, release->shift);
	pq_sendint32(text, release->nnoise);
	for (int i = 0; i < release->nnoise; i++)
		dp_kept_spell_noise(text, &release->noise[i]);
	if (dp_pricing_is_clipped(release))
	{
		pq_sendint64(text, release->ladder.first);
		pq_sendint32(text, release->ladder.steps);
		pq_sendint32(text, release->ladder.kind);
		pq_sendint32(text, release->ladder_grid);
		pq_sendfloat8(text, release->choice_epsilon);
		dp_kept_spell_noise(text, &release->choice);
	}
	if (dp_kind(release)->choice)
		dp_kept_spell_noise(text, &release->choice);
	if (dp_kind(release)->spell)
		dp_kind(release)->spell(text, release);
}

/* A block, but for its releases, and its cost, which follows. */
static void
add_block(StringInfo text, const DpBlock *block)
{
	dp_kept_name_string(text, block->dataset);
	pq_sendint32(text, block->nkeys);
	pq_sendint32(text, block->domain);
	pq_sendbyte(text, block->listed);
	pq_sendbyte(text, block->by_parts);
	pq_sendfloat8(text, block->sample_rate);
	pq_sendbyte(text, block->selector_shown);
	pq_sendint64(text, block->threshold);
	pq_sendfloat8(text, block->threshold_delta);
	pq_sendbyte(text, block->form);
	pq_sendint32(text, block->size);
	pq_sendint64(text, block->level);
	pq_sendint32(text, block->nreleases);
}

/*
 * The releases of a block as texts, in the order of their columns, which count where one of them
 * is chosen by its number.
 */
static List *
spell_releases(DpSpelling *spelling, const DpBlock *block)
{
	List	   *texts = NIL;

	for (int i = 0; i < block->nreleases; i++)
	{
		StringInfo	text = dp_kept_new_text();

		if (block->release[i].column != block->nkeys + i)
			dp_kept_spell_unknown(spelling, "a release of the column", block->release[i].column);
		pq_sendint32(text, dp_form(block)->of_groups ? 0 : i);
		pq_sendbyte(text, i == block->selector);
		add_release(text, &block->release[i]);
		texts = lappend(texts, text);
	}
	return texts;
}

/* The columns of an answer, of which the last are in this order. */
static List *
columns_in_order(const DpBlock *block, const List *order)
{
	List	   *columns = NIL;
	ListCell   *lc;

	for (int i = 0; i < block->nkeys; i++)
		columns = lappend_int(columns, i);
	foreach(lc, order)
		columns = lappend_int(columns, block->nkeys + lfirst_int(lc));
	return columns;
}

void
dp_kept_spell_settings(StringInfo text)
{
	for (int i = 0; i < lengthof(settings); i++)
	{
		const char *value = GetConfigOption(settings[i], true, false);

		dp_kept_name_string(text, value ? value : "");
	}
}

List *
dp_kept_spell_relations(StringInfo text, const DpSpelling *spelling)
{
	List	   *texts = NIL;
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, spelling->relations)
	{
		Oid			relation = lfirst_oid(lc);
		StringInfo	one = dp_kept_new_text();

		(void) dp_kept_name_relation(one, relation);
		name_labels(one, relation);
		texts = lappend(texts, one);
		names = lappend(names, quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
														  get_rel_name(relation)));
	}
	dp_kept_spell_set(text, texts);
	return names;
}

static int
compare_names(const ListCell *left, const ListCell *right)
{
	return strcmp(lfirst(left), lfirst(right));
}

/*
 * Append the labels of an enum whose values are answered: an answer that has others is not one
 * to this question.  False of types whose values are numbers of objects, which differ elsewhere.
 */
static bool
add_key_type(StringInfo text, Oid type)
{
	Oid			element = get_element_type(type);
	CatCList   *labels;

	if (OidIsValid(element))
		type = element;
	if (dp_kept_is_object_number(type))
		return false;
	if (get_typtype(type) != TYPTYPE_ENUM)
		return true;
	labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	for (int i = 0; i < labels->n_members; i++)
		dp_kept_name_string(text, NameStr(((Form_pg_enum) GETSTRUCT(&labels->members[i]->tuple))->enumlabel));
	ReleaseSysCacheList(labels);
	return true;
}

bool
dp_kept_spell_key_type(StringInfo text, Oid type)
{
	return !(type >= FirstUnpinnedObjectId || dp_kept_is_object_number(type) || OidIsValid(get_element_type(type))) ||
		add_key_type(text, type);
}

static bool
add_key_types(StringInfo text, const DpBlock *block, const Query *exact)
{
	bool		lasting = true;

	for (int i = 0; i < block->nkeys; i++)
	{
		Oid			type = exprType((Node *) list_nth_node(TargetEntry, exact->targetList, i)->expr);

		lasting = dp_kept_spell_key_type(text, type) && lasting;
	}
	return lasting;
}

DpQuestion *
dp_kept_question(const DpBlock *block, const Query *exact, const Query *keys)
{
	DpSpelling	spelling = {.whole = true, .all_entries = block->by_parts};
	DpQuestion *question = palloc(sizeof(DpQuestion));
	const Query *exact_now = dp_kept_by_value(exact);
	const Query *keys_now = keys ? dp_kept_by_value(keys) : NULL;
	DpReleased	released = {.texts = spell_releases(&spelling, block)};
	StringInfoData text;

	/* What its values are is part of a question, and not known before it is opened. */
	if (dp_tree_mentions_public(exact) || (keys && dp_tree_mentions_public(keys)))
		return NULL;
	if (list_length(exact->targetList) != block->nkeys + block->nreleases)
		dp_kept_spell_unknown(&spelling, "columns:", list_length(exact->targetList));
	initStringInfo(&text);
	dp_kept_name_string(&text, FORM);
	add_block(&text, block);
	dp_kept_note(&spelling, add_key_types(&text, block, exact));
	dp_kept_spell_query(&spelling, &text, exact_now, &released);
	pq_sendbyte(&text, keys != NULL);
	if (keys)
		dp_kept_spell_query(&spelling, &text, keys_now, NULL);
	pq_sendbyte(&text, spelling.unsettled);
	if (spelling.unsettled)
		dp_kept_spell_settings(&text);
	if (!spelling.whole)
		return NULL;
	question->lasts = exact_now == exact && keys_now == keys && !spelling.unsettled;
	question->relations = dp_kept_spell_relations(&text, &spelling);
	list_sort(question->relations, compare_names);
	question->columns = columns_in_order(block, released.order);
	dp_budget_chain_sha256(&text, question->digest);
	return question;
}

DpQuestion *
dp_kept_copy_question(const DpQuestion *question)
{
	DpQuestion *copy = palloc(sizeof(DpQuestion));
	ListCell   *lc;

	*copy = *question;
	copy->relations = NIL;
	foreach(lc, question->relations)
		copy->relations = lappend(copy->relations, pstrdup(lfirst(lc)));
	copy->columns = list_copy(question->columns);
	return copy;
}
