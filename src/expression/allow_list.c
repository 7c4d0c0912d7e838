/* SPDX-License-Identifier: PostgreSQL */
/*
 * allow_list.c
 *	  The allow-list: built-in functions, types and collations.
 *
 * A function is known by what it runs: the name of its C function, in a pinned pg_proc
 * row of language internal.  It is here because its source was read and every edge of
 * its arguments was tried (sql/functions.sql).  It has no effect but its result, which
 * depends on nothing but its arguments and settings.  It raises no error, or (the
 * partial ones) none that cannot be trapped.
 *
 * PostgreSQL's own LEAKPROOF is not enough: md5 fails where FIPS forbids it, areas of
 * circles and lengths of segments overflow, starts_with raises an error for text that
 * is not valid in the database encoding.  It is not needed, either: numeric comparison
 * lacks it only because nobody has vouched for it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "base/compat_varlena.h"
#include "expression/allow_list.h"
#include "tree/public_params.h"

/* Functions that answer for every value of every argument. */
static const char *const total[] = {
	/* booleans */
	"booleq", "boolne", "boollt", "boolle", "boolgt", "boolge", "btboolcmp", "booltext",
	"bool_int4", "int4_bool", "boolout", "hashbool",

	/* integers */
	"int2eq", "int2ne", "int2lt", "int2le", "int2gt", "int2ge", "btint2cmp",
	"int4eq", "int4ne", "int4lt", "int4le", "int4gt", "int4ge", "btint4cmp",
	"int8eq", "int8ne", "int8lt", "int8le", "int8gt", "int8ge", "btint8cmp",
	"int24eq", "int24ne", "int24lt", "int24le", "int24gt", "int24ge", "btint24cmp",
	"int28eq", "int28ne", "int28lt", "int28le", "int28gt", "int28ge", "btint28cmp",
	"int42eq", "int42ne", "int42lt", "int42le", "int42gt", "int42ge", "btint42cmp",
	"int48eq", "int48ne", "int48lt", "int48le", "int48gt", "int48ge", "btint48cmp",
	"int82eq", "int82ne", "int82lt", "int82le", "int82gt", "int82ge", "btint82cmp",
	"int84eq", "int84ne", "int84lt", "int84le", "int84gt", "int84ge", "btint84cmp",
	"int2larger", "int2smaller", "int4larger", "int4smaller", "int8larger", "int8smaller",
	"int2and", "int2or", "int2xor", "int2not", "int4and", "int4or", "int4xor", "int4not",
	"int8and", "int8or", "int8xor", "int8not", "int2up", "int4up", "int8up",

	"i2toi4", "int28", "int48", "i2tof", "i2tod", "i4tof", "i4tod", "i8tof", "i8tod",
	"int2_numeric", "int4_numeric", "int8_numeric", "int2out", "int4out", "int8out",
	"hashint2", "hashint4", "hashint8",

	/* floats */
	"float4eq", "float4ne", "float4lt", "float4le", "float4gt", "float4ge", "btfloat4cmp",
	"float8eq", "float8ne", "float8lt", "float8le", "float8gt", "float8ge", "btfloat8cmp",
	"float48eq", "float48ne", "float48lt", "float48le", "float48gt", "float48ge", "btfloat48cmp",
	"float84eq", "float84ne", "float84lt", "float84le", "float84gt", "float84ge", "btfloat84cmp",
	"float4larger", "float4smaller", "float8larger", "float8smaller",
	"float4abs", "float4um", "float4up", "float8abs", "float8um", "float8up",
	"dround", "dceil", "dfloor", "dtrunc", "dsign", "dpi", "ftod",
	"float4_numeric", "float8_numeric", "float4out", "float8out", "hashfloat4", "hashfloat8",

	/* numeric */
	"numeric_eq", "numeric_ne", "numeric_lt", "numeric_le", "numeric_gt", "numeric_ge",
	"numeric_cmp", "numeric_larger", "numeric_smaller", "numeric_abs", "numeric_uminus",
	"numeric_uplus", "numeric_sign", "numeric_scale", "hash_numeric",

	/* money, bits, bytes, identifiers */
	"cash_numeric", "cash_eq", "cash_ne", "cash_lt", "cash_le", "cash_gt", "cash_ge", "cash_cmp",
	"biteq", "bitne", "bitlt", "bitle", "bitgt", "bitge", "bitcmp",
	"byteaeq", "byteane", "bytealt", "byteale", "byteagt", "byteage", "byteacmp",
	"byteaoctetlen", "hashvarlena", "hashbytea",
	"oideq", "oidne", "oidlt", "oidle", "oidgt", "oidge", "btoidcmp", "oidtoi8", "hashoid",
	"uuid_eq", "uuid_ne", "uuid_lt", "uuid_le", "uuid_gt", "uuid_ge", "uuid_cmp",
	"uuid_out", "uuid_hash", "uuid_extract_timestamp", "uuid_extract_version",
	"pg_lsn_eq", "pg_lsn_ne", "pg_lsn_lt", "pg_lsn_le", "pg_lsn_gt", "pg_lsn_ge", "pg_lsn_cmp",
	"pg_lsn_hash",
	"macaddr_eq", "macaddr_ne", "macaddr_lt", "macaddr_le", "macaddr_gt", "macaddr_ge",
	"macaddr_cmp", "hashmacaddr",
	"macaddr8_eq", "macaddr8_ne", "macaddr8_lt", "macaddr8_le", "macaddr8_gt", "macaddr8_ge",
	"macaddr8_cmp", "macaddrtomacaddr8", "hashmacaddr8",
	"network_eq", "network_ne", "network_lt", "network_le", "network_gt", "network_ge",
	"network_cmp", "hashinet", "network_larger", "network_smaller",
	"network_sub", "network_subeq", "network_sup", "network_supeq", "network_overlap",
	"network_family", "network_masklen", "inet_same_family",

	/* text: what compares bytes or asks the collation, and never counts characters */
	"texteq", "textne", "text_lt", "text_le", "text_gt", "text_ge", "bttextcmp",
	"textoctetlen", "hashtext",
	"text_pattern_lt", "text_pattern_le", "text_pattern_gt", "text_pattern_ge",
	"bttext_pattern_cmp",
	"bpchareq", "bpcharne", "bpcharlt", "bpcharle", "bpchargt", "bpcharge", "bpcharcmp",
	"bpcharoctetlen", "hashbpchar",
	"bpchar_pattern_lt", "bpchar_pattern_le", "bpchar_pattern_gt", "bpchar_pattern_ge",
	"btbpchar_pattern_cmp",
	"chareq", "charne", "charlt", "charle", "chargt", "charge", "btcharcmp", "hashchar",
	"nameeq", "namene", "namelt", "namele", "namegt", "namege", "btnamecmp", "hashname",
	"nameeqtext", "namenetext", "nameletext", "namegttext", "namegetext",
	"namelttext", "btnametextcmp",
	"texteqname", "textnename", "textltname", "textlename", "textgtname", "textgename",
	"bttextnamecmp", "name_text", "text_name", "bpchar_name",

	/* enums: a label cannot be dropped, so every stored value has its place */
	"enum_eq", "enum_ne", "enum_lt", "enum_le", "enum_gt", "enum_ge", "enum_cmp",
	"enum_larger", "enum_smaller", "enum_out", "hashenum",

	/* dates and times */
	"date_eq", "date_ne", "date_lt", "date_le", "date_gt", "date_ge", "date_cmp",
	"date_larger", "date_smaller", "date_finite", "date_out", "hashdate",
	"date_eq_timestamp", "date_ne_timestamp", "date_lt_timestamp", "date_le_timestamp",
	"date_gt_timestamp", "date_ge_timestamp", "date_cmp_timestamp",
	"date_eq_timestamptz", "date_ne_timestamptz", "date_lt_timestamptz", "date_le_timestamptz",
	"date_gt_timestamptz", "date_ge_timestamptz", "date_cmp_timestamptz",
	"timestamp_eq", "timestamp_ne", "timestamp_lt", "timestamp_le", "timestamp_gt",
	"timestamp_ge", "timestamp_cmp", "timestamp_larger", "timestamp_smaller",
	"timestamp_finite", "timestamp_hash",
	"timestamp_eq_date", "timestamp_ne_date", "timestamp_lt_date", "timestamp_le_date",
	"timestamp_gt_date", "timestamp_ge_date", "timestamp_cmp_date",
	"timestamp_eq_timestamptz", "timestamp_ne_timestamptz", "timestamp_lt_timestamptz",
	"timestamp_le_timestamptz", "timestamp_gt_timestamptz", "timestamp_ge_timestamptz",
	"timestamp_cmp_timestamptz",
	"timestamptz_eq_date", "timestamptz_ne_date", "timestamptz_lt_date", "timestamptz_le_date",
	"timestamptz_gt_date", "timestamptz_ge_date", "timestamptz_cmp_date",
	"timestamptz_eq_timestamp", "timestamptz_ne_timestamp", "timestamptz_lt_timestamp",
	"timestamptz_le_timestamp", "timestamptz_gt_timestamp", "timestamptz_ge_timestamp",
	"timestamptz_cmp_timestamp", "timestamptz_hash", "now",
	"time_eq", "time_ne", "time_lt", "time_le", "time_gt", "time_ge", "time_cmp",
	"time_larger", "time_smaller", "time_hash", "time_interval", "time_out",
	"timetz_eq", "timetz_ne", "timetz_lt", "timetz_le", "timetz_gt", "timetz_ge", "timetz_cmp",
	"timetz_larger", "timetz_smaller", "timetz_hash",
	"interval_eq", "interval_ne", "interval_lt", "interval_le", "interval_gt", "interval_ge",
	"interval_cmp", "interval_larger", "interval_smaller", "interval_finite", "interval_hash",
	"interval_out",

	/* jsonb */
	"jsonb_exists", "jsonb_typeof",
};

