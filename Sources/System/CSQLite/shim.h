#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 that Swift cannot import.
static inline sqlite3_destructor_type baton_sqlite_transient(void) { return SQLITE_TRANSIENT; }
