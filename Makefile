# dp_agg: differentially private aggregates for PostgreSQL
#
#   make demo          everything installed, built and shown on a throw-away cluster
#   make demo-stop     stop that cluster and remove it
#   make test          everything installed, built and tested
#   make test-fast     the same preparation, then only unit and regress
#   make test-tools    the same preparation, then people's tools and drivers, which it installs
#   make test-faults   the same preparation, then faults: twenty rounds of stops
#   make soak          thirty minutes of sixteen sessions, of which some are killed
#   make, make install the usual PGXS targets, for a server you administer
#   make unit          the plain-C rooms alone, under sanitizers
#   make accuracy      measured errors of all mechanisms beside theory
#   make report        build/report.html about the database that PGHOST, PGDATABASE and PGUSER name
#   make bench         speed, as ratios to the plain queries
#   make test-ubsan    regress and some fuzzing under UBSan
#   make lint          clang-tidy and cppcheck
#   make indent        indent C sources as PostgreSQL does, by pgindent
#   make coverage      lines of src/ that unit, regress and isolation run; HTML in build/coverage
#   make compile_commands.json  what editors ask how sources are compiled
#   make fuzz          random queries, sqlsmith and the plain-C rooms, for long
#   make installcheck  regress and isolation on the running server that PGHOST and PGPORT name
#   make check         regress, isolation and TAP of an installed build on servers of their own,
#                      as an unprivileged user, on a tree that user owns
#   make test-versions the suite on PostgreSQL 16 to 19, in chroots; needs root
#   make neighbours    each extension that Debian has beside dp_agg; needs root
#   make test-cassert  the suite on PostgreSQL 15 built with its own assertions
#   make dist          build/dp_agg-VERSION.zip, which PGXN takes, and .tar.gz, from the last commit
#   make test-dist     the same, unpacked elsewhere, built, installed and tested a little
#   make test-container  the images of Dockerfile, asked as an analyst
#   make deb           Debian packages in build/deb
#   make test-modules  build and install test/modules into that same server
#
# PG_CONFIG names the PostgreSQL to build for: that of PATH, or else the newest that Debian's packages have installed.
PG_CONFIG ?= $(or $(firstword $(shell command -v pg_config)),$(lastword $(sort $(wildcard /usr/lib/postgresql/*/bin/pg_config))),pg_config)

EXTENSION = dp_agg
MODULE_big = dp_agg
DATA = $(wildcard sql/dp_agg--*.sql)
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c)))

# Points that tests inject faults at are in test builds only.
ifeq ($(findstring -DDP_INJECTION,$(COPT)),)
OBJS := $(filter-out src/base/injection.o,$(OBJS))
endif

# -Werror where tests build, never for who installs.
WERROR ?=
# Headers of PostgreSQL 19 name the operator as the compiler that the server was built by does
# by itself; under -std=gnu11 it has this name alone.
PG_CPPFLAGS = -I$(CURDIR)/src -Dtypeof_unqual=__typeof_unqual__
PG_CFLAGS = -std=gnu11 -O2 -Wall -Wextra $(WERROR) \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
# Calls within the library stay there: no other library's function of the same name is
# taken instead, and none goes through a table.
SHLIB_LINK = -lcrypto -lm -Wl,-Bsymbolic-functions

# Regress topics (sql/NAME.sql, expected/NAME.out) in the order they run: one
# line each, explicit because sql/ holds the install scripts too.
REGRESS += install
REGRESS += policy
REGRESS += lost_protection
REGRESS += gate_denied
REGRESS += gate_charge
REGRESS += release_replay
REGRESS += release_empty
REGRESS += gate_parameters
REGRESS += gate_exhausted
REGRESS += release_groups
REGRESS += private_means
REGRESS += release_above
REGRESS += parallel_outer
REGRESS += folded_names
REGRESS += null_above
REGRESS += gate_routes
REGRESS += gate_shapes
REGRESS += grouping_sets
REGRESS += gate_refused
REGRESS += refusals
REGRESS += gate_from
REGRESS += grammar
REGRESS += containers
REGRESS += splits
REGRESS += moments
REGRESS += domains
REGRESS += plain
REGRESS += subselects
REGRESS += row_lists
REGRESS += staged
REGRESS += computed_keys
REGRESS += lateral
REGRESS += fan_out bounds
REGRESS += interval
REGRESS += intervals_of_arithmetic
REGRESS += withheld_quantiles
REGRESS += joint
REGRESS += hints
REGRESS += histogram
REGRESS += idle_limits
REGRESS += selection
REGRESS += select_model
REGRESS += synthesize
REGRESS += calls
REGRESS += linregr
REGRESS += classification
REGRESS += suggest_bounds
REGRESS += bounding
REGRESS += quantiles
REGRESS += quantile_levels
REGRESS += dates
REGRESS += gate_channels
REGRESS += counters
REGRESS += newer
REGRESS += release_partitions
REGRESS += units_source
REGRESS += units_paths
REGRESS += units_quantiles
REGRESS += distinct_values
REGRESS += clipping chosen_groups
REGRESS += clip_interval
REGRESS += settings
REGRESS += explain
REGRESS += release_rows
REGRESS += price
REGRESS += shared_noise
REGRESS += help
REGRESS += growth_planning
REGRESS += growth_partitions
REGRESS += kept
REGRESS += growth_memory
REGRESS += bounded
REGRESS += flatten
REGRESS += grouped
REGRESS += windows
REGRESS += nested
REGRESS += full_joins
REGRESS += united
REGRESS += joins
REGRESS += stars
REGRESS += links
REGRESS += public_keys
REGRESS += answered_groups
REGRESS += listed_keys
REGRESS += public_reads
REGRESS += row_security
REGRESS += inheritance
REGRESS += public_values
REGRESS += record_keys
REGRESS += referenced_keys
REGRESS += exact_aggregates
REGRESS += validate
REGRESS += unique
REGRESS += user_types
REGRESS += functions
REGRESS += patterns
REGRESS += predicates
REGRESS += work
REGRESS += encodings
REGRESS += harden
REGRESS += extensions_shown
REGRESS += exposure
REGRESS += attach
REGRESS += traps
REGRESS += ledger
REGRESS += ledger_cost
REGRESS += budget_caps
REGRESS += budget_pools
REGRESS += budget_alerts
REGRESS += no_budget
REGRESS += numbers
REGRESS += budget_refresh
REGRESS += budget_plan
REGRESS += chosen_delta
REGRESS += default_settings
REGRESS += budget_shares
REGRESS += questions
REGRESS += rollup
REGRESS += rollup_listed
REGRESS += sample
REGRESS += randomize
REGRESS += accountant
REGRESS += pld
REGRESS += membership
REGRESS += deployment
REGRESS += warnings

# Isolation specs: test/isolation/specs/NAME.spec, test/isolation/expected/NAME.out.
ISOLATION += unique
ISOLATION += temporary_children
ISOLATION += partitions
ISOLATION += charge
ISOLATION += together
ISOLATION += links
ISOLATION += refresh
ISOLATION += delta
ISOLATION += pages

# Documents and sources first, which need no server but for the last of these.
PROVE_TESTS = $(sort $(wildcard test/t/docs/*.pl)) $(filter-out test/t/docs/%,$(sort $(wildcard test/t/*/*.pl)))
ISOLATION_OPTS = --inputdir=test/isolation

# make installcheck: the server that PGHOST and PGPORT name, without the topics that use
# test/modules unless these are installed in it.  make check: OWN_SERVER=1.
ifneq ($(OWN_SERVER),)
TAP_TESTS = 1
REGRESS_OPTS = --temp-instance=tmp_check --temp-config=test/dp_agg.conf
ISOLATION_OPTS += --temp-instance=tmp_check_iso --temp-config=test/dp_agg.conf
# What PostgreSQL::Test::Cluster gives every server.
export TEMP_CONFIG = $(CURDIR)/test/servers.conf
else ifeq ($(wildcard $(shell $(PG_CONFIG) --sharedir)/extension/charge.control),)
users_of_modules = $(basename $(notdir $(shell grep -lE 'dp_(validate|questions)_test|EXTENSION (charge|attacher|onlooker)' $(1))))
REGRESS := $(filter-out $(call users_of_modules,sql/*.sql),$(REGRESS))
ISOLATION := $(filter-out $(call users_of_modules,test/isolation/specs/*.spec),$(ISOLATION))
endif
ifeq ($(OWN_SERVER),)
# As on the servers of test/dp_agg.conf: prices that do not depend on the limits of budgets, and no messages that depend on noise.
installcheck: export PGOPTIONS += -c dp_agg.delta=1e-9 -c dp_agg.mechanism=laplace -c dp_agg.clipping=fixed -c dp_agg.epsilon=0.1 -c dp_agg.high_epsilon=0 -c dp_agg.noise_notice=off -c dp_agg.clipping_notice=off
endif
EXTRA_CLEAN = build

# These goals prepare a PostgreSQL themselves, or need none.
STANDALONE = check test accuracy test-fast test-tools test-ubsan test-faults soak demo demo-stop unit bench fuzz fuzz-rooms lint indent coverage compile_commands.json test-versions test-cassert neighbours test-container test-dist dist deb report

.DEFAULT_GOAL = all
ifneq ($(filter-out $(STANDALONE),$(or $(MAKECMDGOALS),all)),)
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Where libpq's headers are, a library of its own links standbys to their primary: see replica/Makefile.
ifneq ($(wildcard $(shell $(PG_CONFIG) --includedir)/libpq-fe.h),)
REPLICA_GOALS = replica-all replica-install replica-uninstall replica-clean
.PHONY: $(REPLICA_GOALS)
all: replica-all
install: replica-install
uninstall: replica-uninstall
clean: replica-clean
$(REPLICA_GOALS): replica-%:
	$(MAKE) -C replica PG_CONFIG=$(PG_CONFIG) $*
endif
else

# Not beside PGXS, which has a goal of this name that says it is not supported.
.PHONY: check
check:
	@$(MAKE) installcheck OWN_SERVER=1
endif

# An object depends on the headers that the compiler read for it, and its bitcode on
# the object.  Without build/depend nothing is known of them: all objects are made again.
$(OBJS): %.o: %.c build/depend/made
	$(COMPILE.c) -MMD -MP -MF build/depend/$(subst /,-,$*).d -o $@ $<

$(OBJS:.o=.bc): %.bc: %.o

build/depend/made:
	@mkdir -p $(@D)
	@touch $@

-include $(wildcard build/depend/*.d)

# The plain-C rooms, compiled without any server header under ASan and UBSan: once
# into a library, which is linked whole, so that nothing in it needs a server.
UNIT_TESTS = $(patsubst test/unit/%.c,build/unit/%,$(wildcard test/unit/test_*.c))
UNIT_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(COVERAGE) -MMD -MP -MF $@.d -MT $@ -Isrc -Itest/unit
UNIT_LIBRARY = build/unit/plain.a
UNIT_OBJECTS = $(patsubst src/%.c,build/unit/src/%.o,$(PLAIN_SOURCES))
PLAIN_SOURCES = $(wildcard src/noise/*.c) $(wildcard src/models/*.c) $(filter-out %_sql.c,$(wildcard src/accounting/*.c)) \
	src/aggregate/estimate.c src/aggregate/estimate_interval.c src/aggregate/ladder_choice.c \
	src/aggregate/ladder_cut.c src/aggregate/rank_interval.c src/units/collect.c src/units/contributions.c src/units/cover.c \
	src/units/direct.c src/units/finish.c src/units/groups.c src/units/key_file.c src/units/known.c src/units/load.c src/units/lookup.c src/units/partition_file.c \
	src/units/sums.c src/units/take.c src/base/segments.c

-include $(wildcard $(addsuffix .d,$(UNIT_TESTS) $(UNIT_OBJECTS)))

build/unit/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c -o $@ $<

$(UNIT_LIBRARY): $(UNIT_OBJECTS)
	rm -f $@
	ar rcs $@ $^

build/unit/%: test/unit/%.c $(UNIT_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -o $@ $< -Wl,--whole-archive $(UNIT_LIBRARY) -Wl,--no-whole-archive -lcrypto -lm

.PHONY: unit test test-fast test-tools test-modules demo demo-stop
unit: $(UNIT_TESTS)
	$(if $(UNIT_TESTS),test/tap -j "$$(nproc)" -e '' $(UNIT_TESTS))

# Modules that only tests load: never part of the product's own install.
test-modules:
	set -e; for module in $(wildcard test/modules/*/Makefile); do \
		$(MAKE) -C $$(dirname $$module) PG_CONFIG=$(PG_CONFIG) install; done

test:
	@test/run

test-fast:
	@test/run unit regress

# Tools and drivers that people use: those that Debian and npm have.
test-tools:
	@test/run tools

# The part of the statistical tests that measures errors, with what was measured.
.PHONY: accuracy
accuracy:
	@test/run accuracy

# Regress and a slice of the fuzzer under UBSan.
.PHONY: test-ubsan
test-ubsan:
	@test/ubsan

# clang-tidy and cppcheck.
.PHONY: lint
lint:
	@test/lint

# C sources and typedefs.list; `test/indent/run --check` changes nothing.
.PHONY: indent
indent:
	@test/indent/run

.PHONY: coverage
coverage:
	@test/coverage

.PHONY: compile_commands.json
compile_commands.json:
	@test/compile_commands

# How often, and how long.
ROUNDS ?= 20
MINUTES ?= 30

.PHONY: test-faults soak
test-faults:
	@DP_ROUNDS=$(ROUNDS) test/run faults

soak:
	@DP_SOAK_MINUTES=$(MINUTES) DP_STAGE_TIMEOUT=$$(($(MINUTES) * 120 + 1200)) test/run soak

# Other versions of PostgreSQL: VERSIONS='17 18', DP_CHROOTS=directory.
.PHONY: test-versions test-cassert
test-versions:
	@test/versions $(VERSIONS)

test-cassert:
	@test/cassert $(STAGES)

# Archives have PGXN's version, which has three parts.
DISTRIBUTION = dp_agg-$(shell sed -n '/"version"/{s/.*: "\(.*\)".*/\1/p;q}' META.json)

.PHONY: dist deb test-dist test-container
dist:
	@mkdir -p build
	git archive --format=zip --prefix=$(DISTRIBUTION)/ -o build/$(DISTRIBUTION).zip HEAD
	git archive --format=tar.gz --prefix=$(DISTRIBUTION)/ -o build/$(DISTRIBUTION).tar.gz HEAD

test-dist:
	@test/dist

test-container:
	@test/container $(VERSIONS)

# Debian packages: VERSIONS='15 17'.
deb:
	@test/package $(VERSIONS)

demo:
	@test/demo/start

demo-stop:
	@test/demo/stop

# A page about budgets, prices and exposures of a running server's database; an auditor may make it.
.PHONY: report
report:
	@mkdir -p build
	psql -XqAt -f doc/report.sql -o build/report.html

# Everything test/bench measures, on a throw-away server.
.PHONY: bench
bench:
	@test/bench/run

# libFuzzer on the plain-C rooms, each for DP_FUZZ_SECONDS: nothing may crash,
# overflow or read where it should not, and the claims in the targets hold.
FUZZ_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc -Itest/fuzz/rooms
FUZZ_CLANG ?= clang
build/fuzz/samplers: $(wildcard src/noise/*.c)
build/fuzz/accounting: $(PLAIN_SOURCES)
build/fuzz/grid: src/aggregate/grid.c
build/fuzz/units: $(filter src/units/%,$(PLAIN_SOURCES)) src/base/segments.c src/noise/random.c $(wildcard test/unit/units_*.h src/units/*.h)
build/fuzz/states: $(patsubst %,src/aggregate/%.c,grid state cells summary)
build/fuzz/states: FUZZ_CFLAGS += -isystem $(shell $(PG_CONFIG) --includedir-server)

build/fuzz/%: test/fuzz/rooms/%.c test/fuzz/rooms/input.h
	@mkdir -p $(@D)
	$(FUZZ_CLANG) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^) -lcrypto -lm

.PHONY: fuzz-rooms
fuzz-rooms: $(patsubst test/fuzz/rooms/%.c,build/fuzz/%,$(wildcard test/fuzz/rooms/*.c))
	test/tap -e test/fuzz/room $^

# Each extension that Debian has, beside dp_agg: VERSIONS='15 18', DP_NEIGHBOURS='pgaudit,postgis-3'.
.PHONY: neighbours
neighbours:
	@test/neighbours/run $(or $(VERSIONS),15 17 18)

# Everything test/fuzz does, for long, on a throw-away server with assertions.
.PHONY: fuzz
fuzz:
	@test/fuzz/run

# Draws per second of the noise, with the compiler flags of the product.
.PHONY: bench-samplers
bench-samplers: build/bench/samplers
	$<

build/bench/samplers: test/bench/samplers.c $(wildcard src/noise/*.c src/noise/*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Isrc -o $@ $(filter %.c,$^) -lcrypto