/*
 * The same of arrays, ranges and multiranges: for every value of the types that containers.c
 * lets stand there.  Elements are compared by functions that are in the list above.
 */
static const char *const of_containers[] = {
	/* arrays */
	"array_eq", "array_ne", "arraycontains", "arraycontained", "arrayoverlap",
	"array_length", "array_lower", "array_upper", "array_ndims", "array_cardinality",

	/* ranges */
	"range_eq", "range_ne", "range_contains_elem", "elem_contained_by_range",
	"range_contains", "range_contained_by", "range_overlaps", "range_before", "range_after",
	"range_overleft", "range_overright", "range_lower", "range_upper", "range_empty",
	"range_lower_inc", "range_upper_inc", "range_lower_inf", "range_upper_inf",

	/* multiranges */
	"multirange_contains_elem", "elem_contained_by_multirange", "multirange_contains_range",
	"range_contained_by_multirange", "multirange_contains_multirange",
	"multirange_contained_by_multirange", "multirange_overlaps_range",
	"range_overlaps_multirange", "multirange_overlaps_multirange", "multirange_lower",
	"multirange_upper", "multirange_empty",

	/* jsonb, and keys in an array */
	"jsonb_exists_any", "jsonb_exists_all",
};

/* LIKE: with a constant pattern, total where text is matched byte by byte. */
static const char *const like[] = {"textlike", "textnlike"};

