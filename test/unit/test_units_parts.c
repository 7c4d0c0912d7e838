/*
 * test_units_parts.c
 *	  The parts that adding up is made of, each by itself: SipHash, hashes of ids, numbers
 *	  of groups, files of keys, logs, and places of keys.
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "tap.h"
#include "units_model.h"

#include "base/siphash.h"
#include "units/finish.h"
#include "units/partition_file.h"

/* SipHash of random messages, by OpenSSL. */
static bool
siphash_agrees(void)
{
	EVP_MAC    *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);

	for (unsigned length = 0; mac && length < 70; length++)
	{
		uint8_t		message[80];
		uint8_t		output[16];
		DpSipKey	key = {{data64(), data64()}};
		uint64_t	words[2];
		uint64_t	wide[2];
		uint64_t	narrow;

		for (unsigned i = 0; i < sizeof(message); i++)
			message[i] = (uint8_t) data64();
		for (unsigned size = 8; size <= 16; size += 8)
		{
			OSSL_PARAM	params[] = {OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_END};
			EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
			size_t		written;

			if (!EVP_MAC_init(context, (uint8_t *) key.word, 16, params) ||
				!EVP_MAC_update(context, message, length) ||
				!EVP_MAC_final(context, output, &written, sizeof(output)) || written != size)
				return false;
			EVP_MAC_CTX_free(context);
			memcpy(size == 8 ? &narrow : wide, output, size);
		}
		if (narrow != dp_siphash_64(&key, message, length))
			return false;
		dp_siphash_128(&key, message, length, words);
		if (memcmp(words, wide, 16) != 0)
			return false;
	}
	EVP_MAC_free(mac);
	return mac != NULL;
}

static int
compare_words(const void *x, const void *y)
{
	uint64_t	a = *(const uint64_t *) x;
	uint64_t	b = *(const uint64_t *) y;

	return a < b ? -1 : a > b;
}

#define IDS 65536

/*
 * Ids chosen to meet: all 256 values of the highest bits of the first words, which stay
 * there in any product, and in the second words what would cancel them.  With the secret
 * drawn here, which is always the same, they spread as others do.
 */
static void
chosen_ids_do_not_meet(void)
{
	static uint64_t hash[IDS];
	static uint32_t place[IDS];
	DpUnitsSecret secret;
	int			same = 0;
	uint32_t	most = 0;

	draw_secret(&secret);
	for (uint32_t i = 0; i < IDS; i++)
	{
		uint64_t	high = (uint64_t) (i >> 8) << 56;
		uint64_t	other = (uint64_t) (i & 255) << 56;
		DpUnitId	id = {{high, other ^ other >> 32}};

		hash[i] = dp_units_hash(&secret, &id);
		place[hash[i] >> 48]++;
	}
	qsort(hash, IDS, sizeof(uint64_t), compare_words);
	for (int i = 1; i < IDS; i++)
		same += hash[i] == hash[i - 1];
	for (int i = 0; i < IDS; i++)
		most = place[i] > most ? place[i] : most;
	ok(same == 0, "of %d ids chosen to meet %d do", IDS, same);
	ok(most < 1024, "at most %u are in one of as many places", most);
}

/* The hash stands for the first word: none is lost, whatever the second. */
static void
hash_is_a_permutation(void)
{
	static uint64_t hash[IDS];
	DpUnitsSecret secret;
	DpUnitsSecret other;
	int			same = 0;
	int			alike = 0;
	uint64_t	second = data64();

	draw_secret(&secret);
	draw_secret(&other);
	for (uint32_t i = 0; i < IDS; i++)
	{
		DpUnitId	id = {{i % 2 ? (uint64_t) i << 40 : i, i % 3 ? second : 0}};

		hash[i] = dp_units_hash(&secret, &id);
		alike += hash[i] == dp_units_hash(&other, &id);
	}
	qsort(hash, IDS, sizeof(uint64_t), compare_words);
	for (int i = 1; i < IDS; i++)
		same += hash[i] == hash[i - 1];
	ok(same == 0 && alike == 0, "ids have hashes of their own, which depend on a secret");
}

