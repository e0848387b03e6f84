#pragma once
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

// SQLITE_TRANSIENT is a cast of -1 that Swift cannot import.
static inline sqlite3_destructor_type baton_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Swift cannot call a function of variable arguments: when the last connection closes, the log stays as it is.
static inline int baton_sqlite_keep_log_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// A full disk, as iosd orders it: while there is the file that BATON_FULL_DISK names, a write that would make a database
// or its log larger fails with SQLITE_FULL.
static sqlite3_vfs *baton_sqlite_disk, baton_sqlite_full_disk;
// A database and its log have different locks: two sets of methods.
static sqlite3_io_methods baton_sqlite_methods[2], baton_sqlite_disk_methods;

static inline int baton_sqlite_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_int64 size = 0;
  if (access(getenv("BATON_FULL_DISK"), F_OK) == 0
      && (baton_sqlite_disk_methods.xFileSize(file, &size) != SQLITE_OK || offset + count > size)) {
    return SQLITE_FULL;
  }
  return baton_sqlite_disk_methods.xWrite(file, bytes, count, offset);
}

static inline int baton_sqlite_open(sqlite3_vfs *disk, const char *name, sqlite3_file *file, int flags, int *out) {
  int code = baton_sqlite_disk->xOpen(baton_sqlite_disk, name, file, flags, out);
  if (code == SQLITE_OK && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
    sqlite3_io_methods *methods = &baton_sqlite_methods[(flags & SQLITE_OPEN_WAL) != 0];
    baton_sqlite_disk_methods = *methods = *file->pMethods;
    methods->xWrite = baton_sqlite_write;
    file->pMethods = methods;
  }
  return code;
}

// Before the first connection of the process.
static inline void baton_sqlite_follow_full_disk(void) {
  if (!getenv("BATON_FULL_DISK") || !(baton_sqlite_disk = sqlite3_vfs_find(0))) return;
  baton_sqlite_full_disk = *baton_sqlite_disk;
  baton_sqlite_full_disk.zName = "baton-full-disk";
  baton_sqlite_full_disk.xOpen = baton_sqlite_open;
  sqlite3_vfs_register(&baton_sqlite_full_disk, 1);
}
