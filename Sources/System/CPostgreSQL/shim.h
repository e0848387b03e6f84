#pragma once
#include <stddef.h>

// libpq, or without its header functions that find no server: then a program has everything but PostgreSQL. No
// `link`: the linker's flags come from pkg-config, with the header's directory.

struct pg_conn;
struct pg_result;

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>

static inline int baton_pg_is_built(void) { return 1; }

static inline void baton_pg_silence(void *context, const PGresult *notice) {
  (void)context;
  (void)notice;
}

// `url` is the database's; the other keywords, which end with NULL, stand above those of the URL.
static inline struct pg_conn *baton_pg_connect(const char *url, const char *application, const char *options) {
  const char *names[] = {"dbname", "application_name", "options", "client_encoding", "connect_timeout",
                         "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count", NULL};
  const char *values[] = {url, application, options, "UTF8", "5", "5000", "2", "1", "3", NULL};
  struct pg_conn *connection = PQconnectdbParams(names, values, 1);
  // Otherwise libpq prints notices.
  if (connection) PQsetNoticeReceiver(connection, baton_pg_silence, NULL);
  return connection;
}

static inline int baton_pg_is_connected(const struct pg_conn *connection) {
  return PQstatus(connection) == CONNECTION_OK;
}

static inline int baton_pg_is_in_transaction(const struct pg_conn *connection) {
  return PQtransactionStatus(connection) != PQTRANS_IDLE;
}

static inline const char *baton_pg_message(const struct pg_conn *connection) { return PQerrorMessage(connection); }
static inline void baton_pg_close(struct pg_conn *connection) { PQfinish(connection); }

static inline struct pg_result *baton_pg_script(struct pg_conn *connection, const char *sql) {
  return PQexec(connection, sql);
}

static inline struct pg_result *baton_pg_prepare(
    struct pg_conn *connection, const char *name, const char *sql, int count, const unsigned int *types) {
  return PQprepare(connection, name, sql, count, types);
}

// Values and results in the binary form.
static inline struct pg_result *baton_pg_run(
    struct pg_conn *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats) {
  return PQexecPrepared(connection, name, count, values, lengths, formats, 1);
}

// The rows of the next query of a script come one by one.
static inline int baton_pg_begin_rows(
    struct pg_conn *connection, const char *sql) {
  return PQsendQueryParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1) && PQsetSingleRowMode(connection);
}

static inline struct pg_result *baton_pg_next(struct pg_conn *connection) { return PQgetResult(connection); }

static inline int baton_pg_is_fine(const struct pg_result *result) {
  ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE;
}

// Five characters, or NULL if the server did not speak.
static inline const char *baton_pg_state(const struct pg_result *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *baton_pg_reason(const struct pg_result *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline void baton_pg_clear(struct pg_result *result) { PQclear(result); }
static inline int baton_pg_rows(const struct pg_result *result) { return PQntuples(result); }
static inline int baton_pg_columns(const struct pg_result *result) { return PQnfields(result); }
static inline const char *baton_pg_name(const struct pg_result *result, int column) { return PQfname(result, column); }
static inline unsigned int baton_pg_type(const struct pg_result *result, int column) { return PQftype(result, column); }

static inline const char *baton_pg_value(const struct pg_result *result, int row, int column, int *length) {
  if (PQgetisnull(result, row, column)) return NULL;
  *length = PQgetlength(result, row, column);
  return PQgetvalue(result, row, column);
}

// 1 if the URL can be read, 2 if it also has a password.
static inline int baton_pg_check(const char *url) {
  PQconninfoOption *options = PQconninfoParse(url, NULL);
  if (!options) return 0;
  int found = 1;
  for (PQconninfoOption *option = options; option->keyword; option++)
    if (option->keyword[0] == 'p' && option->keyword[1] == 'a' && option->keyword[2] == 's' &&
        option->keyword[3] == 's' && option->keyword[4] == 'w' && option->keyword[5] == 'o' && option->val)
      found = 2;
  PQconninfoFree(options);
  return found;
}

#else

static inline int baton_pg_is_built(void) { return 0; }
static inline struct pg_conn *baton_pg_connect(const char *url, const char *application, const char *options) {
  return NULL;
}
static inline int baton_pg_is_connected(const struct pg_conn *connection) { return 0; }
static inline int baton_pg_is_in_transaction(const struct pg_conn *connection) { return 0; }
static inline const char *baton_pg_message(const struct pg_conn *connection) { return ""; }
static inline void baton_pg_close(struct pg_conn *connection) {}
static inline struct pg_result *baton_pg_script(struct pg_conn *connection, const char *sql) { return NULL; }
static inline struct pg_result *baton_pg_prepare(
    struct pg_conn *connection, const char *name, const char *sql, int count, const unsigned int *types) {
  return NULL;
}
static inline struct pg_result *baton_pg_run(
    struct pg_conn *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats) {
  return NULL;
}
static inline int baton_pg_begin_rows(struct pg_conn *connection, const char *sql) { return 0; }
static inline struct pg_result *baton_pg_next(struct pg_conn *connection) { return NULL; }
static inline int baton_pg_is_fine(const struct pg_result *result) { return 0; }
static inline const char *baton_pg_state(const struct pg_result *result) { return NULL; }
static inline const char *baton_pg_reason(const struct pg_result *result) { return NULL; }
static inline void baton_pg_clear(struct pg_result *result) {}
static inline int baton_pg_rows(const struct pg_result *result) { return 0; }
static inline int baton_pg_columns(const struct pg_result *result) { return 0; }
static inline const char *baton_pg_name(const struct pg_result *result, int column) { return ""; }
static inline unsigned int baton_pg_type(const struct pg_result *result, int column) { return 0; }
static inline const char *baton_pg_value(const struct pg_result *result, int row, int column, int *length) {
  return NULL;
}
static inline int baton_pg_check(const char *url) { return 0; }

#endif