/* ILIKE: the same, but it folds case, and so counts characters. */
static const char *const ilike[] = {"texticlike", "texticnlike"};

/* Functions whose only errors can be trapped, whatever their arguments. */
static const char *const partial[] = {
	/* integers */
	"int2pl", "int2mi", "int2mul", "int2div", "int2mod", "int2um", "int2abs",
	"int4pl", "int4mi", "int4mul", "int4div", "int4mod", "int4um", "int4abs",
	"int8pl", "int8mi", "int8mul", "int8div", "int8mod", "int8um", "int8abs",
	"int24pl", "int24mi", "int24mul", "int24div", "int28pl", "int28mi", "int28mul", "int28div",
	"int42pl", "int42mi", "int42mul", "int42div", "int48pl", "int48mi", "int48mul", "int48div",
	"int82pl", "int82mi", "int82mul", "int82div", "int84pl", "int84mi", "int84mul", "int84div",
	"i4toi2", "int82", "int84", "int4gcd", "int4lcm", "int8gcd", "int8lcm",

	/* floats */
	"float4pl", "float4mi", "float4mul", "float4div", "float8pl", "float8mi", "float8mul",
	"float8div", "float48pl", "float48mi", "float48mul", "float48div", "float84pl", "float84mi",
	"float84mul", "float84div", "dsqrt", "dcbrt", "dexp", "dlog1", "dlog10", "dpow",
	"dsin", "dcos", "dtan", "dcot", "dasin", "dacos", "datan", "datan2", "degrees", "radians",
	"dsinh", "dcosh", "dtanh", "dasinh", "dacosh", "datanh",
	"dsind", "dcosd", "dtand", "dcotd", "dasind", "dacosd", "datand", "datan2d",
	"dtof", "ftoi2", "ftoi4", "ftoi8", "dtoi2", "dtoi4", "dtoi8",

	/* numeric */
	"numeric_add", "numeric_sub", "numeric_mul", "numeric_div", "numeric_div_trunc",
	"numeric_mod", "numeric_floor", "numeric_ceil", "numeric_sqrt", "numeric_ln",
	"numeric_int2", "numeric_int4", "numeric_int8", "numeric_float4", "numeric_float8",
	"numeric_out",

	/* text: what counts characters, and may find a broken one */
	"textlen", "bpcharlen", "btrim1", "ltrim1", "rtrim1", "lower", "upper", "initcap",
	"text_reverse", "text_starts_with", "ascii",

	/* text: what may be longer than its arguments */
	"textcat",

	/* text: what returns an argument, however long, as it is in memory */
	"text_larger", "text_smaller", "bpchar_larger", "bpchar_smaller",

	/* dates and times */
	"date_mi", "date_pli", "date_mii", "date_pl_interval", "date_mi_interval",
	"timestamp_pl_interval", "timestamp_mi_interval", "timestamp_mi", "timestamp_age",
	"timestamptz_pl_interval", "timestamptz_mi_interval", "timestamptz_age",
	"time_mi_time", "time_pl_interval", "time_mi_interval",
	"interval_pl", "interval_mi", "interval_mul", "interval_div", "interval_um",
	"mul_d_interval", "interval_justify_days", "interval_justify_hours",
	"interval_justify_interval",
	"datetime_timestamp", "date_timestamp", "date_timestamptz", "timestamp_date",
	"timestamp_timestamptz", "timestamp_time", "timestamptz_date", "timestamptz_timestamp",
	"timestamptz_time", "timestamptz_timetz", "interval_time", "time_timetz", "timetz_time",
	"timestamp_out", "timestamptz_out", "make_date", "make_time", "make_timestamp",
	"float8_timestamptz", "timetz_pl_interval", "timetz_mi_interval",

	/* network addresses: what is made of one, always of a few bytes */
	"network_host", "network_show", "network_network", "network_broadcast", "network_netmask",
	"network_hostmask", "inet_abbrev", "cidr_abbrev", "inet_to_cidr",

	/* jsonb: scalars out of documents */
	"jsonb_object_field", "jsonb_object_field_text", "jsonb_array_element",
	"jsonb_array_element_text", "jsonb_array_length", "jsonb_bool", "jsonb_int2", "jsonb_int4", "jsonb_int8",
	"jsonb_numeric", "jsonb_float4", "jsonb_float8",
};

