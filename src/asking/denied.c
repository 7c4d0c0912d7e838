/* SPDX-License-Identifier: PostgreSQL */
/*
 * denied.c
 *	  What a role is told that may not read protected rows.
 *
 * The hint is made of what is public: names of columns, and what their owner declared.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "asking/denied.h"
#include "asking/select_right.h"
#include "base/settings.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "from/key_closure.h"
#include "policy/domain.h"
#include "policy/policy.h"
#include "tree/reason.h"

/* Are all values of a column public by its type, or by what is declared of it? */
static bool
has_public_keys(const FormData_pg_attribute *column, const DpDomain *domain)
{
	Oid			type = getBaseType(column->atttypid);

	return domain->kind == DP_DOMAIN_KEYS || type == BOOLOID || get_typtype(type) == TYPTYPE_ENUM;
}

/* Is it a number within bounds that are declared? */
static bool
has_mean(const FormData_pg_attribute *column, const DpDomain *domain)
{
	char		category;
	bool		preferred;

	get_type_category_preferred(getBaseType(column->atttypid), &category, &preferred);
	return domain->kind == DP_DOMAIN_RANGE && category == TYPCATEGORY_NUMERIC;
}

/* Names of columns to group by and to take the mean of, as identifiers; NULL if there are none. */
static void
choose_columns(Relation relation, const DpPolicy *policy, const char **key, const char **value)
{
	TupleDesc	desc = RelationGetDescr(relation);

	for (int i = 0; i < desc->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(desc, i);
		const char *name = quote_identifier(NameStr(column->attname));
		DpDomain	domain;

		if (column->attisdropped || column->attnum == policy->unit ||
			bms_is_member(column->attnum, policy->hidden))
			continue;
		dp_policy_domain_get(RelationGetRelid(relation), column->attnum, &domain);
		if (*key == NULL && has_public_keys(column, &domain))
			*key = name;
		if (*value == NULL && has_mean(column, &domain))
			*value = name;
	}
}

/* A query for aggregates of this table that would be answered. */
static char *
example_query(Oid relid, const DpPolicy *policy)
{
	Relation	relation = table_open(relid, AccessShareLock);
	const char *prefix = dp_settings_plain_aggregates ? "" : "dp_";
	const char *key = NULL;
	const char *value = NULL;
	const char *table = quote_identifier(RelationGetRelationName(relation));
	StringInfoData text;

	if (!RelationIsVisible(relid))
		table = quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
										   RelationGetRelationName(relation));
	choose_columns(relation, policy, &key, &value);
	table_close(relation, NoLock);
	initStringInfo(&text);
	appendStringInfo(&text, "SELECT %s%s%scount(*)", key ? key : "", key ? ", " : "", prefix);
	if (value)
		appendStringInfo(&text, ", %savg(%s)", prefix, value);
	appendStringInfo(&text, " FROM %s", table);
	if (key)
		appendStringInfo(&text, " GROUP BY %s", key);
	return text.data;
}

/* The table's name as a statement writes it. */
static const char *
table_name(Oid relid)
{
	const char *name = get_rel_name(relid);

	return RelationIsVisible(relid) ? quote_identifier(name)
		: quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)), name);
}

/* Does a level group by the unit, or read what does?  Each query is looked at once, however often it is referred to. */
static bool
shows_units(Query *query, List *levels, List **seen)
{
	ListCell   *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (list_member_ptr(*seen, query))
		return false;
	*seen = lappend(*seen, query);
	if (dp_asking_aggregates_rows(query))
		return dp_asking_groups_by_unit(query, levels);
	foreach(lc, query->rtable)
	{
		List	   *inner_levels;
		Query	   *inner = dp_from_subquery_of(lfirst(lc), levels, &inner_levels);

		if (inner && shows_units(inner, inner_levels, seen))
			return true;
	}
	return false;
}

/* Raise it for groups by the unit, with a query around them that would be answered: how many units have how many rows. */
static void
raise_single_units(const DpRawRows *rows, const DpPolicy *policy)
{
	const char *unit = quote_identifier(get_attname(rows->relid, policy->unit, false));
	const char *prefix = dp_settings_plain_aggregates ? "" : "dp_";

	dp_tree_raise(dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, -1,
									psprintf("Aggregate the groups in a query around them: SELECT n, %scount(*) FROM (SELECT %s, count(*) AS n FROM %s GROUP BY %s) s GROUP BY n;",
											 prefix, unit, table_name(rows->relid), unit),
									"groups of \"%s\" by its privacy unit, or by a key that names it, are single units, which are never shown",
									get_rel_name(rows->denied->relid)), NULL);
}

