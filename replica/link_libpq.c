/* SPDX-License-Identifier: PostgreSQL */
/*
 * link_libpq.c
 *	  A standby's link to its primary, made of libpq: a library of its own, which the
 *	  worker of src/budget/replica alone loads.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq-fe.h"

#include "budget/replica/link.h"

PG_MODULE_MAGIC;

/* Most parameters of a connection that are set: all that libpq knows, and ours. */
#define MOST_PARAMETERS 100

struct DpLink
{
	PGconn	   *connection;
	PGresult   *result;			/* of the last call */
	bool		told;			/* has it been handed on? */
	char		reason[256];
};

extern PGDLLEXPORT const DpLinkLibrary *dp_replica_link(void);

/* The query of a call.  Types are those of the function's arguments. */
#define QUERY "SELECT answer FROM dp_agg.replica_charge($1::pg_catalog.oid[], $2::pg_catalog.text[], " \
	"$3::pg_catalog.jsonb[], $4::pg_catalog.text[], $5::pg_catalog.text, $6::pg_catalog.text) AS answer"

/* Of how the server itself reaches its primary: who it is there is nothing to us. */
static const char *const not_taken[] = {"user", "password", "dbname", "replication", "options", "application_name", NULL};

/* Nor this, if we are to go to another host: an address would go before that host's name. */
static const char *const of_host[] = {"host", "hostaddr", NULL};

static const char *const of_service[] = {"service", NULL};

/* What a dead peer is known by, unless the administrator says otherwise. */
static const char *const usual[][2] = {
	{"user", "dp_agg_replica"},
	{"keepalives", "1"},
	{"keepalives_idle", "5"},
	{"keepalives_interval", "5"},
	{"keepalives_count", "3"},
	{"tcp_user_timeout", "20000"},
	{NULL, NULL}
};

typedef struct Parameters
{
	const char *keyword[MOST_PARAMETERS + 1];
	const char *value[MOST_PARAMETERS + 1];
	int			count;
} Parameters;

/* Set a parameter, whatever it was before. */
static void
set(Parameters *parameters, const char *keyword, const char *value)
{
	int			i = 0;

	while (i < parameters->count && strcmp(parameters->keyword[i], keyword) != 0)
		i++;
	if (i == MOST_PARAMETERS)
		return;
	parameters->keyword[i] = keyword;
	parameters->value[i] = value;
	if (i == parameters->count)
		parameters->count++;
}

static bool
is_among(const char *keyword, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(keyword, *list) == 0)
			return true;
	return false;
}

/* Does a conninfo string say any of these? */
static bool
says_any(const PQconninfoOption *options, const char *const *keywords)
{
	for (; options->keyword != NULL; options++)
		if (options->val != NULL && is_among(options->keyword, keywords))
			return true;
	return false;
}

/* Take back parameters that were set. */
static void
unset(Parameters *parameters, const char *const *keywords)
{
	int			kept = 0;

	for (int i = 0; i < parameters->count; i++)
		if (!is_among(parameters->keyword[i], keywords))
		{
			parameters->keyword[kept] = parameters->keyword[i];
			parameters->value[kept++] = parameters->value[i];
		}
	parameters->count = kept;
}

/* Set what a conninfo string says, but for some. */
static void
take(Parameters *parameters, const PQconninfoOption *options, const char *const *but)
{
	for (; options != NULL && options->keyword != NULL; options++)
		if (options->val != NULL && !is_among(options->keyword, but))
			set(parameters, options->keyword, options->val);
}

/* The parameters are set in the order in which later ones take the place of earlier ones. */
static void
set_all(Parameters *parameters, const DpLinkTarget *target, const PQconninfoOption *server, const PQconninfoOption *own)
{
	static const char *const ours[] = {"dbname", "replication", "options", "client_encoding", NULL};

	for (int i = 0; usual[i][0] != NULL; i++)
		set(parameters, usual[i][0], usual[i][1]);
	take(parameters, server, not_taken);
	if (says_any(own, of_host))
		unset(parameters, of_host);
	/* A service tells only what nobody else has told. */
	if (says_any(own, of_service))
		parameters->count = 0;
	set(parameters, "application_name", target->name);
	take(parameters, own, ours);
	set(parameters, "dbname", target->database);
	set(parameters, "client_encoding", target->encoding);
	set(parameters, "options", target->options);
	parameters->keyword[parameters->count] = NULL;
	parameters->value[parameters->count] = NULL;
}

/* What the primary says beside its answers is in its own log. */
static void
ignore(void *context, const PGresult *notice)
{
}

