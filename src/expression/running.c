/*
 * running.c
 *	  Is an exact plan run just now?  What detoasted() and its like require.
 */
#include "postgres.h"

#include "expression/running.h"

bool		dp_query_release_running = false;