/*
 * Input functions that texts of rows may be cast by.  They read no file and no catalog, as
 * from_text.c lets them have no text that would make them.
 */
static const char *const from_text[] = {
	"boolin", "int2in", "int4in", "int8in", "float4in", "float8in", "numeric_in", "uuid_in",
	"date_in", "timestamp_in", "timestamptz_in",
};

/*
 * The same, with one argument that may vary; the others are constant, because
 * they take files, caches or much memory, or because they decide what is
 * computed at all: they are tried when the query is planned.
 */
static const struct
{
	const char *source;
	int			subject;
	bool		array;			/* is another an array? */
	bool		counts;			/* may integers vary, too? */
}			partial_in_subject[] = {

	/* lengths and precisions of types */
	{"numeric", 0}, {"varchar", 0}, {"timestamp_scale", 0},
	{"timestamptz_scale", 0}, {"time_scale", 0}, {"timetz_scale", 0}, {"interval_scale", 0},

	/* numbers */
	{"numeric_round", 0}, {"numeric_trunc", 0}, {"numeric_log", 1},
	{"width_bucket_float8", 0}, {"width_bucket_numeric", 0},

	/* text */
	{"btrim", 0}, {"ltrim", 0}, {"rtrim", 0},
	{"text_substr", 0, .counts = true}, {"text_substr_no_len", 0, .counts = true},
	{"text_left", 0, .counts = true}, {"text_right", 0, .counts = true}, {"split_part", 0, .counts = true}, {"textpos", 0},
	{"replace_text", 0}, {"translate", 0}, {"lpad", 0}, {"rpad", 0}, {"md5_text", 0},

	/* regular expressions: see regular.c */
	{"textregexeq", 0}, {"textregexne", 0}, {"texticregexeq", 0}, {"texticregexne", 0},

	/* jsonb: as deep as the constant */
	{"jsonb_contains", 0},

	/* jsonb: a path into it */
	{"jsonb_extract_path", 0, true}, {"jsonb_extract_path_text", 0, true},

	/* texts of numbers and times in a format */
	{"to_date", 0}, {"to_timestamp", 0}, {"numeric_to_number", 0},

	/* dates and times */
	{"timestamp_trunc", 1}, {"timestamptz_trunc", 1}, {"timestamptz_trunc_zone", 1},
	{"interval_trunc", 1}, {"timestamp_bin", 1}, {"timestamptz_bin", 1},
	{"extract_date", 1}, {"extract_time", 1}, {"extract_timetz", 1}, {"extract_timestamp", 1},
	{"extract_timestamptz", 1}, {"extract_interval", 1},
	{"timestamp_part", 1}, {"timestamptz_part", 1}, {"time_part", 1}, {"timetz_part", 1},
	{"interval_part", 1},
	{"timestamp_zone", 1}, {"timestamptz_zone", 1}, {"timetz_zone", 1}, {"timestamp_izone", 1},
	{"timestamptz_izone", 1}, {"timetz_izone", 1},
	{"timestamp_to_char", 0}, {"timestamptz_to_char", 0},
};

