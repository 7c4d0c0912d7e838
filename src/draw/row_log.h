/*
 * row_log.h
 *	  Records of one size that are kept to be read again, as often as wanted.
 *
 * As many as fit work_mem are in memory, the others in a temporary file.  No more than a few hundred kilobytes are
 * copied, written or read between two checks for interrupts.
 */
#ifndef DP_DRAW_ROW_LOG_H
#define DP_DRAW_ROW_LOG_H

#include "postgres.h"

typedef struct DpRowLog DpRowLog;

/* A log in the current memory context, whose file belongs to the current resource owner. */
extern DpRowLog *dp_query_begin_row_log(Size record);

extern void dp_query_log_row(DpRowLog *log, const char *record);

/* Have all records be read, in their order. */
extern void dp_query_read_rows(DpRowLog *log, void (*read) (const char *record, void *arg), void *arg);

/* Give back what it held. */
extern void dp_query_end_row_log(DpRowLog *log);

#endif							/* DP_DRAW_ROW_LOG_H */
