/* SPDX-License-Identifier: PostgreSQL */
/*
 * lock_ownership.c
 *	  Ownership of objects of every kind before locks on them.
 *
 * DROP, ALTER, COMMENT and their like look up what they name, lock it and only then ask
 * whose it is.  So every role that may connect could wait for an exclusive lock of
 * another's type, and everybody who uses the type would wait behind.  Here the object
 * is looked up as PostgreSQL does it, under the one lock that conflicts with exclusive
 * ones only.  Its owner is checked as PostgreSQL does it.  Then the lock is released,
 * since two sessions that kept it would wait for each other.
 *
 * PostgreSQL looks up tables and what belongs to them otherwise, and checks rights
 * first, except where lock_privileges.c does.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/catalog.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_largeobject.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat_catalog.h"
#include "sidechannel/lock_ownership.h"

/* The list in which an object's schema would stand before so many names; NIL if it has none. */
static List *
names_of(ObjectType type, Node *object, int *before)
{
	*before = 1;
	switch (type)
	{
		case OBJECT_TYPE:
		case OBJECT_DOMAIN:
			return castNode(TypeName, object)->names;
		case OBJECT_AGGREGATE:
		case OBJECT_FUNCTION:
		case OBJECT_PROCEDURE:
		case OBJECT_ROUTINE:
		case OBJECT_OPERATOR:
			return castNode(ObjectWithArgs, object)->objname;
		case OBJECT_TABLE:
		case OBJECT_SEQUENCE:
		case OBJECT_VIEW:
		case OBJECT_MATVIEW:
		case OBJECT_INDEX:
		case OBJECT_FOREIGN_TABLE:
		case OBJECT_COLLATION:
		case OBJECT_CONVERSION:
		case OBJECT_STATISTIC_EXT:
		case OBJECT_TSPARSER:
		case OBJECT_TSDICTIONARY:
		case OBJECT_TSTEMPLATE:
		case OBJECT_TSCONFIGURATION:
			return castNode(List, object);
		case OBJECT_COLUMN:
			*before = 2;
			return castNode(List, object);
		default:
			return NIL;
	}
}

/* Put the schema before so many names, unless it is there; a list that is not empty grows in place. */
static void
qualify(List *names, int before, Oid schema)
{
	List	   *fixed PG_USED_FOR_ASSERTS_ONLY = names;

	if (list_length(names) == before && OidIsValid(schema) && !isAnyTempNamespace(schema))
		fixed = lcons(makeString(get_namespace_name(schema)), names);
	Assert(fixed == names);
}

/* Have a name mean what it means now. */
static void
fix_names(ObjectType type, Node *object, Oid schema)
{
	int			before;
	List	   *names = names_of(type, object, &before);

	qualify(names, before, schema);
}

/* Give back the weak lock that looking up has left. */
static void
release(const ObjectAddress *address, Relation relation)
{
	if (address->classId != RelationRelationId)
	{
		if (IsSharedRelation(address->classId))
			UnlockSharedObject(address->classId, address->objectId, 0, AccessShareLock);
		else
			UnlockDatabaseObject(address->classId, address->objectId, 0, AccessShareLock);
	}
	if (relation != NULL)
		relation_close(relation, AccessShareLock);
}

/* Raise the error for want of ownership of what is there; a schema's owner may drop what is in it. */
static void
check_object(ObjectType type, Node *object, bool is_dropped)
{
	Relation	relation = NULL;
	ObjectAddress address = get_object_address(type, object, &relation, AccessShareLock, true);
	Oid			schema;

	if (!OidIsValid(address.objectId))
		return;
	schema = address.classId == LargeObjectRelationId ? InvalidOid : get_object_namespace(&address);
	if (!is_dropped || !OidIsValid(schema) || !dp_compat_owns(NamespaceRelationId, schema, GetUserId()))
		check_object_ownership(GetUserId(), type, address, object, relation);
	fix_names(type, object, schema);
	release(&address, relation);
}

/* Does DROP look up such objects as others, and not as tables? */
static bool
is_dropped_by_name(ObjectType type)
{
	switch (type)
	{
		case OBJECT_TABLE:
		case OBJECT_SEQUENCE:
		case OBJECT_VIEW:
		case OBJECT_MATVIEW:
		case OBJECT_INDEX:
		case OBJECT_FOREIGN_TABLE:
			return false;
		default:
			return true;
	}
}

static void
check_dropped(DropStmt *command)
{
	ListCell   *lc;

	foreach(lc, command->objects)
		check_object(command->removeType, lfirst(lc), true);
}

/* Types are altered by a list of names. */
static void
check_type(List *names)
{
	check_object(OBJECT_TYPE, (Node *) makeTypeNameFromNameList(names), false);
}

/*
 * Kinds of objects that are altered by name; not relations and what belongs to
 * them, nor databases.
 */