/* So do ids of 32 bits, which records have half a hash of; and those that only the highest bits tell apart spread. */
static void
small_hash_is_a_permutation(void)
{
	static uint64_t hash[IDS];
	DpUnitsSpec spec = {.id_words = 1, .small_ids = true};
	DpUnitsSpec other = spec;
	int			same = 0;
	uint32_t	alike = 0;
	uint32_t	part[256] = {0};
	uint32_t	most = 0;

	draw_secret(&spec.secret);
	draw_secret(&other.secret);
	for (uint32_t i = 0; i < IDS; i++)
	{
		DpUnitId	id = {{(uint64_t) (int64_t) (int32_t) (i % 2 ? i << 16 : i), 0}};

		hash[i] = dp_units_record_id(&spec, &id).word[0];
		same += (uint32_t) hash[i] != 0;
		alike += hash[i] == dp_units_record_id(&other, &id).word[0];
		part[hash[i] >> 56]++;
	}
	qsort(hash, IDS, sizeof(uint64_t), compare_words);
	for (int i = 1; i < IDS; i++)
		same += hash[i] == hash[i - 1];
	for (int i = 0; i < 256; i++)
		most = part[i] > most ? part[i] : most;
	ok(same == 0 && alike < 10, "ids of 32 bits have hashes of their own, which depend on a secret");
	ok(most < 4 * IDS / 256, "at most %u of them are in one part", most);
}

/* Numbers of groups hold, and are found. */
static void
groups_are_numbered(void)
{
	Case		test = {.groups = 5000, .longest_keys = true, .spec = {.grouped = true}};
	DpUnitsGroups groups;
	DpSipKey	secret = {{data64(), data64()}};
	int			wrong = 0;

	world_begin();
	dp_units_create_groups(&groups, &world_memory, &secret, 2);
	for (int round = 0; round < 2; round++)
	{
		for (uint32_t i = 0; i < test.groups; i++)
		{
			uint8_t		key[MAX_KEY];
			uint32_t	length = group_key(&test, i, key);

			wrong += dp_units_find(&groups, key, length) != DP_NO_GROUP;
			wrong += dp_units_intern(&groups, key, length) != i;
			wrong += dp_units_intern(&groups, key, length) != i;
			wrong += dp_units_totals(&groups, i)[1] != 0;
			dp_units_totals(&groups, i)[1] = i + 1;
		}
		for (uint32_t i = 0; i < test.groups; i++)
		{
			uint8_t		key[MAX_KEY];
			uint32_t	length = group_key(&test, i, key);

			wrong += dp_units_find(&groups, key, length) != i || dp_units_totals(&groups, i)[1] != i + 1 ||
				memcmp(dp_units_key(&groups.group[i]), key, length) != 0;
		}
		dp_units_reset_groups(&groups);
	}
	dp_units_destroy_groups(&groups);
	world_end();
	ok(wrong == 0, "groups have numbers, before all are forgotten and then: %d are wrong", wrong);
}

/* The hash of a key among groups. */
static uint32_t
group_hash(DpSipKey secret)
{
	DpUnitsGroups groups;
	uint32_t	hash = 0;

	dp_units_create_groups(&groups, &world_memory, &secret, 1);
	dp_units_intern(&groups, "a key of twenty bytes", 20);
	for (uint32_t i = 0; i < groups.buckets; i++)
		hash |= groups.bucket[i].hash;
	dp_units_destroy_groups(&groups);
	return hash;
}

/* Nobody can choose keys that meet: four pairs do with a probability of 2^-128. */
static void
keys_are_hashed_by_a_secret(void)
{
	int			same[2] = {0};

	for (int i = 0; i < 4; i++)
	{
		uint64_t	word = data64();

		same[0] += group_hash((DpSipKey) {{word, 1}}) == group_hash((DpSipKey) {{data64(), 1}});
		same[1] += group_hash((DpSipKey) {{1, word}}) == group_hash((DpSipKey) {{1, data64()}});
	}
	ok(same[0] < 4 && same[1] < 4, "where keys lie depends on both halves of a secret");
}

