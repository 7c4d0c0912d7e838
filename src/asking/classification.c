/* SPDX-License-Identifier: PostgreSQL */
/*
 * classification.c
 *	  dp_logregr and dp_svm as the blocks they stand for.
 *
 *		FROM dp_logregr(relation, y, columns, passes, epsilon, filter)
 *
 * becomes a subquery that releases totals of products of coordinates, y as -1 or 1, and those of
 * each pass (DP_FORM_PASSES), and works the model out of these in the outer query:
 *
 *		SELECT f.* FROM (SELECT dp_agg_internal.model(spec, epsilon, coordinates) AS model
 *		                   FROM relation WHERE filter) b, LATERAL dp_agg_internal.logistic_fit(b.model, terms, scale) f
 *
 * Without passes it is the block of a linear regression.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "asking/call_text.h"
#include "asking/classification.h"
#include "asking/model_text.h"
#include "models/pass.h"
#include "tree/reason.h"

/*
 * dp_linregr as the block it stands for.
 *
 * 		FROM dp_linregr(relation, y, y_lower, y_upper, columns, epsilon, filter)
 *
 * becomes a subquery that releases totals of products of coordinates, once, and fits the
 * model to these in the outer query:
 *
 * 		SELECT f.* FROM (SELECT dp_agg_internal.model(spec, epsilon, coordinates) AS model
 * 		                   FROM relation WHERE filter) b, LATERAL dp_agg_internal.linear_fit(b.model, terms, scale) f
 */

DpReason *
dp_asking_write_linregr(DpCall *call, char **text)
{
	bool		bounded = call->value[2]->consttype != JSONOID;
	DpModelCall model = {0};
	const char *block;
	DpReason   *reason = dp_asking_read_predicted(call, bounded ? call->value[2] : NULL,
												  bounded ? call->value[3] : NULL, &model.predicted);

	if (reason == NULL)
		reason = dp_asking_read_model(call, call->value[bounded ? 4 : 2], &model);
	if (reason)
		return reason;
	block = dp_asking_model_block(call, &model);
	*text = psprintf("SELECT f.term, f.coef, f.std_err, f.t_stat, f.p_value, f.lower, f.upper, f.shrunk, f.covariance "
					 "FROM %s, LATERAL dp_agg_internal.linear_fit(b.model, %s, %s) f", block,
					 dp_asking_model_terms(call, &model), dp_asking_model_scale(call, &model));
	dp_asking_label_model(call, &model);
	return NULL;
}

/* How often rows are gone through. */
static DpReason *
read_passes(const DpCall *call, int *passes)
{
	*passes = DatumGetInt32(call->value[3]->constvalue);
	if (*passes >= 0 && *passes <= DP_MOST_PASSES)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							 "Their number is fixed beforehand, and their price with it: rows do not tell when to stop. 2 is a good start.",
							 "passes must be between 0 and %d", DP_MOST_PASSES);
}

/* Ask for passes, and describe the call for people. */
static void
set_form(DpCall *call, const DpModelCall *model, DpPassLoss loss, int passes)
{
	char	   *label = call->formed.label;
	Size		length;

	dp_asking_label_model(call, model);
	if (passes == 0)
		return;
	length = strlen(label) - 1;
	snprintf(label + length, DP_LABEL_SIZE - length, "; %d %s)", passes, passes == 1 ? "pass" : "passes");
	call->formed.form = DP_FORM_PASSES;
	call->formed.size = passes;
	call->formed.level = loss;
}

/* The predicted column, as written. */
static const char *
condition_of(const DpCall *call)
{
	return TextDatumGetCString(call->value[1]->constvalue);
}

/* The query of a call whose rows have these columns, of the function that makes them. */
static DpReason *
write(DpCall *call, DpPassLoss loss, const char *fit, const char *columns, char **text)
{
	DpModelCall model = {.predicted = {.name = condition_of(call), .type = BOOLOID, .kind = DP_COLUMN_BOOLEAN}};
	int			passes;
	const char *block;
	DpReason   *reason = read_passes(call, &passes);

	if (reason == NULL)
		reason = dp_asking_read_model(call, call->value[2], &model);
	if (reason == NULL)
		reason = dp_asking_call_foretold(call, 1, &model.predicted.text);
	if (reason)
		return reason;
	block = dp_asking_model_block(call, &model);
	*text = psprintf("SELECT %s FROM %s, LATERAL dp_agg_internal.%s(b.model, %s, %s) f", columns, block, fit,
					 dp_asking_model_terms(call, &model), dp_asking_model_scale(call, &model));
	model.predicted.text = model.predicted.name;
	set_form(call, &model, loss, passes);
	return NULL;
}

DpReason *
dp_asking_write_logregr(DpCall *call, char **text)
{
	return write(call, DP_PASS_LOGISTIC, "logistic_fit",
				 "f.term, f.coef, f.std_err, f.z_stat, f.p_value, f.covariance", text);
}

DpReason *
dp_asking_write_svm(DpCall *call, char **text)
{
	return write(call, DP_PASS_HINGE, "svm_fit", "f.term, f.coef", text);
}