static void
check_altered(ObjectType type, Node *object)
{
	switch (type)
	{
		case OBJECT_TYPE:
		case OBJECT_DOMAIN:
			check_type(castNode(List, object));
			break;
		case OBJECT_AGGREGATE:
		case OBJECT_COLLATION:
		case OBJECT_CONVERSION:
		case OBJECT_EVENT_TRIGGER:
		case OBJECT_EXTENSION:
		case OBJECT_FDW:
		case OBJECT_FOREIGN_SERVER:
		case OBJECT_FUNCTION:
		case OBJECT_LANGUAGE:
		case OBJECT_LARGEOBJECT:
		case OBJECT_OPCLASS:
		case OBJECT_OPERATOR:
		case OBJECT_OPFAMILY:
		case OBJECT_PROCEDURE:
		case OBJECT_PUBLICATION:
		case OBJECT_ROUTINE:
		case OBJECT_SCHEMA:
		case OBJECT_STATISTIC_EXT:
		case OBJECT_SUBSCRIPTION:
		case OBJECT_TABLESPACE:
		case OBJECT_TSCONFIGURATION:
		case OBJECT_TSDICTIONARY:
		case OBJECT_TSPARSER:
		case OBJECT_TSTEMPLATE:
			check_object(type, object, false);
			break;
		default:
			break;
	}
}

/* Some are renamed by a name that is no object. */
static void
check_renamed(RenameStmt *command)
{
	check_altered(command->renameType, command->object ? command->object :
				  (Node *) makeString(command->subname));
}

/* The types by which a function is told from others of its name. */
static List *
input_types(List *parameters)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, parameters)
	{
		FunctionParameter *parameter = lfirst_node(FunctionParameter, lc);

		if (parameter->mode != FUNC_PARAM_OUT && parameter->mode != FUNC_PARAM_TABLE)
			result = lappend(result, parameter->argType);
	}
	return result;
}

/* A function or aggregate that is made, and replaced if it is there. */
static void
check_replaced(List *names, List *parameters)
{
	ObjectWithArgs *function = makeNode(ObjectWithArgs);
	char	   *name;
	Oid			schema = QualifiedNameGetCreationNamespace(names, &name);

	function->objname = list_make2(makeString(get_namespace_name(schema)), makeString(name));
	function->objargs = input_types(parameters);
	check_object(OBJECT_ROUTINE, (Node *) function, false);
	qualify(names, 1, schema);
}

/* Aggregates are defined with a list of parameters and a number, or without in the old style. */
static void
check_defined(DefineStmt *command)
{
	if (command->kind == OBJECT_AGGREGATE && !command->oldstyle)
		check_replaced(command->defnames, linitial_node(List, command->args));
}

bool
dp_sidechannel_needs_owner(Node *command)
{
	switch (nodeTag(command))
	{
		case T_DropStmt:
			return is_dropped_by_name(((DropStmt *) command)->removeType);
		case T_CreateFunctionStmt:
			return ((CreateFunctionStmt *) command)->replace;
		case T_DefineStmt:
			return ((DefineStmt *) command)->replace;
		case T_RenameStmt:
		case T_AlterObjectSchemaStmt:
		case T_AlterOwnerStmt:
		case T_AlterObjectDependsStmt:
		case T_CommentStmt:
		case T_SecLabelStmt:
		case T_AlterExtensionContentsStmt:
			return true;
		default:
			return false;
	}
}

void
dp_sidechannel_check_owner(Node *command)
{
	switch (nodeTag(command))
	{
		case T_DropStmt:
			check_dropped((DropStmt *) command);
			break;
		case T_CreateFunctionStmt:
			if (((CreateFunctionStmt *) command)->replace)
				check_replaced(((CreateFunctionStmt *) command)->funcname,
							   ((CreateFunctionStmt *) command)->parameters);
			break;
		case T_DefineStmt:
			if (((DefineStmt *) command)->replace)
				check_defined((DefineStmt *) command);
			break;
		case T_RenameStmt:
			check_renamed((RenameStmt *) command);
			break;
		case T_AlterObjectSchemaStmt:
			check_altered(((AlterObjectSchemaStmt *) command)->objectType,
						  ((AlterObjectSchemaStmt *) command)->object);
			break;
		case T_AlterOwnerStmt:
			check_altered(((AlterOwnerStmt *) command)->objectType,
						  ((AlterOwnerStmt *) command)->object);
			break;
		case T_AlterObjectDependsStmt:
			check_altered(((AlterObjectDependsStmt *) command)->objectType,
						  ((AlterObjectDependsStmt *) command)->object);
			break;
		case T_CommentStmt:
			check_object(((CommentStmt *) command)->objtype,
						 ((CommentStmt *) command)->object, false);
			break;
		case T_SecLabelStmt:
			check_object(((SecLabelStmt *) command)->objtype,
						 ((SecLabelStmt *) command)->object, false);
			break;
		case T_AlterExtensionContentsStmt:
			check_object(((AlterExtensionContentsStmt *) command)->objtype,
						 ((AlterExtensionContentsStmt *) command)->object, false);
			break;
		default:
			break;
	}
}