/* Short keys are their own ids, long ones have digests; all differ. */
static void
ids_of_groups(void)
{
	DpUnitsSecret secret;
	uint8_t		key[20] = {0};
	DpUnitId	id[20];
	int			same = 0;

	draw_secret(&secret);
	for (uint32_t i = 0; i < 20; i++)
	{
		id[i] = dp_units_group_id(&secret, key, i);
		same += dp_units_group_key_is_long(&id[i]) != (i > DP_SHORT_KEY);
		same += i <= DP_SHORT_KEY && (memcmp(&id[i], key, i) != 0 || id[i].word[1] >> 56 != i);
		for (uint32_t j = 0; j < i; j++)
			same += memcmp(&id[i], &id[j], sizeof(DpUnitId)) == 0;
	}
	ok(same == 0, "strings of zeros differ by their lengths alone");
	memset(&secret.group, 0, sizeof(secret.group));
	ok(memcmp(&id[19], &(DpUnitId[]) {dp_units_group_id(&secret, key, 19)}, sizeof(DpUnitId)) != 0,
	   "digests depend on a secret");
}

#define KEYS 3000

/* Keys of a file, one after the other and in any order, also when more are added later. */
static void
keys_are_read(void)
{
	Case		test = {.groups = KEYS, .longest_keys = true, .spec = {.grouped = true}};
	DpKeyFile	keys;
	static uint64_t place[KEYS];
	int			wrong = 0;

	world_begin();
	dp_units_key_file_create(&keys, &world_memory, &world_files);
	for (uint32_t half = 0; half < 2; half++)
	{
		uint64_t	at = 0;

		for (uint32_t i = half * KEYS / 2; i < (half + 1) * KEYS / 2; i++)
		{
			uint8_t		key[MAX_KEY];
			uint32_t	length = group_key(&test, i, key);

			place[i] = dp_units_key_file_add(&keys, key, length);
		}
		dp_units_key_file_close(&keys);
		for (uint32_t i = 0; i < (half + 2) * KEYS / 2; i++)
		{
			bool		in_turn = i < (half + 1) * KEYS / 2;
			uint32_t	number = in_turn ? i : data_below((half + 1) * KEYS / 2);
			uint64_t	next;
			uint32_t	length;
			uint8_t		key[MAX_KEY];
			const uint8_t *read = dp_units_key_file_read(&keys, place[number], &length, &next);

			wrong += length != group_key(&test, number, key) || memcmp(read, key, length) != 0 ||
				(in_turn && place[number] != at);
			at = next;
		}
	}
	dp_units_key_file_destroy(&keys);
	world_end();
	ok(wrong == 0, "%d keys were read from a file as others", wrong);
}

/* A place without totals, where records hold them: memory of records before is no total. */
static void
places_are_no_totals(void)
{
	DpUnitsSpec spec = {.grouped = true, .max_groups = 1, .processes = 1};
	DpContributions contributions;
	const DpUnitId id = {{1, (uint64_t) DP_LONG_KEY << 56}};
	uint8_t    *stale;
	bool		empty = true;

	draw_secret(&spec.secret);
	dp_units_lay_out(&spec);
	world_begin();
	dp_units_contributions_create(&contributions, &world_memory, &world_files, &spec, 0);
	dp_units_contributions_expect_totals(&contributions, true);
	stale = dp_units_part_room(contributions.log, dp_units_hash(&spec.secret, &id));
	memset(stale, 0x55, contributions.log->size);
	contributions.log->part[dp_units_hash(&spec.secret, &id) >> contributions.log->shift].next = stale;
	dp_units_contributions_put_key(&contributions, &id, 1);
	for (size_t i = contributions.log->size - sizeof(__int128); i < contributions.log->size; i++)
		empty = empty && stale[i] == 0;
	ok(empty, "the place of a key brings no totals");
	dp_units_contributions_destroy(&contributions);
	world_end();
}

static void
count_visits(void *context, const DpUnitId *id, DpKeyPlace key, const DpGroupTotals *found)
{
	(void) id, (void) key, (void) found;
	++*(int *) context;
}

#define KEY_LOGS 12

/*
 * A group that no unit counts in is not visited, in how many processes ever its key was
 * written how often; one that a unit counts in is, once.
 */
