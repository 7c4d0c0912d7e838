/* SPDX-License-Identifier: PostgreSQL */
/*
 * table_trust.c
 *	  May the analyst have chosen what a public table holds?
 *
 * It is not if two things hold.  It belongs to the owner of a protected table, or to a
 * superuser.  And no role that the analyst is, or could become by SET ROLE or by a
 * membership she may give herself, may write to it or to one of its columns.  Writing
 * is to insert or change rows, choose those that stay, have a trigger of her own change
 * what others write, or maintain it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "base/compat_planner.h"
#include "from/contribution.h"
#include "from/from_item.h"
#include "from/public_rows.h"
#include "from/table_trust.h"
#include "policy/partitions.h"
#include "policy/policy.h"
#include "policy/stored_code.h"
#include "policy/unique.h"
#include "tree/named_columns.h"

static bool is_trusted(Oid relid, List *tables);

/*
 * Tables that are not protected, and may be joined with protected rows.
 */

/* Is it a table whose rows are its own, and the same for whoever reads them? */
static bool
is_plain_table(RangeTblEntry *rte, Relation relation)
{
	Form_pg_class form = relation->rd_rel;

	return form->relkind == RELKIND_RELATION && form->relpersistence != RELPERSISTENCE_TEMP &&
		!form->relrowsecurity && !IsCatalogRelation(relation) && rte->securityQuals == NIL &&
		rte->tablesample == NULL && !dp_policy_has_children(RelationGetRelid(relation));
}

DpReason *
dp_from_check_public(RangeTblEntry *rte, Relation relation, int location)
{
	if (!is_plain_table(rte, relation))
		return dp_tree_reason(location,
							  "A public table is one you may read: permanent, plain, without children and row security.",
							  "\"%s\" cannot be joined with protected rows", rte->eref->aliasname);
	if (dp_policy_has_foreign_code(relation))
		return dp_tree_reason(location,
							  "Copy its rows into a table whose indexes, constraints and statistics call no code that is not built in.",
							  "\"%s\" cannot be joined with protected rows: it stores calls of code that is not built in",
							  rte->eref->aliasname);
	return NULL;
}

bool
dp_from_is_joined_as_table(RangeTblEntry *rte)
{
	Relation	relation = table_open(rte->relid, NoLock);
	bool		plain = is_plain_table(rte, relation);

	table_close(relation, NoLock);
	return plain;
}

/* Has a table any key that can vouch for its having one match at most? */
static bool
has_key(Relation relation)
{
	bool		found = false;
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		found = found || dp_policy_key_is_in_force(index);
		index_close(index, AccessShareLock);
	}
	return found;
}

bool
dp_from_may_join_table(RangeTblEntry *rte)
{
	Relation	relation = table_open(rte->relid, NoLock);
	bool		may = dp_from_check_public(rte, relation, -1) == NULL && has_key(relation);

	table_close(relation, NoLock);
	return may && pg_class_aclcheck(rte->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}
#ifdef ACL_MAINTAIN
#define MAINTAIN ACL_MAINTAIN
#else
#define MAINTAIN 0
#endif
/* Members of these roles may write to a table, whatever its own privileges say. */
static const Oid writers[] = {
	ROLE_PG_WRITE_ALL_DATA,
#ifdef ROLE_PG_MAINTAIN
	ROLE_PG_MAINTAIN,
#endif
};

/* Is the role a member of the other one, or may it be when it likes? */
static bool
may_join(Oid member, Oid role)
{
	return is_member_of_role(member, role) || dp_compat_may_grant(member, role);
}

/* Could whoever asks take on this role?  A superuser's session has no need to. */
static bool
may_become(Oid role)
{
	Oid			session = GetSessionUserId();

	return role == ACL_ID_PUBLIC || may_join(GetUserId(), role) ||
		(!superuser_arg(session) && may_join(session, role));
}

/* A role that may write to any table? */
static bool
may_write_all(void)
{
	for (int i = 0; i < lengthof(writers); i++)
		if (may_become(writers[i]))
			return true;
	return false;
}

/* Do these privileges, if there are any, let such a role write? */
static bool
lets_write(Datum value, bool null)
{
	bool		writes = false;
	Acl		   *acl;

	if (null)
		return false;
	acl = DatumGetAclP(value);
	for (int i = 0; i < ACL_NUM(acl); i++)
	{
		const AclItem *item = &ACL_DAT(acl)[i];

		if (ACLITEM_GET_PRIVS(*item) & (ACL_INSERT | ACL_UPDATE | ACL_DELETE | ACL_TRIGGER | MAINTAIN))
			writes = writes || may_become(item->ai_grantee);
	}
	return writes;
}

static bool
column_lets_write(Oid relid, AttrNumber column)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(column));
	bool		null;
	bool		writes;
	Datum		acl;

	if (!HeapTupleIsValid(tuple))
		return false;
	acl = SysCacheGetAttr(ATTNUM, tuple, Anum_pg_attribute_attacl, &null);
	writes = lets_write(acl, null);
	ReleaseSysCache(tuple);
	return writes;
}

