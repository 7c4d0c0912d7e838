/*
 * regression.c
 *	  dp_linregr as the block it stands for.
 *
 *		FROM dp_linregr(relation, y, y_lower, y_upper, columns, epsilon, filter)
 *
 * becomes a sub-query that releases totals of products of coordinates, once, and fits the
 * model to these above the release:
 *
 *		SELECT f.* FROM (SELECT dp_agg.model(spec, epsilon, coordinates) AS model
 *		                   FROM relation WHERE filter) b, LATERAL dp_agg.linear_fit(b.model, terms, scale) f
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "asking/call_text.h"
#include "asking/model_text.h"
#include "asking/regression.h"
#include "tree/reason.h"

DpReason *
dp_query_write_linregr(DpCall *call, char **text)
{
	bool		bounded = call->value[2]->consttype != JSONOID;
	DpModelCall model = {0};
	const char *block;
	DpReason   *reason = dp_query_read_predicted(call, bounded ? call->value[2] : NULL,
												 bounded ? call->value[3] : NULL, &model.predicted);

	if (reason == NULL)
		reason = dp_query_read_model(call, call->value[bounded ? 4 : 2], &model);
	if (reason)
		return reason;
	block = dp_query_model_block(call, &model);
	*text = psprintf("SELECT f.term, f.coef, f.std_err, f.t_stat, f.p_value, f.lower, f.upper, f.shrunk, f.covariance "
					 "FROM %s, LATERAL dp_agg.linear_fit(b.model, %s, %s) f", block,
					 dp_query_model_terms(call, &model), dp_query_model_scale(call, &model));
	dp_query_label_model(call, &model);
	return NULL;
}