static void
keys_are_no_groups(void)
{
	DpUnitsMeasure measure = {.kind = DP_UNITS_CELLS, .cells = 10, .max_rows = 1};
	DpUnitsSpec spec = {.grouped = true, .max_groups = 1, .processes = 1, .measures = 1, .measure = &measure};
	const DpUnitId id = {{1, (uint64_t) DP_LONG_KEY << 56}};
	const __int128 totals[2] = {1, 1};

	draw_secret(&spec.secret);
	dp_units_lay_out(&spec);
	for (int counts = 0; counts < 2; counts++)
	{
		DpContributions process[KEY_LOGS];
		DpLog	   *log[KEY_LOGS];
		int			visits = 0;

		world_begin();
		for (int i = 0; i < KEY_LOGS; i++)
		{
			dp_units_contributions_create(&process[i], &world_memory, &world_files, &spec, 0);
			dp_units_contributions_expect_totals(&process[i], false);
			for (int j = 0; j < 400; j++)
				dp_units_contributions_put_key(&process[i], &id, 1);
			log[i] = process[i].log;
		}
		dp_units_contributions_expect_totals(&process[0], true);
		if (counts)
			dp_units_contributions_put(&process[0], &id, 0, totals);
		dp_units_contributions_finish(&process[0], log, KEY_LOGS, count_visits, &visits);
		ok(visits == counts && world.opened >= KEY_LOGS, "%d of %d groups visited, %d files", visits, counts,
		   world.opened);
		for (int i = 0; i < KEY_LOGS; i++)
			dp_units_contributions_destroy(&process[i]);
		world_end();
	}
}

typedef struct Counted
{
	uint32_t	visits;
	uint32_t	cells;
	uint32_t	wrong;			/* cells that weigh something else, and groups that come to it */
} Counted;

static void
count_cells(void *context, const DpUnitId *id, DpKeyPlace key, const DpGroupTotals *found)
{
	Counted    *counted = context;

	counted->visits++;
	counted->cells += found->weights;
	counted->wrong += key != id->word[0] + 1 || found->totals[0] != 1 ||
		(found->weights > 0 && id->word[0] != 0);
	for (uint32_t i = 0; i < found->weights; i++)
		counted->wrong += found->weight[i].weight != 2;
}

#define OTHERS 1000
#define CELLS 20000

/* A group with more cells than memory does not keep others from being visited, which have none. */
static void
groups_without_cells(void)
{
	DpUnitsMeasure measure = {.kind = DP_UNITS_CELLS, .cells = CELLS, .max_rows = 1};
	DpUnitsSpec spec = {.grouped = true, .max_groups = 1, .processes = 1, .measures = 1, .measure = &measure};
	const __int128 totals[2] = {1, 1};
	DpContributions contributions;
	Counted		counted = {0};

	draw_secret(&spec.secret);
	dp_units_lay_out(&spec);
	world_begin();
	dp_units_contributions_create(&contributions, &world_memory, &world_files, &spec, 0);
	dp_units_contributions_expect_totals(&contributions, true);
	for (uint64_t i = 0; i <= OTHERS; i++)
		dp_units_contributions_put(&contributions, &(DpUnitId) {{i, (uint64_t) DP_LONG_KEY << 56}}, i + 1, totals);
	for (uint32_t i = 0; i < 2 * CELLS; i++)
		dp_units_contributions_put_cell(&contributions, &(DpUnitId) {{0, (uint64_t) DP_LONG_KEY << 56}}, i % CELLS, 1);
	dp_units_contributions_finish(&contributions, &contributions.log, 1, count_cells, &counted);
	ok(counted.visits == OTHERS + 1 && counted.cells == CELLS && counted.wrong == 0,
	   "%u groups visited, with %u cells, %u wrong", counted.visits, counted.cells, counted.wrong);
	dp_units_contributions_destroy(&contributions);
	world_end();
}