/* Cost of functions that do more than look at each byte of their arguments, or less. */
static const struct
{
	const char *source;
	DpCostClass cost;
}			costs[] = {
	{"textoctetlen", DP_COST_HEADER}, {"bpcharoctetlen", DP_COST_HEADER},
	{"byteaoctetlen", DP_COST_HEADER},
	{"texteq", DP_COST_EQUALITY}, {"textne", DP_COST_EQUALITY},
	{"byteaeq", DP_COST_EQUALITY}, {"byteane", DP_COST_EQUALITY},

	{"text_lt", DP_COST_ORDER}, {"text_le", DP_COST_ORDER}, {"text_gt", DP_COST_ORDER},
	{"text_ge", DP_COST_ORDER}, {"bttextcmp", DP_COST_ORDER}, {"text_larger", DP_COST_ORDER},
	{"text_smaller", DP_COST_ORDER}, {"bpcharlt", DP_COST_ORDER}, {"bpcharle", DP_COST_ORDER},
	{"bpchargt", DP_COST_ORDER}, {"bpcharge", DP_COST_ORDER}, {"bpcharcmp", DP_COST_ORDER},
	{"bpchar_larger", DP_COST_ORDER}, {"bpchar_smaller", DP_COST_ORDER},
	{"nameeqtext", DP_COST_ORDER}, {"namenetext", DP_COST_ORDER}, {"namelttext", DP_COST_ORDER},
	{"nameletext", DP_COST_ORDER}, {"namegttext", DP_COST_ORDER}, {"namegetext", DP_COST_ORDER},
	{"btnametextcmp", DP_COST_ORDER}, {"texteqname", DP_COST_ORDER},
	{"textnename", DP_COST_ORDER}, {"textltname", DP_COST_ORDER}, {"textlename", DP_COST_ORDER},
	{"textgtname", DP_COST_ORDER}, {"textgename", DP_COST_ORDER},
	{"bttextnamecmp", DP_COST_ORDER},

	{"textlen", DP_COST_CHARACTERS}, {"bpcharlen", DP_COST_CHARACTERS},
	{"btrim1", DP_COST_CHARACTERS}, {"ltrim1", DP_COST_CHARACTERS},
	{"rtrim1", DP_COST_CHARACTERS}, {"text_reverse", DP_COST_CHARACTERS},
	{"text_starts_with", DP_COST_CHARACTERS}, {"ascii", DP_COST_CHARACTERS},
	{"varchar", DP_COST_CHARACTERS}, {"text_substr", DP_COST_CHARACTERS},
	{"text_substr_no_len", DP_COST_CHARACTERS}, {"text_left", DP_COST_CHARACTERS},
	{"text_right", DP_COST_CHARACTERS}, {"text_name", DP_COST_CHARACTERS},
	{"bpchar_name", DP_COST_CHARACTERS},
	{"lower", DP_COST_FOLD}, {"upper", DP_COST_FOLD}, {"initcap", DP_COST_WORDS},
	{"textlike", DP_COST_LIKE}, {"textnlike", DP_COST_LIKE},
	{"texticlike", DP_COST_MATCH_FOLDED}, {"texticnlike", DP_COST_MATCH_FOLDED},
	{"split_part", DP_COST_SEARCH}, {"textpos", DP_COST_POSITION},
	{"textregexeq", DP_COST_REGULAR}, {"textregexne", DP_COST_REGULAR},
	{"texticregexeq", DP_COST_REGULAR_FOLDED}, {"texticregexne", DP_COST_REGULAR_FOLDED},
	{"btrim", DP_COST_TRIM}, {"ltrim", DP_COST_TRIM}, {"rtrim", DP_COST_TRIM},
	{"replace_text", DP_COST_REPLACE}, {"translate", DP_COST_TRANSLATE}, {"lpad", DP_COST_PAD},
	{"rpad", DP_COST_PAD}, {"md5_text", DP_COST_DIGEST}, {"textcat", DP_COST_JOIN},

	{"numeric_mul", DP_COST_DIGITS}, {"numeric_div", DP_COST_QUOTIENT},
	{"numeric_div_trunc", DP_COST_QUOTIENT}, {"numeric_mod", DP_COST_QUOTIENT},
	{"width_bucket_numeric", DP_COST_QUOTIENT},
	{"numeric_sqrt", DP_COST_ROOT}, {"numeric_ln", DP_COST_LOGARITHM},
	{"numeric_log", DP_COST_LOGARITHM}, {"numeric_out", DP_COST_TEXT_OF_NUMBER},
	{"numeric_float4", DP_COST_TEXT_OF_NUMBER}, {"numeric_float8", DP_COST_TEXT_OF_NUMBER},
	{"timestamp_to_char", DP_COST_FORMAT}, {"timestamptz_to_char", DP_COST_FORMAT},
	{"to_date", DP_COST_FORMAT}, {"to_timestamp", DP_COST_FORMAT},
	{"numeric_to_number", DP_COST_FORMAT},
	{"jsonb_object_field_text", DP_COST_TEXT_OF_JSON}, {"jsonb_contains", DP_COST_CONTAINS},
	{"jsonb_array_element_text", DP_COST_TEXT_OF_JSON},
	{"jsonb_extract_path_text", DP_COST_TEXT_OF_JSON},
	{"jsonb_exists_any", DP_COST_CONTAINS}, {"jsonb_exists_all", DP_COST_CONTAINS},

	{"array_eq", DP_COST_ELEMENTS}, {"array_ne", DP_COST_ELEMENTS},
	{"arraycontains", DP_COST_PAIRS}, {"arraycontained", DP_COST_PAIRS},
	{"arrayoverlap", DP_COST_PAIRS},
	{"range_lower", DP_COST_BOUND}, {"range_upper", DP_COST_BOUND},
	{"multirange_lower", DP_COST_BOUND}, {"multirange_upper", DP_COST_BOUND},
	{"range_eq", DP_COST_RANGES}, {"range_ne", DP_COST_RANGES},
	{"range_contains_elem", DP_COST_RANGES}, {"elem_contained_by_range", DP_COST_RANGES},
	{"range_contains", DP_COST_RANGES}, {"range_contained_by", DP_COST_RANGES},
	{"range_overlaps", DP_COST_RANGES}, {"range_before", DP_COST_RANGES},
	{"range_after", DP_COST_RANGES}, {"range_overleft", DP_COST_RANGES},
	{"range_overright", DP_COST_RANGES},
	{"multirange_contains_elem", DP_COST_RANGES},
	{"elem_contained_by_multirange", DP_COST_RANGES},
	{"multirange_contains_range", DP_COST_RANGES},
	{"range_contained_by_multirange", DP_COST_RANGES},
	{"multirange_contains_multirange", DP_COST_RANGES},
	{"multirange_contained_by_multirange", DP_COST_RANGES},
	{"multirange_overlaps_range", DP_COST_RANGES},
	{"range_overlaps_multirange", DP_COST_RANGES},
	{"multirange_overlaps_multirange", DP_COST_RANGES},
};

