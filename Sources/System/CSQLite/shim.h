#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 that Swift cannot import.
static inline sqlite3_destructor_type baton_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Swift cannot call a function of variable arguments: when the last connection closes, the log stays as it is.
static inline int baton_sqlite_keep_log_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
