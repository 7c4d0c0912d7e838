/* SPDX-License-Identifier: PostgreSQL */
/*
 * harden.h
 *	  A database that dp_agg.harden has closed stays closed.
 */
#ifndef DP_SIDECHANNEL_HARDEN_H
#define DP_SIDECHANNEL_HARDEN_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Run a command.  If it creates or updates an extension, or adds to one, in a hardened database, close
 * to PUBLIC what of extensions is open afterwards and was not before, and say so.
 */
extern void dp_sidechannel_keep_hardened(Node *command, void (*run) (void *argument), void *argument);

#endif							/* DP_SIDECHANNEL_HARDEN_H */