/* Is the name in the list? */
static bool
is_listed(const char *name, const char *const *list, int length)
{
	for (int i = 0; i < length; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static DpCostClass
cost_of(const char *source)
{
	for (int i = 0; i < lengthof(costs); i++)
		if (strcmp(source, costs[i].source) == 0)
			return costs[i].cost;
	return is_listed(source, from_text, lengthof(from_text)) ? DP_COST_FROM_TEXT : DP_COST_BYTES;
}

/* Does a pg_proc row qualify for any list at all? */
static bool
is_pure_builtin(Form_pg_proc proc)
{
	return proc->oid < FirstUnpinnedObjectId && proc->prolang == INTERNALlanguageId &&
		proc->prokind == PROKIND_FUNCTION && !proc->proretset && proc->proisstrict &&
		proc->provolatile != PROVOLATILE_VOLATILE && proc->proparallel == PROPARALLEL_SAFE;
}

bool
dp_expression_matches_bytes(void)
{
	return GetDatabaseEncoding() == PG_UTF8 || pg_database_encoding_max_length() == 1;
}

/* Look a function up by the name of its C function. */
static DpVerdict
find_source(const char *source)
{
	if (is_listed(source, total, lengthof(total)))
		return (DpVerdict) {DP_TOTAL, -1, false};
	if (is_listed(source, of_containers, lengthof(of_containers)))
		return (DpVerdict) {DP_TOTAL, -1, .of_containers = true};
	if (is_listed(source, partial, lengthof(partial)) ||
		is_listed(source, from_text, lengthof(from_text)))
		return (DpVerdict) {DP_PARTIAL, -1, false};
	if (is_listed(source, like, lengthof(like)))
		return (DpVerdict) {dp_expression_matches_bytes() ? DP_TOTAL : DP_PARTIAL, 0, true};
	if (is_listed(source, ilike, lengthof(ilike)))
		return (DpVerdict) {DP_PARTIAL, 0, true};
	for (int i = 0; i < lengthof(partial_in_subject); i++)
		if (strcmp(source, partial_in_subject[i].source) == 0)
			return (DpVerdict) {DP_PARTIAL, partial_in_subject[i].subject,
			.of_containers = partial_in_subject[i].array, .counts = partial_in_subject[i].counts};
	return (DpVerdict) {DP_REFUSED, -1, false};
}

/* Read a function's pg_proc row and look it up. */
static DpVerdict
find_function(Oid oid)
{
	DpVerdict	verdict = {DP_REFUSED, -1, false};
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));

	if (!HeapTupleIsValid(tuple))
		return verdict;
	if (is_pure_builtin((Form_pg_proc) GETSTRUCT(tuple)))
	{
		bool		isnull;
		Datum		source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);

		if (!isnull)
		{
			verdict = find_source(TextDatumGetCString(source));
			verdict.cost = cost_of(TextDatumGetCString(source));
		}
	}
	ReleaseSysCache(tuple);
	return verdict;
}

