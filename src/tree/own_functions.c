/* SPDX-License-Identifier: PostgreSQL */
/*
 * own_functions.c
 *	  Recognising and finding the extension's own functions.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "tree/own_functions.h"

typedef struct FunctionEntry
{
	Oid			funcid;			/* hash key */
	DpFunction	function;
	bool		asked;			/* whether it is a member of the extension, */
	bool		member;			/* and is it? */
} FunctionEntry;

static HTAB *function_cache = NULL;

static const struct
{
	const char *name;
	DpFunction	function;
}			analyst_functions[] = {
#define DP_FUNCTION(function, name) {name, DP_FUNCTION_##function},
#include "tree/own_function_list.h"
#undef DP_FUNCTION
};

/* Any change to pg_proc may be ours: forget everything. */
static void
forget_functions(Datum arg, int cacheid, uint32 hashvalue)
{
	HTAB	   *cache = function_cache;

	function_cache = NULL;
	if (cache)
		hash_destroy(cache);
}

void
dp_tree_catalog_init(void)
{
	CacheRegisterSyscacheCallback(PROCOID, forget_functions, (Datum) 0);
}

bool
dp_tree_is_extensions(Oid funcid)
{
	Oid			extension = get_extension_oid("dp_agg", true);

	return OidIsValid(extension) && getExtensionOfObject(ProcedureRelationId, funcid) == extension;
}

/* Look the function up in the catalogs: name first, then membership. */
static DpFunction
resolve_function(Oid funcid)
{
	char	   *name = get_func_name(funcid);
	DpFunction	function = DP_FUNCTION_OTHER;

	if (name == NULL)
		return DP_FUNCTION_OTHER;
	for (int i = 0; i < lengthof(analyst_functions); i++)
		if (strcmp(name, analyst_functions[i].name) == 0)
			function = analyst_functions[i].function;
	pfree(name);
	if (function != DP_FUNCTION_OTHER && !dp_tree_is_extensions(funcid))
		function = DP_FUNCTION_OTHER;
	return function;
}

/* The entry of a function in the cache; a new one has no member but the key. */
static FunctionEntry *
enter(Oid funcid)
{
	FunctionEntry *entry;
	bool		found;

	if (function_cache == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(FunctionEntry)};

		function_cache = hash_create("dp_agg functions", 32, &control,
									 HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(function_cache, &funcid, HASH_ENTER, &found);
	if (!found)
		*entry = (FunctionEntry) {.funcid = funcid};
	return entry;
}

DpFunction
dp_tree_function(Oid funcid)
{
	FunctionEntry *entry;
	DpFunction	function;

	if (funcid < FirstNormalObjectId)
		return DP_FUNCTION_OTHER;
	if (function_cache)
	{
		entry = hash_search(function_cache, &funcid, HASH_FIND, NULL);
		if (entry)
			return entry->function;
	}

	/* Resolving reads catalogs and so may empty the cache: enter afterwards. */
	function = resolve_function(funcid);
	enter(funcid)->function = function;
	return function;
}

/* The same as dp_tree_is_extensions(), which is looked up once as long as no function changes. */
static bool
is_member(Oid funcid)
{
	DpFunction	function = dp_tree_function(funcid);
	FunctionEntry *entry = enter(funcid);
	bool		member;

	if (entry->asked)
		return entry->member;
	member = dp_tree_is_extensions(funcid);
	entry = enter(funcid);
	*entry = (FunctionEntry) {funcid, function, true, member};
	return member;
}

/* Raise, for want of a function of the extension. */
static void
report_missing(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("extension \"dp_agg\" is incomplete: function %s is missing", name),
			 errhint("Run ALTER EXTENSION dp_agg UPDATE.")));
}

/*
 * The analyst's function of this name with so many arguments, the first ones of these
 * types; InvalidOid if there is none.
 */
static Oid
find_function(const char *name, int nargs, int ntypes, const Oid *types)
{
	CatCList   *named = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	Oid			found = InvalidOid;

	for (int i = 0; i < named->n_members && !OidIsValid(found); i++)
	{
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(&named->members[i]->tuple);

		if (form->pronargs == nargs &&
			memcmp(form->proargtypes.values, types, ntypes * sizeof(Oid)) == 0 &&
			dp_tree_function(form->oid) != DP_FUNCTION_OTHER)
			found = form->oid;
	}
	ReleaseSysCacheList(named);
	return found;
}

Oid
dp_tree_count_function(int nargs)
{
	Oid			none = InvalidOid;
	Oid			found = find_function("dp_count", nargs, 0, &none);

	if (!OidIsValid(found))
		report_missing("dp_count");
	return found;
}

Oid
dp_tree_own_function(const char *name, int nargs, const Oid *types)
{
	return find_function(name, nargs, nargs, types);
}

Oid
dp_tree_longer_function(Oid funcid, int nargs)
{
	char	   *name = get_func_name(funcid);
	Oid		   *types;
	int			ntypes;
	Oid			found;

	get_func_signature(funcid, &types, &ntypes);
	found = find_function(name, nargs, ntypes, types);
	if (!OidIsValid(found))
		report_missing(name);
	return found;
}

/*
 * The extension's function in a schema with exactly these arguments; InvalidOid if there is none.
 * That a function stands in one of our schemas does not make it ours.
 */
static Oid
function_in(const char *schema, const char *name, oidvector *types)
{
	Oid			funcid = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name), PointerGetDatum(types),
										 ObjectIdGetDatum(get_namespace_oid(schema, false)));

	return OidIsValid(funcid) && is_member(funcid) ? funcid : InvalidOid;
}

Oid
dp_tree_internal_function(const char *name, int nargs, const Oid *argtypes)
{
	oidvector  *types = buildoidvector(argtypes, nargs);
	Oid			funcid = function_in("dp_agg_internal", name, types);

	if (!OidIsValid(funcid))
		funcid = function_in("dp_agg", name, types);
	if (!OidIsValid(funcid))
		report_missing(psprintf("dp_agg_internal.%s", name));
	return funcid;
}
