/*
 * label.h
 *	  Expressions as the analyst wrote them.
 */
#ifndef DP_PRICING_LABEL_H
#define DP_PRICING_LABEL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * An expression of a block as the analyst wrote it, for people to read: as a select list
 * without FROM, in one line.  Columns bear their table's name where there are several.
 */
extern char *dp_query_text(Query *block, Node *expression);

/*
 * Set a label to the aggregate as the analyst wrote it, cut if it is long.
 */
extern void dp_query_set_label(Query *block, Aggref *aggref, char *label);

/*
 * An expression of a block, or a query in it, that names nothing of the queries around the block, to be shown.
 * What is released depends on no such name, so they are in what folds away; the analyst's own words go with
 * that.  A parameter stands for a name that is left.
 */
extern Node *dp_query_without_outer(Node *node);

/* Have what is written over several lines be one, in place. */
extern char *dp_query_on_one_line(char *text);

#endif							/* DP_PRICING_LABEL_H */