/* The verdict on a pinned function stands as long as the backend does. */
DpVerdict
dp_expression_verdict(Oid function)
{
	static bool known[FirstUnpinnedObjectId];
	static DpVerdict verdicts[FirstUnpinnedObjectId];

	if (function >= FirstUnpinnedObjectId)
		return (DpVerdict) {DP_REFUSED, -1, false};
	if (!known[function])
	{
		verdicts[function] = find_function(function);
		known[function] = true;
	}
	return verdicts[function];
}

/* Is this date_bin with a constant width, and an origin that is none?  Any origin is as good as another. */
static bool
is_bin_from_any(Oid function, List *args)
{
	return (function == F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP || function == F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ) &&
		list_length(args) == 3 && IsA(linitial(args), Const) && !IsA(lthird(args), Const);
}

DpVerdict
dp_expression_verdict_of_call(Oid function, List *args)
{
	DpVerdict	verdict = dp_expression_verdict(function);
	bool		is_match = verdict.is_like || verdict.cost == DP_COST_POSITION;

	if (is_bin_from_any(function, args))
		verdict.subject = -1;
	if (!is_match || !dp_expression_matches_bytes() || list_length(args) != 2 || IsA(lsecond(args), Const) ||
		dp_tree_is_public_param(lsecond(args)))
		return verdict;
	return (DpVerdict) {
		DP_PARTIAL, -1, .cost = verdict.cost == DP_COST_LIKE ? DP_COST_MATCH : verdict.cost
	};
}

