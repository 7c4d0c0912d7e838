/* SPDX-License-Identifier: PostgreSQL */
/*
 * partitions.c
 *	  What a session knows of all partitions and children of a table.
 *
 * Trees of partitions and of indexes are read alike.  A tree that changes while it is read is
 * not kept; what was found of it is returned all the same, and the statement it was read for is
 * validated again.  A transaction that wrote a row is kept as it stands there, not whether it
 * precedes others: what it has to precede may go back.  Should its number be kept for so long that
 * numbers wrap around, it seems to lie ahead, and proves nothing.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "policy/partitions.h"

typedef struct Tree
{
	Oid			root;			/* a table or an index */
	bool		is_index;
	MemoryContext context;		/* that it is in */
	List	   *members;		/* OIDs, sorted: the root, and all below it */
	List	   *foreign;		/* those that are foreign tables */
	bool		whole;			/* was every one there; of indexes, is every one in force? */
	uint64		fit;			/* how often any relation had changed when nobody objected to one;
								 * 0: never */
	TransactionId newest;		/* that wrote one of their rows */
	struct Tree *next;
} Tree;

static Tree *trees = NULL;

/* How often any relation has changed. */
static uint64 changes = 1;

#ifdef USE_ASSERT_CHECKING
uint64		dp_policy_partitions_looked_at = 0;
#endif

/* Is a relation one of a sorted list? */
static bool
has_member(const Tree *tree, Oid relid)
{
	int			low = 0;
	int			high = list_length(tree->members);

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (list_nth_oid(tree->members, middle) < relid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list_length(tree->members) && list_nth_oid(tree->members, low) == relid;
}

void
dp_policy_forget_partitions(Oid relid)
{
	Tree	  **place = &trees;

	changes++;
	while (*place)
	{
		Tree	   *tree = *place;

		if (!OidIsValid(relid) || has_member(tree, relid))
		{
			*place = tree->next;
			MemoryContextDelete(tree->context);
		}
		else
			place = &tree->next;
	}
}

void
dp_policy_doubt_members(void)
{
	changes++;
}

bool
dp_policy_has_children(Oid relid)
{
	return has_subclass(relid) && get_rel_relkind(relid) == RELKIND_RELATION &&
		find_inheritance_children(relid, NoLock) != NIL;
}

bool
dp_policy_index_is_in_force(Form_pg_index index)
{
	return index->indisunique && index->indimmediate && index->indisvalid &&
		index->indisready && index->indislive;
}

/* Note who wrote a row. */
static void
add_writer(Tree *tree, HeapTuple tuple)
{
	TransactionId writer = HeapTupleHeaderGetXmin(tuple->t_data);

	if (!TransactionIdIsValid(tree->newest) || TransactionIdPrecedes(tree->newest, writer))
		tree->newest = writer;
}

/*
 * Look at the pg_class row of a member, or of an index at that of pg_index.  Returns the former's
 * kind.  That is looked up last: it is in the cache when its children are asked for, and no
 * member that was dropped raises an error there.
 */
static char
look_at(Tree *tree, Oid relid)
{
	HeapTuple	index = tree->is_index ? SearchSysCache1(INDEXRELID, ObjectIdGetDatum(relid)) : NULL;
	HeapTuple	class = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	char		kind = '\0';

#ifdef USE_ASSERT_CHECKING
	dp_policy_partitions_looked_at++;
#endif
	if (!HeapTupleIsValid(class) || (tree->is_index && !HeapTupleIsValid(index)))
		tree->whole = false;
	else
		add_writer(tree, tree->is_index ? index : class);
	if (HeapTupleIsValid(class))
	{
		kind = ((Form_pg_class) GETSTRUCT(class))->relkind;
		ReleaseSysCache(class);
	}
	if (HeapTupleIsValid(index))
	{
		tree->whole = tree->whole && dp_policy_index_is_in_force((Form_pg_index) GETSTRUCT(index));
		ReleaseSysCache(index);
	}
	return kind;
}

/*
 * Read a tree, into a memory context of its own.  Partitions that are being detached are in it,
 * since an older snapshot sees them.
 */
static Tree *
read_tree(Oid root, bool is_index)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg partitions",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Tree	   *tree = palloc0(sizeof(Tree));
	ListCell   *lc;

	tree->root = root;
	tree->is_index = is_index;
	tree->context = context;
	tree->whole = true;
	tree->members = list_make1_oid(root);
	/* It grows meanwhile. */
	foreach(lc, tree->members)
	{
		Oid			relid = lfirst_oid(lc);
		char		kind = look_at(tree, relid);

		CHECK_FOR_INTERRUPTS();
		if (kind == RELKIND_FOREIGN_TABLE)
			tree->foreign = lappend_oid(tree->foreign, relid);
		if (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE || kind == RELKIND_PARTITIONED_INDEX)
			tree->members = list_concat(tree->members,
										find_inheritance_children_extended(relid, false, NoLock, NULL, NULL));
	}
	list_sort(tree->members, list_oid_cmp);
	MemoryContextSwitchTo(old);
	return tree;
}

