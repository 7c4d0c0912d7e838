# dp_agg: differentially private aggregates for PostgreSQL
#
#   make demo     everything installed, built and shown on a throw-away cluster
#   make test     everything installed, built and tested
#   make install  the usual PGXS targets, for a server you administer
#   make unit     the plain-C rooms alone, under sanitizers
#   make bench    speed against the plain queries, as ratios

EXTENSION = dp_agg
MODULE_big = dp_agg
DATA = sql/dp_agg--1.0.sql
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))

PG_CPPFLAGS = -I$(CURDIR)/src
PG_CFLAGS = -std=gnu11 -O2 -Wall -Wextra -Werror \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
SHLIB_LINK = -lcrypto -lm

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Header changes rebuild everything: the tree is small, a stale object is not.
$(OBJS): $(wildcard src/*.h src/*/*.h)

# The plain-C rooms, compiled without any server header under ASan and UBSan.
UNIT_TESTS = $(patsubst test/unit/%.c,build/unit/%,$(wildcard test/unit/test_*.c))
UNIT_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined \
	-fno-sanitize-recover=all -Isrc -Itest/unit
PLAIN_SOURCES = $(wildcard src/noise/*.c) $(filter-out %_sql.c,$(wildcard src/accounting/*.c))

build/unit/%: test/unit/%.c test/unit/tap.h $(PLAIN_SOURCES) $(wildcard src/noise/*.h src/accounting/*.h)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -o $@ $< $(PLAIN_SOURCES) -lcrypto -lm

.PHONY: unit
unit: $(UNIT_TESTS)
	prove -e '' $(UNIT_TESTS)
