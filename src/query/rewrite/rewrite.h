/*
 * rewrite.h
 *	  From a statement as parsed to one that reads releases, and the exact
 *	  queries of its blocks.
 *
 * A block
 *
 *		SELECT e(keys, dp_agg(...)) FROM protected WHERE ... GROUP BY keys HAVING h
 *
 * becomes
 *
 *		SELECT e(release columns) FROM (columns of the release) dp_release WHERE h
 *
 * which is all post-processing, and
 *
 *		SELECT keys, exact totals FROM protected WHERE ... GROUP BY keys
 *
 * which is a statement of its own that the release node alone runs (opening.c).
 */
#ifndef DP_QUERY_REWRITE_REWRITE_H
#define DP_QUERY_REWRITE_REWRITE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

#include "query/block/aggregate_args.h"
#include "query/block/block_rewrite.h"
#include "query/nodes/reason.h"

/*
 * Rewrite all blocks of a statement, whose calls are expanded, in place (the caller passes a copy).
 * Returns NULL, or why the statement is not allowed; then nothing of the tree
 * may be used.
 */
extern DpReason *dp_query_rewrite(Query *query, DpStatement *statement);

/*
 * inline_functions.c: the statement with SQL functions in FROM replaced by their bodies
 * where these call our functions; otherwise the statement itself.  Sets what a
 * plan of it depends on besides.
 */
extern Query *dp_query_expand_functions(Query *query, ParamListInfo params, List **dependencies);

/*
 * canonical_key.c: the key in a form in which equal values are identical; NULL and
 * *reason if its type has none.
 */
extern Node *dp_query_canonical_key(Node *key, DpReason **reason);

/*
 * over_units.c: a unit, or a canonical key, in a form of which the bytes are the
 * value; NULL if a unit's type has none.
 */
extern Node *dp_query_bytes_of_unit(Node *unit);
extern Node *dp_query_bytes_of_key(Node *key);

/*
 * over_units.c: the exact totals of a measure, or of the number of units if it
 * is NULL, as the aggregate that the node of src/units computes.
 */
extern Node *dp_query_over_units(DpShape *shape, Node *unit, const DpMeasure *measure);

/*
 * group_path.c: paths that group the exact query by public numbers, of which there
 * are so many; 0: not by such.
 */
extern void dp_query_add_hashed_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
									  int groups);

/* exact_query.c: the query that computes the exact totals per group. */
extern Query *dp_query_exact(DpShape *shape);

/*
 * sample.c: why a block's units cannot be sampled, if the setting asks for that;
 * and the condition that chooses the sample, in a query over their rows.
 */
extern DpReason *dp_query_sample_obstacle(const DpShape *shape, int location);
extern void dp_query_add_sampling(const DpShape *shape, Query *query);

/* above_release.c: replace keys and aggregates above the release by its columns. */
extern DpReason *dp_query_rewrite_above(DpShape *shape);

/*
 * expand_calls.c: replace calls of dp_histogram and its like, at every level, by the blocks
 * they stand for, and dp_agg.counted by dp_count.  What is left to do needs no text
 * read and nobody's code run.
 */
extern DpReason *dp_query_expand_calls(Query *query, DpStatement *statement);

/*
 * finite_keys.c: make one number of the keys, if all are public by nature; and keys
 * of that number again, above the release.
 */
extern void dp_query_make_keys_public(DpShape *shape);
extern void dp_query_restore_public_keys(DpShape *shape);

/*
 * histogram.c: is this key a bucket number or a place among candidates, whose
 * values 1 .. *domain are public?  Returns it with its argument validated, or NULL; sets *reason if
 * that argument is not allowed.
 */
extern Node *dp_query_public_key(Query *block, Node *key, ParamListInfo params,
								 int *domain, DpReason **reason);

/*
 * candidates.c: such a call with its first argument validated and these constants for
 * the others; NULL if there is a reason already, which is given the call's place, or
 * one against that argument.
 */
extern Node *dp_query_key_call(Query *block, FuncExpr *call, List *constants, ParamListInfo params,
							   DpReason **reason);

/* candidates.c: what dp_query_public_key does, for a call known to be of a place. */
extern Node *dp_query_place_key(Query *block, FuncExpr *call, ParamListInfo params,
								int *domain, DpReason **reason);

/* above_release.c: what stands above the release for one of the block's aggregates. */
extern Node *dp_query_released_value(DpShape *shape, Aggref *aggref);

/*
 * interval.c: what a call of dp_interval on one of the block's aggregates
 * becomes, `level` being the rewritten second argument or NULL.
 */
extern Node *dp_query_released_interval(DpShape *shape, FuncExpr *call, Node *level,
										DpReason **reason);

#endif							/* DP_QUERY_REWRITE_REWRITE_H */
