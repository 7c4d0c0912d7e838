/* SPDX-License-Identifier: PostgreSQL */
/*
 * conversion.h
 *	  From Renyi and concentrated differential privacy to (epsilon, delta) and
 *	  back.
 *
 * Plain C: no server header.  Epsilons and deltas are rounded up, what a
 * budget allows down.  All rest on Canonne, Kamath, Steinke 2020, as filter.c
 * does; for concentrated privacy the order is the best of all real ones.
 * alpha >= DP_MIN_ALPHA (mechanisms.h); rdp, rho, epsilon >= 0 and finite;
 * 0 < delta < 1.
 */
#ifndef DP_ACCOUNTING_CONVERSION_H
#define DP_ACCOUNTING_CONVERSION_H

/* (alpha, rdp)-Renyi privacy implies (the result, delta)-privacy. */
extern double dp_accounting_rdp_to_epsilon(double alpha, double rdp, double delta);

/* (alpha, rdp)-Renyi privacy implies (epsilon, the result)-privacy. */
extern double dp_accounting_rdp_to_delta(double alpha, double rdp, double epsilon);

/* rho-concentrated privacy implies (the result, delta)-privacy. */
extern double dp_accounting_zcdp_to_epsilon(double rho, double delta);

/* rho-concentrated privacy implies (epsilon, the result)-privacy. */
extern double dp_accounting_zcdp_to_delta(double rho, double epsilon);

/* The greatest rho that zcdp_to_epsilon converts to at most epsilon. */
extern double dp_accounting_zcdp_max_rho(double epsilon, double delta);

#endif							/* DP_ACCOUNTING_CONVERSION_H */
