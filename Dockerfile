# dp_agg in containers, on the official image of PostgreSQL.
#
#   docker build --target server -t dp_agg .          PostgreSQL with dp_agg preloaded
#   docker build -t dp_agg-demo .                     the same with the demo's data: see container/
#   docker build --target extension -t dp_agg-ext .   lib and share/extension alone, for CloudNativePG
#
# BASE has to be an image of PG_MAJOR.  An extension image is for servers of the same version,
# distribution and processor: for CloudNativePG's images on bookworm build with
# BASE=postgres:18-bookworm.
ARG PG_MAJOR=18
ARG BASE=postgres:${PG_MAJOR}-trixie

FROM ${BASE} AS build
ARG PG_MAJOR
# hadolint ignore=DL3008
RUN apt-get update \
	&& apt-get install -y --no-install-recommends \
		gcc libc6-dev libpq-dev libssl-dev make "postgresql-server-dev-${PG_MAJOR}" \
	&& rm -rf /var/lib/apt/lists/*
COPY Makefile dp_agg.control /build/
COPY sql /build/sql
COPY src /build/src
COPY replica /build/replica
WORKDIR /build
RUN set -e; \
	export PG_CONFIG="/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config"; \
	make -s -j"$(nproc)" with_llvm=no; \
	strip -g dp_agg.so; \
	make -s with_llvm=no install DESTDIR=/installed; \
	make -s with_llvm=no install datadir=/image/share pkglibdir=/image/lib

# An image volume has these two directories, and licenses.
FROM scratch AS extension
LABEL org.opencontainers.image.title="dp_agg" \
	org.opencontainers.image.description="Differentially private aggregates for PostgreSQL, as an extension image" \
	org.opencontainers.image.licenses="PostgreSQL"
COPY LICENSE /licenses/dp_agg/
COPY --from=build /image/lib /lib
COPY --from=build /image/share /share
USER 65532:65532

# What the official image does, and the library preloaded in every cluster that it makes.
FROM ${BASE} AS server
ARG PG_MAJOR
# Only the socket within the container is trusted, not whatever comes from 127.0.0.1.
ENV POSTGRES_INITDB_ARGS=--auth-host=scram-sha-256
LABEL org.opencontainers.image.title="dp_agg" \
	org.opencontainers.image.description="PostgreSQL with dp_agg, differentially private aggregates" \
	org.opencontainers.image.licenses="PostgreSQL"
COPY LICENSE /usr/share/doc/dp_agg/
COPY --from=build /installed /
RUN echo "shared_preload_libraries = 'dp_agg'" >>"/usr/share/postgresql/${PG_MAJOR}/postgresql.conf.sample"

# Made-up people to ask about, and an analyst, whose password is given when it is started.
FROM server AS demo
COPY container/entrypoint /usr/local/bin/dp_agg-entrypoint
COPY container/demo.sh /docker-entrypoint-initdb.d/dp_agg-demo.sh
COPY test/demo/data.sql test/demo/setup.sql container/admit.sql /usr/share/dp_agg/demo/
# Over TCP the server answers only when all that is done.
HEALTHCHECK --interval=5s --start-period=60s CMD ["pg_isready", "-q", "-h", "127.0.0.1"]
ENTRYPOINT ["dp_agg-entrypoint"]
CMD ["postgres"]
