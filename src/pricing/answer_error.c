/*
 * answer_error.c
 *	  How far off an answer is that is taken from another aggregate's release.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/sum_of_noise.h"
#include "aggregate/estimate.h"
#include "pricing/answer_error.h"

double
dp_query_answer_stddev(const DpRelease *release, const DpAnswer *answer)
{
	double		stddev = 0;

	for (int i = 0; i < lengthof(answer->factor); i++)
		if (answer->factor[i] != 0)
			stddev = hypot(stddev, answer->factor[i] * dp_accounting_sum_stddev(&release->noise[i],
																				Max(release->summed, 1), false));
	return stddev;
}

/* How far off an answer is that is a multiple of one noisy total. */
static double
single_width(const DpRelease *release, const DpAnswer *answer)
{
	int			i = answer->factor[0] == 0 ? 1 : 0;

	return fabs(answer->factor[i]) * dp_accounting_sum_half_width(&release->noise[i], Max(release->summed, 1), false, 0.95);
}

double
dp_query_answer_half_width(const DpRelease *release, const DpAnswer *answer)
{
	double		reach = dp_estimate_reach(0.95, release->noise[0].mechanism == DP_GAUSSIAN);
	double		width = dp_query_answer_stddev(release, answer) * reach;

	if (answer->single)
		width = single_width(release, answer);
	return answer->rounded ? floor(width + 0.5) : width;
}