/* Weights of a group are listed without those that are nothing, with breaths between. */
static void
weights_are_listed(void)
{
	DpUnitsMeasure measure = {.kind = DP_UNITS_CELLS, .cells = 100000, .max_rows = 1};
	DpUnitsSpec spec = {.grouped = true, .max_groups = 1, .processes = 1, .measures = 1, .measure = &measure};
	DpGroupTotals found;
	DpWeights	weights;
	int			wrong = 0;

	dp_units_lay_out(&spec);
	spec.limit = (size_t) 8 * 3 * 100000 * sizeof(uint64_t) / 3;
	ok(dp_units_weights_fit(&spec, 3) && !dp_units_weights_fit(&spec, 4), "an array of three groups fits, one of four does not");
	spec.limit = 0;
	ok(dp_units_weights_fit(&spec, 1), "one of a single group always does");
	world_begin();
	dp_units_weights_create(&weights, &world_memory, &spec, 3);
	for (uint32_t i = 0; i < 20000; i++)
		dp_units_weights_add(&weights, i % 2 * 2, i / 2 * 10, i % 2 + 1);
	for (uint32_t group = 0; group < 3; group++)
	{
		dp_units_weights_list(&weights, group, &found);
		wrong += found.weights != (group == 1 ? 0 : 10000);
		for (uint32_t i = 0; i < found.weights; i++)
			wrong += found.weight[i].cell != 10 * i || found.weight[i].weight != group / 2 + 1;
	}
	ok(wrong == 0 && world.steps[WORLD_BREATHE] > 100, "%d weights are others, with %llu breaths", wrong,
	   (unsigned long long) world.steps[WORLD_BREATHE]);
	dp_units_weights_destroy(&weights);
	dp_units_weights_create(&weights, &world_memory, &spec, 0);
	dp_units_weights_list(&weights, 0, &found);
	ok(found.weights == 0, "without an array nothing is listed");
	dp_units_weights_destroy(&weights);
	world_end();
}

/* After a large part, adding up a small one looks at no more than it needs. */
static void
adds_up_in_little(void)
{
	DpUnitsSpec spec = {.id_words = 1, .max_groups = 1, .processes = 1};
	DpRecords	records;
	DpAddUp		add = {0};

	dp_units_lay_out(&spec);
	records = dp_units_take_records(&spec, false);
	world_begin();
	dp_units_add_up_begin(&add, &world_memory, &records, 100000);
	dp_units_add_up_begin(&add, &world_memory, &records, 10);
	ok(add.most == 10 && add.places <= 64, "%u records at most in %u places", add.most, add.places);
	dp_units_add_up_free(&add);
	world_end();
}

/* After 2^32 units sums of the first are not taken for those of another. */
static void
stamps_of_sums(void)
{
	DpUnitsSpec spec = {.grouped = true, .max_groups = 1, .processes = 1};
	const uint32_t row[4] = {2, 0, 2, 1};
	DpSums		sums;

	dp_units_lay_out(&spec);
	world_begin();
	dp_units_sums_create(&sums, &world_memory, &spec);
	dp_units_sums_expect(&sums, 5);
	dp_units_sums_add(&sums, DP_RECORD_SHORT, (const uint8_t *) row, sizeof(uint32_t), 2);
	sums.stamp = UINT32_MAX;
	dp_units_sums_add(&sums, DP_RECORD_SHORT, (const uint8_t *) row, sizeof(uint32_t), 4);
	ok(sums.count == 3 && dp_units_sums_found(&sums, 2)->group == 1, "three groups after 2^32 units");
	dp_units_sums_destroy(&sums);
	world_end();
}

/* Rows of units that are brought together.  A row's group is its number. */
#define MIXED 3000

typedef struct Mixed
{
	DpUnitsSpec spec;
	uint32_t	rows;
	DpUnitId	id[MIXED];
	bool		met[MIXED];
} Mixed;

/* The number of units in a loaded part, if they are named one after the other, each with all its rows. */
static uint32_t
count_units(DpLoad *load, Mixed *mixed)
{
	const uint8_t *record;
	uint32_t	units = 0;
	uint32_t	left = load->count;
	uint32_t	count;

	dp_units_load_sort(load);
	for (; (count = dp_units_load_next(load, &record)) > 0; units++)
	{
		const DpUnitId *id = &mixed->id[dp_units_record_number(load->form, record + load->group_at)];

		for (uint32_t i = 0; i < count; i++, record += load->size)
		{
			uint32_t	number = dp_units_record_number(load->form, record + load->group_at);

			CLAIM(number < mixed->rows && !mixed->met[number] && left-- > 0);
			CLAIM(memcmp(&mixed->id[number], id, sizeof(DpUnitId)) == 0);
			CLAIM(dp_units_record_unit(record, mixed->spec.small_ids, 1).word[0] == dp_units_record_id(&mixed->spec, id).word[0]);
			mixed->met[number] = true;
		}
	}
	CLAIM(left == 0);
	return units;
}

