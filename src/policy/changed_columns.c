/*
 * changed_columns.c
 *	  Whether columns are still what they were when a query was parsed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/syscache.h"

#include "tree/reason.h"
#include "policy/changed_columns.h"

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
dp_query_check_columns(Query *query, int location)
{
	ListCell   *lc;

	foreach(lc, pull_vars_of_level((Node *) query, 0))
	{
		const Var  *column = lfirst(lc);
		const RangeTblEntry *rte = IsA(column, Var) ? rt_fetch(column->varno, query->rtable) : NULL;
		DpReason   *reason;

		if (rte == NULL || rte->rtekind != RTE_RELATION || column->varattno <= 0 ||
			is_as_parsed(column, rte->relid))
			continue;
		reason = dp_query_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
									column->location >= 0 ? column->location : location,
									"Run it again.",
									"a column of \"%s\" has changed since the query was parsed",
									rte->eref->aliasname);
		return reason;
	}
	return NULL;
}
