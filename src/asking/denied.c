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
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "asking/denied.h"
#include "asking/select_right.h"
#include "base/settings.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "policy/domain.h"
#include "policy/policy.h"

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

/* Raise it, for the role that has a budget. */
static void
raise_denial(const DpRawRows *rows)
{
	DpPolicy	policy;
	DpBalance	balance;

	if (!dp_policy_policy_get(rows->relid, &policy) ||
		!dp_budget_peek(dp_budget_role_asking(), NameStr(policy.dataset), &balance))
		return;
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
		raise_denial(&rows);
	return false;
}

void
dp_asking_explain_denial(Query *query)
{
	(void) dp_asking_visit_levels(query, true, look_at_level, NULL);
}