/* Does a superuser, or an owner of one of the protected tables, own it? */
static bool
has_trusted_owner(Oid owner, List *tables)
{
	ListCell   *lc;

	if (superuser_arg(owner))
		return true;
	foreach(lc, tables)
		if (((DpTable *) lfirst(lc))->owner == owner)
			return true;
	return false;
}

/* Is it certain that whoever asks had no hand in what a public table holds? */
static bool
is_trusted(Oid relid, List *tables)
{
	HeapTuple	tuple;
	Form_pg_class class;
	bool		trusted;
	bool		null;
	Datum		acl;

	if (superuser())
		return true;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	class = (Form_pg_class) GETSTRUCT(tuple);
	acl = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &null);
	trusted = has_trusted_owner(class->relowner, tables) && !may_become(class->relowner) &&
		!may_write_all() && !lets_write(acl, null);
	for (AttrNumber column = 1; trusted && column <= class->relnatts; column++)
		trusted = !column_lets_write(relid, column);
	ReleaseSysCache(tuple);
	return trusted;
}

void
dp_from_mark_untrusted(List *leaves, List *tables)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (!leaf->is_protected && leaf->rte->rtekind == RTE_RELATION && !is_trusted(leaf->rte->relid, tables))
			DP_PERMISSIONS(leaf->query, leaf->rte)->checkAsUser = GetUserId();
	}
}

/* Is this item of a query's FROM a table that is so marked? */
static bool
is_untrusted(Query *query, RangeTblEntry *rte)
{
	DpPolicy	policy;

	return rte->rtekind == RTE_RELATION && DP_HAS_PERMISSIONS(rte) &&
		DP_PERMISSIONS(query, rte)->checkAsUser == GetUserId() && !dp_policy_policy_get(rte->relid, &policy);
}

/* Does a subquery show anything that is made of what the analyst may have chosen? */
static bool
shows_untrusted(Query *query)
{
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, query->setOperations ? query->rtable : NIL)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && rte->subquery && shows_untrusted(rte->subquery))
			return true;
	}
	foreach(lc, query->setOperations ? NIL : dp_tree_named_columns((Node *) query->targetList))
	{
		RangeTblEntry *rte = rt_fetch(castNode(Var, lfirst(lc))->varno, query->rtable);

		if (is_untrusted(query, rte) || (rte->rtekind == RTE_FUNCTION && !dp_from_has_few_rows(rte)) ||
			(rte->rtekind == RTE_SUBQUERY && rte->subquery && shows_untrusted(rte->subquery)))
			return true;
	}
	return false;
}

bool
dp_from_has_untrusted(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (is_untrusted(query, rte) || (rte->rtekind == RTE_SUBQUERY && rte->subquery && shows_untrusted(rte->subquery)))
			return true;
	}
	return false;
}
