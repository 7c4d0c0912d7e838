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
	DP_FUNCTION_COUNT,
	DP_FUNCTION_SUM,
	DP_FUNCTION_AVG,
	DP_FUNCTION_HISTOGRAM,
	DP_FUNCTION_BUCKET,			/* what dp_histogram groups by */
	DP_FUNCTION_QUANTILE,
	DP_FUNCTION_MEDIAN,
	DP_FUNCTION_MIN,
	DP_FUNCTION_MAX,
	DP_FUNCTION_PLACE,			/* the same of categories */
	DP_FUNCTION_CUMULATIVE,
	DP_FUNCTION_NOISY_MAX,
	DP_FUNCTION_TOP,
	DP_FUNCTION_ABOVE_THRESHOLD,
	DP_FUNCTION_SELECT_MODEL,
	DP_FUNCTION_MODEL_GRID,		/* models, computed where they are an argument */
	DP_FUNCTION_LOSSES,			/* what dp_select_model adds up of models */
	DP_FUNCTION_VARIANCE,
	DP_FUNCTION_STDDEV,
	DP_FUNCTION_COVAR_POP,
	DP_FUNCTION_COVAR_SAMP,
	DP_FUNCTION_CORR,
	DP_FUNCTION_SLOPE,
	DP_FUNCTION_INTERCEPT,
	DP_FUNCTION_INTERVAL,		/* around an aggregate: above its release */
	DP_FUNCTION_COUNTED,		/* dp_count under a name that nobody can give another function */
	DP_FUNCTION_LINREGR,
	DP_FUNCTION_LOGREGR,
	DP_FUNCTION_SVM,
	DP_FUNCTION_MODEL,			/* what models are made of: only calls that are expanded have it */
	DP_FUNCTION_KEYS_ALONE,		/* makes a block of a query that shows keys alone */
	DP_FUNCTION_SYNTHESIZE,
	DP_FUNCTION_PAIR_TABLES		/* what synthetic rows are made of */
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
 * A function of schema dp_agg by name and argument types; an error if the
 * installed extension lacks it.
 */
extern Oid	dp_tree_internal_function(const char *name, int nargs, const Oid *argtypes);

/* Register the cache's invalidation; from _PG_init. */
extern void dp_tree_catalog_init(void);

#endif							/* DP_TREE_OWN_FUNCTIONS_H */