/* The tree below a table or an index: kept if it is one, unless something changed while it was read. */
static const Tree *
tree_of(Oid root, bool is_index)
{
	Tree	   *tree = trees;
	uint64		before = changes;

	while (tree && tree->root != root)
		tree = tree->next;
	if (tree)
		return tree;
	tree = read_tree(root, is_index);
	if (changes == before && list_length(tree->members) > 1)
	{
		MemoryContextSetParent(tree->context, TopMemoryContext);
		tree->next = trees;
		trees = tree;
	}
	return tree;
}

/* Lock a relation.  Is it there still? */
static bool
lock_member(Oid relid)
{
	LockRelationOid(relid, AccessShareLock);
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		return true;
	UnlockRelationOid(relid, AccessShareLock);
	return false;
}

List *
dp_policy_lock_foreign_partitions(Oid relid)
{
	/* A copy: to lock is to learn of changes, which may forget the tree. */
	List	   *all = list_copy(tree_of(relid, false)->foreign);
	List	   *locked = NIL;
	ListCell   *lc;

	foreach(lc, all)
		if (lock_member(lfirst_oid(lc)))
			locked = lappend_oid(locked, lfirst_oid(lc));
	list_free(all);
	return locked;
}

bool
dp_policy_is_part_of(Oid table, Oid relid)
{
	return relid != table && has_member(tree_of(table, false), relid);
}

/* Note that nobody objected to a member of a tree, if it is kept. */
static void
note_fit(Oid root)
{
	for (Tree *tree = trees; tree; tree = tree->next)
		if (tree->root == root)
			tree->fit = changes;
}

DpReason *
dp_policy_check_members(Relation root, DpReason *(*check) (Oid member, Relation root))
{
	uint64		before = changes;
	const Tree *tree = tree_of(RelationGetRelid(root), false);
	DpReason   *reason = NULL;
	List	   *all;
	ListCell   *lc;

	if (tree->fit == changes)
		return NULL;
	/* A copy: to lock is to learn of changes, which may forget the tree. */
	all = list_copy(tree->members);
	foreach(lc, all)
		if (reason == NULL && lfirst_oid(lc) != RelationGetRelid(root) && lock_member(lfirst_oid(lc)))
			reason = check(lfirst_oid(lc), root);
	list_free(all);
	if (reason == NULL && changes == before)
		note_fit(RelationGetRelid(root));
	return reason;
}

/* Is everything there, and was it written before a transaction? */
static bool
is_old(const Tree *tree, TransactionId horizon)
{
	return tree->whole && TransactionIdPrecedes(tree->newest, horizon);
}

bool
dp_policy_partitions_are_old(Oid relid, TransactionId horizon)
{
	return is_old(tree_of(relid, false), horizon);
}

bool
dp_policy_index_parts_hold(Oid indexid, TransactionId horizon)
{
	return is_old(tree_of(indexid, true), horizon);
}