/* The number of units of rows, by loading all parts. */
static uint32_t
load_units(Mixed *mixed)
{
	DpCollect	collect;
	DpLoad		load;
	DpLogSource source;
	uint32_t	units = 0;

	dp_units_collect_create(&collect, &world_memory, &world_files, &mixed->spec, 0, NULL);
	dp_units_load_create(&load, &world_memory, &mixed->spec, false);
	source = (DpLogSource) {collect.numbered, NULL, NULL};
	for (uint32_t i = 0; i < mixed->rows; i++)
		dp_units_collect_add(&collect, &mixed->id[i], i, NULL);
	for (uint32_t part = 0; part < collect.numbered->parts; part++)
	{
		dp_units_load_part(&load, &source, 1, part, dp_units_part_count(collect.numbered, part));
		units += count_units(&load, mixed);
	}
	dp_units_load_destroy(&load);
	dp_units_collect_destroy(&collect);
	return units;
}

static int
compare_ids(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(DpUnitId));
}

/*
 * Rows of many units and few, of which one may have most of them, are brought together, be hashes as the
 * server has them, or the same but for their lowest bits, or one for all ids.
 */
static void
units_are_brought_together(void)
{
	static Mixed mixed;
	int			wrong = 0;

	for (int t = 0; t < 120; t++)
	{
		uint32_t	most = 1 + data_below(t % 3 == 0 ? 3 : 2 * MIXED);
		uint32_t	units = 0;

		memset(&mixed, 0, sizeof(mixed));
		mixed.spec = (DpUnitsSpec) {.id_words = 1 + t % 2, .grouped = true, .max_groups = 1, .processes = 1};
		mixed.spec.small_ids = t % 4 == 0 || t % 8 == 2;
		mixed.rows = 1 + data_below(MIXED);
		draw_secret(&mixed.spec.secret);
		if (t % 4 == 2)
			mixed.spec.secret = (DpUnitsSecret) {.factor = {1, 1}};
		else if (t % 4 == 3)
			mixed.spec.secret.factor[1] = 0;
		dp_units_lay_out(&mixed.spec);
		for (uint32_t i = 0; i < mixed.rows; i++)
		{
			uint32_t	unit = t % 5 < 2 && data_below(2) ? 0 : data_below(most);

			mixed.id[i] = (DpUnitId) {{t % 4 == 3 ? 0 : unit >> t % 2, t % 4 == 3 ? unit : unit & (uint32_t) t & 1}};
		}
		world_begin();
		wrong += (int) load_units(&mixed);
		world_end();
		qsort(mixed.id, mixed.rows, sizeof(DpUnitId), compare_ids);
		for (uint32_t i = 0; i < mixed.rows; i++)
			units += i == 0 || compare_ids(&mixed.id[i], &mixed.id[i - 1]) != 0;
		wrong -= (int) units;
	}
	ok(wrong == 0, "units are named once: %d too many", wrong);
}

/* A part of one hash and as many units as rows takes no time that grows with its square. */
static void
units_that_meet_are_sorted(void)
{
	DpUnitsSpec spec = {.id_words = 2, .max_groups = 1, .processes = 1, .secret = {.factor = {1, 0}}};
	const uint32_t rows = 30000;
	DpCollect	collect;
	DpLoad		load;
	uint32_t	units = 0;
	const uint8_t *record;
	DpLogSource source;

	dp_units_lay_out(&spec);
	world_begin();
	spec.limit = (size_t) 1 << 30;
	dp_units_collect_create(&collect, &world_memory, &world_files, &spec, 0, NULL);
	dp_units_collect_write(&collect);
	dp_units_load_create(&load, &world_memory, &spec, false);
	source = (DpLogSource) {collect.numbered, NULL, NULL};
	for (uint32_t i = 0; i < rows; i++)
		dp_units_collect_add(&collect, &(DpUnitId) {{0, i % 2 ? i : data64()}}, 0, NULL);
	dp_units_load_part(&load, &source, 1, 0, rows);
	world.steps[WORLD_BREATHE] = 0;
	dp_units_load_sort(&load);
	while (dp_units_load_next(&load, &record) > 0)
		units++;
	ok(units == rows && world.steps[WORLD_BREATHE] < 1000, "%u units of one hash, with %llu breaths", units,
	   (unsigned long long) world.steps[WORLD_BREATHE]);
	dp_units_load_destroy(&load);
	dp_units_collect_destroy(&collect);
	world_end();
}

