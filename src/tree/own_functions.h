/* SPDX-License-Identifier: PostgreSQL */
/*
 * own_functions.h
 *	  The extension's own functions, recognised by OID and membership in the
 *	  extension, so that no name in a search_path can stand in for them.
 */
#ifndef DP_TREE_OWN_FUNCTIONS_H
#define DP_TREE_OWN_FUNCTIONS_H

#include "postgres.h"

typedef enum DpFunction
{
	DP_FUNCTION_OTHER,			/* not one an analyst calls in a query */
#define DP_FUNCTION(function, name) DP_FUNCTION_##function,
#include "tree/own_function_list.h"
#undef DP_FUNCTION
} DpFunction;

/* Which of the analyst's functions is this?  Cached per session. */
extern DpFunction dp_tree_function(Oid funcid);

/* Is this function a member of the extension, whoever calls it? */
extern bool dp_tree_is_extensions(Oid funcid);

/* The aggregate dp_count of so many arguments, one or two. */
extern Oid	dp_tree_count_function(int nargs);

/* The analyst's function of this name and these argument types; InvalidOid if there is none. */
extern Oid	dp_tree_own_function(const char *name, int nargs, const Oid *types);

/*
 * The extension's function of the same name and schema with so many arguments, the
 * first ones of the same types.
 */
extern Oid	dp_tree_longer_function(Oid funcid, int nargs);

/*
 * The extension's function in schema dp_agg_internal, or else in dp_agg, by name and argument
 * types; an error if the installed extension lacks it.
 */
extern Oid	dp_tree_internal_function(const char *name, int nargs, const Oid *argtypes);

/* Register the cache's invalidation; from _PG_init. */
extern void dp_tree_catalog_init(void);

#endif							/* DP_TREE_OWN_FUNCTIONS_H */
