/*
 * compat.h
 *	  The one place that knows PostgreSQL version numbers.
 *
 * Supported: PostgreSQL 15.  Code elsewhere uses the names defined here and
 * never tests PG_VERSION_NUM itself.
 */
#ifndef DP_COMPAT_H
#define DP_COMPAT_H

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 160000
#error "dp_agg supports PostgreSQL 15"
#endif

/*
 * Where a relation in FROM says whose privileges it is read with and which of
 * its columns; and the check of a function's privilege.
 */
#if PG_VERSION_NUM >= 160000
#define DP_PERMISSIONS(query, rte) getRTEPermissionInfo((query)->rteperminfos, rte)
#define DP_MAY_EXECUTE(function, role) \
	(object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK)
#else
#define DP_PERMISSIONS(query, rte) (rte)
#define DP_MAY_EXECUTE(function, role) \
	(pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK)
#endif

#endif							/* DP_COMPAT_H */