/* Groups in a row are found at once, by any of the secret factors. */
static void
groups_are_spread(void)
{
	const uint32_t groups = 40000;
	DpUnitsSpec spec = {.grouped = true, .max_groups = 1, .processes = 1};
	uint32_t   *row = malloc(groups * sizeof(uint32_t));
	uint32_t	most = 0;
	uint32_t	factors[30];
	int			same = 0;

	for (uint32_t i = 0; i < groups; i++)
		row[i] = i;
	dp_units_lay_out(&spec);
	for (int t = 0; t < 30; t++)
	{
		DpSums		sums;

		/* These would be the worst factors. */
		spec.secret.offset = t < 15 ? UINT64_C(1) << (32 + t) : data64();
		world_begin();
		dp_units_sums_create(&sums, &world_memory, &spec);
		dp_units_sums_expect(&sums, groups);
		dp_units_sums_add(&sums, DP_RECORD_SHORT, (const uint8_t *) row, sizeof(uint32_t), groups);
		for (uint32_t i = 0; i < groups; i++)
		{
			uint32_t	home = (i * sums.factor) >> sums.shift;
			uint32_t	steps = (((const uint32_t *) sums.found.bytes)[i] - home) & (UINT32_MAX >> sums.shift);

			most = steps > most ? steps : most;
		}
		factors[t] = sums.factor;
		for (int other = 0; other < t; other++)
			same += factors[other] == sums.factor;
		dp_units_sums_destroy(&sums);
		world_end();
	}
	free(row);
	ok(most < 20, "groups in a row are found in %u steps at most", most);
	ok(same == 0, "where they are looked for depends on a secret");
}

static void
note_totals(void *context, const uint8_t *key, uint32_t length, const DpGroupTotals *found)
{
	(void) key, (void) length;
	memcpy(context, found->totals, 3 * sizeof(__int128));
}

/* Groups, and what their rows add up to. */
#define WIDENED 70000

static void
note_sums(void *context, const uint8_t *key, uint32_t length, const DpGroupTotals *found)
{
	__int128   *sums = context;
	uint32_t	group;

	CLAIM(length == sizeof(group));
	memcpy(&group, key, sizeof(group));
	CLAIM(group < WIDENED && sums[group] == 0 && found->totals[0] == 1);
	sums[group] = found->totals[1];
}

/*
 * A row that does not fit the form that records have is there once, and so are those before: a place beyond 16
 * bits and beyond 32, or the one that says that there is none, or a group's number beyond 16.
 */