static DpLink *
connect_with(const DpLinkTarget *target, const PQconninfoOption *server, const PQconninfoOption *own)
{
	Parameters	parameters = {.count = 0};
	DpLink	   *link = calloc(1, sizeof(DpLink));

	if (link == NULL)
		return NULL;
	set_all(&parameters, target, server, own);
	link->connection = PQconnectStartParams(parameters.keyword, parameters.value, 0);
	(void) PQsetNoticeReceiver(link->connection, ignore, NULL);
	return link;
}

static DpLink *
open_link(const DpLinkTarget *target, const char **reason)
{
	PQconninfoOption *server = PQconninfoParse(target->server, NULL);
	PQconninfoOption *own = PQconninfoParse(target->own, NULL);
	DpLink	   *link = NULL;

	/* A message of libpq's might have a password in it. */
	*reason = server == NULL ? "\"primary_conninfo\" cannot be read" :
		own == NULL ? "\"dp_agg.primary_conninfo\" cannot be read" : "out of memory";
	if (server != NULL && own != NULL)
		link = connect_with(target, server, own);
	PQconninfoFree(server);
	PQconninfoFree(own);
	return link;
}

/* Made: from now on nothing waits. */
static DpLinkState
make_ready(DpLink *link)
{
	if (PQsetnonblocking(link->connection, 1) != 0)
		return DP_LINK_FAILED;
	return DP_LINK_READY;
}

static DpLinkState
advance(DpLink *link)
{
	if (PQstatus(link->connection) == CONNECTION_BAD)
		return DP_LINK_FAILED;
	switch (PQconnectPoll(link->connection))
	{
		case PGRES_POLLING_READING:
			return DP_LINK_READING;
		case PGRES_POLLING_WRITING:
			return DP_LINK_WRITING;
		case PGRES_POLLING_OK:
			return make_ready(link);
		default:
			return DP_LINK_FAILED;
	}
}

static int
socket_of(DpLink *link)
{
	return PQsocket(link->connection);
}

static bool
send_call(DpLink *link, const char *const *values)
{
	PQclear(link->result);
	link->result = NULL;
	link->told = false;
	return PQsendQueryParams(link->connection, QUERY, DP_LINK_VALUES, NULL, values, NULL, NULL, 1) == 1;
}

static bool
flush_link(DpLink *link)
{
	return PQflush(link->connection) == 1;
}

/* Read the reply of a call. */
static DpLinkResult
read_reply(PGresult *result, DpLinkReply *reply)
{
	if (PQresultStatus(result) == PGRES_TUPLES_OK && PQnfields(result) == 1)
	{
		reply->answers = PQntuples(result);
		return DP_LINK_ANSWER;
	}
	reply->sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	reply->message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	/* The link's own end has no SQLSTATE; whatever is no error and no row makes no sense. */
	return reply->sqlstate == NULL || reply->message == NULL ? DP_LINK_LOST : DP_LINK_ERROR;
}

/* Has the server said all that it says of a call?  Keeps its result. */
static bool
has_come(DpLink *link)
{
	while (!PQisBusy(link->connection))
	{
		PGresult   *result = PQgetResult(link->connection);

		if (result == NULL)
			return true;
		PQclear(link->result);
		link->result = result;
	}
	return false;
}

/* The end of a call is waited for, so that the next one can be sent. */
static DpLinkResult
receive(DpLink *link, DpLinkReply *reply)
{
	bool		readable = PQconsumeInput(link->connection) == 1;
	bool		come = has_come(link);

	memset(reply, 0, sizeof(*reply));
	if (come && link->result != NULL && !link->told)
	{
		link->told = true;
		return read_reply(link->result, reply);
	}
	return readable && PQstatus(link->connection) == CONNECTION_OK ? DP_LINK_NOTHING : DP_LINK_LOST;
}

static const char *
answer_of(DpLink *link, int which, int *size)
{
	*size = PQgetlength(link->result, which, 0);
	return PQgetvalue(link->result, which, 0);
}

static const char *
reason_of(DpLink *link)
{
	strlcpy(link->reason, PQerrorMessage(link->connection), sizeof(link->reason));
	link->reason[strcspn(link->reason, "\n")] = '\0';
	return link->reason;
}

static void
close_link(DpLink *link)
{
	PQclear(link->result);
	PQfinish(link->connection);
	free(link);
}

const DpLinkLibrary *
dp_replica_link(void)
{
	static const DpLinkLibrary library = {
		.version = DP_LINK_VERSION,
		.open = open_link,
		.advance = advance,
		.socket = socket_of,
		.send = send_call,
		.flush = flush_link,
		.receive = receive,
		.answer = answer_of,
		.reason = reason_of,
		.close = close_link
	};

	return &library;
}