bool
dp_expression_like_is_sound(text *pattern)
{
	const char *c = VARDATA_ANY(pattern);
	const char *end = c + VARSIZE_ANY_EXHDR(pattern);
	int			wildcards = 0;

	/* No character of a server encoding has ASCII among its further bytes. */
	for (; c < end; c++)
	{
		if (*c == '%')
			wildcards++;
		else if (*c == '\\' && ++c == end)
			return false;
	}
	return wildcards <= DP_MAX_LIKE_WILDCARDS;
}

bool
dp_expression_type_is_allowed(Oid type)
{
	char		kind = get_typtype(type);

	if (kind == TYPTYPE_ENUM)
		return true;
	return kind == TYPTYPE_BASE && type < FirstUnpinnedObjectId &&
		!OidIsValid(get_element_type(type));
}

bool
dp_expression_collation_is_allowed(Oid collation)
{
	return collation < FirstNormalObjectId &&
		(!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

bool
dp_expression_type_is_groupable(Oid type)
{
	TypeCacheEntry *entry;

	if (!dp_expression_type_is_allowed(type))
		return false;
	entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_CMP_PROC | TYPECACHE_HASH_PROC);
	return OidIsValid(entry->eq_opr) &&
		dp_expression_verdict(get_opcode(entry->eq_opr)).totality == DP_TOTAL &&
		dp_expression_verdict(entry->cmp_proc).totality == DP_TOTAL &&
		dp_expression_verdict(entry->hash_proc).totality == DP_TOTAL;
}