static void
rows_are_widened(void)
{
	static const int64_t rest[] = {1, INT16_MIN, INT32_MIN};
	static __int128 sums[WIDENED];
	DpUnitsMeasure measure = {.kind = DP_UNITS_SUM, .lower = INT16_MIN + 1, .upper = INT16_MAX, .small = true};
	int			forms = 0;

	for (int t = 0; t < 12; t++)
	{
		const uint32_t groups = t % 2 ? WIDENED : 3;
		DpUnitsSpec spec = {.id_words = 1, .small_ids = t % 4 < 2, .grouped = true, .max_groups = 1 << 20, .processes = 1,
			.limit = t < 6 ? 0 : 1 << 28, .measures = 1, .measure = &measure};
		DpCollect	collect;
		int			wrong = 0;

		draw_secret(&spec.secret);
		dp_units_lay_out(&spec);
		world_begin();
		dp_units_collect_create(&collect, &world_memory, &world_files, &spec, 0, NULL);
		CLAIM(collect.numbered->form == DP_RECORD_NARROW);
		memset(sums, 0, sizeof(sums));
		for (uint32_t i = 0; i < groups; i++)
		{
			CLAIM(dp_units_intern(&collect.groups, &i, sizeof(i)) == i);
			for (int j = 0; j < 2; j++)
				dp_units_collect_add(&collect, &(DpUnitId) {{i % 5, 0}}, i, j == 0 ? rest : &rest[t / 2 % 3]);
			dp_units_collect_add(&collect, &(DpUnitId) {{i % 5, 0}}, i, (int64_t[]) {DP_GRID_NONE});
		}
		forms |= 1 << collect.numbered->form;
		dp_units_collect_finish(&collect, note_sums, sums);
		for (uint32_t i = 0; i < groups; i++)
		{
			__int128	sum = 1 + (__int128) rest[t / 2 % 3];

			wrong += sums[i] != (sum < measure.lower ? measure.lower : sum > measure.upper ? measure.upper : sum);
		}
		ok(wrong == 0, "%d of %u groups differ", wrong, groups);
		dp_units_collect_destroy(&collect);
		world_end();
	}
	ok(forms == (1 << DP_RECORD_ADDED) - 1, "all forms of rows occur");
}

/* A row with the one value of its type that does not fit 32 bits is there once. */
static void
rows_are_lengthened(void)
{
	DpUnitsMeasure measure[2] = {
		{.kind = DP_UNITS_SUM, .lower = -DP_GRID_LIMIT, .upper = DP_GRID_LIMIT, .small = true},
		{.kind = DP_UNITS_ROWS, .max_rows = 100, .constant = true}
	};
	DpUnitsSpec spec = {.id_words = 1, .max_groups = 1, .processes = 1, .measures = 2, .measure = measure};
	DpCollect	collect;
	__int128	totals[3] = {0};

	draw_secret(&spec.secret);
	dp_units_lay_out(&spec);
	world_begin();
	dp_units_collect_create(&collect, &world_memory, &world_files, &spec, 0, NULL);
	dp_units_collect_write(&collect);
	dp_units_intern(&collect.groups, "", 0);
	CLAIM(collect.numbered->form == DP_RECORD_MEDIUM);
	for (int i = 0; i < 3; i++)
		dp_units_collect_add(&collect, &(DpUnitId) {{1, 0}}, 0, (int64_t[]) {i == 1 ? INT32_MIN : i, 0});
	CLAIM(collect.numbered->form == DP_RECORD_LONG);
	dp_units_collect_finish(&collect, note_totals, totals);
	ok(totals[0] == 1 && totals[1] == (__int128) INT32_MIN + 2 && totals[2] == 3, "three rows are three");
	dp_units_collect_destroy(&collect);
	world_end();
}

/* Where memory is beyond all measure, counts stay within 32 bits. */
static void
counts_fit(void)
{
	DpUnitsSpec spec = {.id_words = 1, .grouped = true, .max_groups = 1, .processes = 1, .limit = SIZE_MAX};
	const size_t least = dp_units_load_cost(&spec, false, DP_RECORD_SHORT);

	ok(dp_units_room(&spec) / least < UINT32_C(1) << 30 && dp_units_room(&spec) / 64 <= UINT32_C(1) << 28,
	   "a part has fewer than 2^30 records");
	ok(dp_units_groups_limit(&spec) / (sizeof(DpUnitsGroup) + sizeof(__int128) + 2 * sizeof(DpUnitsBucket)) <
	   UINT32_C(1) << 30, "fewer than 2^30 groups have numbers");
}

int
main(void)
{
	ok(siphash_agrees(), "SipHash is OpenSSL's");
	chosen_ids_do_not_meet();
	hash_is_a_permutation();
	small_hash_is_a_permutation();
	groups_are_numbered();
	keys_are_hashed_by_a_secret();
	ids_of_groups();
	keys_are_read();
	places_are_no_totals();
	keys_are_no_groups();
	groups_without_cells();
	weights_are_listed();
	adds_up_in_little();
	stamps_of_sums();
	units_are_brought_together();
	units_that_meet_are_sorted();
	groups_are_spread();
	rows_are_widened();
	rows_are_lengthened();
	counts_fit();
	return done_testing();
}
