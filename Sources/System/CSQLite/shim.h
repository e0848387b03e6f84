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
struct baton_sqlite_disk {
  sqlite3_vfs *real, full;
  sqlite3_io_methods real_methods;
  // A database and its log have different locks: two sets of methods.
  sqlite3_io_methods methods[2];
};

// A function's own variable, as Swift cannot link one of a header.
static inline struct baton_sqlite_disk *baton_sqlite_disk(void) {
  static struct baton_sqlite_disk disk;
  return &disk;
}

static inline int baton_sqlite_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct baton_sqlite_disk *disk = baton_sqlite_disk();
  sqlite3_int64 size = 0;
  if (access(getenv("BATON_FULL_DISK"), F_OK) == 0
      && (disk->real_methods.xFileSize(file, &size) != SQLITE_OK || offset + count > size)) {
    return SQLITE_FULL;
  }
  return disk->real_methods.xWrite(file, bytes, count, offset);
}

static inline int baton_sqlite_open(sqlite3_vfs *full, const char *name, sqlite3_file *file, int flags, int *out) {
  struct baton_sqlite_disk *disk = baton_sqlite_disk();
  int code = disk->real->xOpen(disk->real, name, file, flags, out);
  if (code == SQLITE_OK && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
    sqlite3_io_methods *methods = &disk->methods[(flags & SQLITE_OPEN_WAL) != 0];
    disk->real_methods = *methods = *file->pMethods;
    methods->xWrite = baton_sqlite_write;
    file->pMethods = methods;
  }
  return code;
}

// Before the first connection of the process.
static inline void baton_sqlite_follow_full_disk(void) {
  struct baton_sqlite_disk *disk = baton_sqlite_disk();
  if (!getenv("BATON_FULL_DISK") || !(disk->real = sqlite3_vfs_find(0))) return;
  disk->full = *disk->real;
  disk->full.zName = "baton-full-disk";
  disk->full.xOpen = baton_sqlite_open;
  sqlite3_vfs_register(&disk->full, 1);
}
