/* SPDX-License-Identifier: PostgreSQL */
/*
 * classification.h
 *	  dp_logregr and dp_svm as the blocks they stand for.
 */
#ifndef DP_ASKING_CLASSIFICATION_H
#define DP_ASKING_CLASSIFICATION_H

#include "postgres.h"

#include "asking/call_text.h"

/* Write the query that a call stands for. */
extern DpReason *dp_asking_write_logregr(DpCall *call, char **text);
extern DpReason *dp_asking_write_svm(DpCall *call, char **text);

/*
 * dp_linregr as the block it stands for.
 */

/* Write the query that a call stands for. */
extern DpReason *dp_asking_write_linregr(DpCall *call, char **text);

#endif							/* DP_ASKING_CLASSIFICATION_H */
