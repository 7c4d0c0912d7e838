/* SPDX-License-Identifier: PostgreSQL */
/*
 * own_function_list.h
 *	  The functions that an analyst calls in queries, or that calls of these are made of, and their names.
 *
 * No guard: whoever includes it says what DP_FUNCTION is.
 */
DP_FUNCTION(COUNT, "dp_count")
DP_FUNCTION(SUM, "dp_sum")
DP_FUNCTION(AVG, "dp_avg")
DP_FUNCTION(HISTOGRAM, "dp_histogram")
DP_FUNCTION(BUCKET, "bucket")		/* what dp_histogram groups by */
DP_FUNCTION(QUANTILE, "dp_quantile")
DP_FUNCTION(MEDIAN, "dp_median")
DP_FUNCTION(MIN, "dp_min")
DP_FUNCTION(MAX, "dp_max")
DP_FUNCTION(PLACE, "place")		/* the same of categories */
DP_FUNCTION(CUMULATIVE, "dp_cumulative")
DP_FUNCTION(NOISY_MAX, "dp_noisy_max")
DP_FUNCTION(TOP, "dp_top")
DP_FUNCTION(ABOVE_THRESHOLD, "dp_above_threshold")
DP_FUNCTION(SELECT_MODEL, "dp_select_model")
DP_FUNCTION(MODEL_GRID, "model_grid")		/* models, computed where they are an argument */
DP_FUNCTION(LOSSES, "losses")		/* what dp_select_model adds up of models */
DP_FUNCTION(GEOMETRIC_MEAN, "dp_geometric_mean")
DP_FUNCTION(VARIANCE, "dp_variance")
DP_FUNCTION(STDDEV, "dp_stddev")
DP_FUNCTION(COVAR_POP, "dp_covar_pop")
DP_FUNCTION(COVAR_SAMP, "dp_covar_samp")
DP_FUNCTION(CORR, "dp_corr")
DP_FUNCTION(SLOPE, "dp_regr_slope")
DP_FUNCTION(INTERCEPT, "dp_regr_intercept")
DP_FUNCTION(INTERVAL, "dp_interval")		/* around an aggregate, in the outer query */
DP_FUNCTION(TERM, "term")		/* around an aggregate: what an interval knows of it */
DP_FUNCTION(NOTED_TERM, "noted_term")		/* the same for a notice */
DP_FUNCTION(COUNTED, "counted")		/* dp_count under a name that nobody can give another function */
DP_FUNCTION(LINREGR, "dp_linregr")
DP_FUNCTION(LOGREGR, "dp_logregr")
DP_FUNCTION(SVM, "dp_svm")
DP_FUNCTION(MODEL, "model")		/* what models are made of: only calls that are expanded have it */
DP_FUNCTION(KEYS_ALONE, "keys_alone")		/* makes a block of a query that shows keys alone */
DP_FUNCTION(SYNTHESIZE, "dp_synthesize")
DP_FUNCTION(PAIR_TABLES, "pair_tables")		/* what synthetic rows are made of */
