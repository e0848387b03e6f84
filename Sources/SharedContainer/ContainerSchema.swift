/// The tables that guard the node. The wallet's tables are further steps of the same numbered list.
enum ContainerSchema {
  /// Must stay one step: the wallet's steps are numbered after it, and a second one here would shift them.
  static let steps = [
    """
    CREATE TABLE meta (
      key TEXT PRIMARY KEY NOT NULL,
      value BLOB NOT NULL
    );
    -- The row of the highest epoch owns the node. Epochs are compared, so they are stored as themselves; start
    -- times, boot ids and incarnations are only given back, so they are stored as bit patterns.
    CREATE TABLE claims (
      epoch INTEGER PRIMARY KEY CHECK (epoch > 0),
      role TEXT NOT NULL CHECK (role IN ('app', 'extension')),
      pid INTEGER NOT NULL,
      start_time INTEGER NOT NULL,
      boot_high INTEGER NOT NULL,
      boot_low INTEGER NOT NULL,
      incarnation INTEGER NOT NULL,
      claimed_boot_ns INTEGER NOT NULL,
      claimed_wall_ns INTEGER NOT NULL,
      seen_epoch INTEGER NOT NULL,
      reason TEXT NOT NULL
    );
    CREATE TRIGGER claims_are_never_changed BEFORE UPDATE ON claims
      BEGIN SELECT RAISE(ABORT, 'claims are never changed'); END;
    CREATE TRIGGER claims_are_never_removed BEFORE DELETE ON claims
      BEGIN SELECT RAISE(ABORT, 'claims are never removed'); END;
    CREATE TABLE node_writes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      epoch INTEGER NOT NULL,
      incarnation INTEGER NOT NULL,
      what TEXT NOT NULL,
      at_mono_ns INTEGER NOT NULL
    );
    """
  ]

  /// Tables that only the container itself writes.
  static let guarded: Set<String> = ["meta", "claims", "node_writes"]
}