/* The column that a subquery in an expression selects, by name; else NULL. */
static const char *
selected_column(Query *query)
{
	Var		   *var = query->targetList ? (Var *) linitial_node(TargetEntry, query->targetList)->expr : NULL;
	RangeTblEntry *rte;

	if (var == NULL || !IsA(var, Var) || var->varlevelsup > 0 || var->varattno <= 0)
		return NULL;
	rte = rt_fetch(var->varno, query->rtable);
	return dp_asking_is_protected_item(rte) ? quote_identifier(get_rte_attribute_name(rte, var->varattno)) : NULL;
}

/* Raise it for protected rows in IN or EXISTS, with groups of them that would be listed. */
static void
raise_listed_rows(Query *query, const DpRawRows *rows, const DpPolicy *policy)
{
	const char *column = selected_column(query);
	const char *value = NULL;
	Relation	relation = table_open(rows->relid, AccessShareLock);

	if (column == NULL || strcmp(column, quote_identifier(get_attname(rows->relid, policy->unit, false))) == 0)
		column = NULL;
	if (column == NULL)
		choose_columns(relation, policy, &column, &value);
	table_close(relation, NoLock);
	dp_tree_raise(dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, -1,
									column && dp_settings_plain_aggregates
									? psprintf("List groups of enough people, which are released: IN (SELECT %s FROM %s GROUP BY %s).",
											   column, table_name(rows->relid), column)
									: "Have a subquery there release aggregates.",
									"protected rows of \"%s\" may not choose other rows by IN or EXISTS",
									get_rel_name(rows->denied->relid)), NULL);
}

/* Is a level what an expression of the one around it tests? */
static bool
is_tested(Query *query, List *levels)
{
	List	   *around = list_length(levels) > 1 ? lsecond_node(Query, levels)->rtable : NIL;
	ListCell   *lc;

	if (list_length(levels) < 2)
		return false;
	foreach(lc, around)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_SUBQUERY && lfirst_node(RangeTblEntry, lc)->subquery == query)
			return false;
	foreach(lc, lsecond_node(Query, levels)->cteList)
		if (lfirst_node(CommonTableExpr, lc)->ctequery == (Node *) query)
			return false;
	return !dp_asking_aggregates_rows(query);
}

/* The policy of a protected table, if the role has a budget for it. */
static bool
get_policy_paid(Oid relid, DpPolicy *policy)
{
	DpBalance	balance;

	return dp_policy_policy_get(relid, policy) &&
		dp_budget_peek(dp_budget_role_asking(), NameStr(policy->dataset), &balance);
}

/* Raise it, for the role that has a budget. */
static void
raise_denial(Query *query, List *levels, const DpRawRows *rows)
{
	DpPolicy	policy;
	List	   *seen = NIL;

	if (!get_policy_paid(rows->relid, &policy))
		return;
	if (shows_units(query, levels, &seen))
		raise_single_units(rows, &policy);
	if (is_tested(query, levels))
		raise_listed_rows(query, rows, &policy);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for %s %s",
					rows->denied->relkind == RELKIND_VIEW ? "view" : "table",
					get_rel_name(rows->denied->relid)),
			 errhint("Rows are never shown. Ask for aggregates: %s;",
					 example_query(rows->relid, &policy))));
}

static bool
look_at_level(Query *query, List *levels, void *context)
{
	DpRawRows	rows;

	dp_asking_find_raw_rows(query, levels, &rows);
	if (rows.denied)
		raise_denial(query, levels, &rows);
	return false;
}

void
dp_asking_explain_denial(Query *query)
{
	(void) dp_asking_visit_levels(query, true, look_at_level, NULL);
}

void
dp_asking_explain_copy(const CopyStmt *copy)
{
	Oid			relid = copy->relation && !copy->is_from && copy->filename == NULL
		? RangeVarGetRelid(copy->relation, AccessShareLock, true) : InvalidOid;
	DpPolicy	policy;

	if (!OidIsValid(relid) || !dp_policy_is_protected(relid) ||
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK ||
		!get_policy_paid(relid, &policy))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for table %s", get_rel_name(relid)),
			 errhint("Rows are never shown. Copy aggregates: COPY (%s) TO STDOUT;", example_query(relid, &policy))));
}
