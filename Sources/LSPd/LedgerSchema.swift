import LightningIO

/// The ledger's tables. Times ending in `_at_ns` are a `LedgerTime`; `_wall_ns` is only for display. Incarnations and
/// halves of ids are bit patterns, epochs are numbers. Wallet 1 is that of lspd's own phone.
enum LedgerSchema {
  static let steps = [
    """
    CREATE TABLE runs(
      id INTEGER PRIMARY KEY AUTOINCREMENT, started_at_ns INTEGER NOT NULL, started_wall_ns INTEGER NOT NULL,
      pid INTEGER NOT NULL, legacy INTEGER NOT NULL, storage_delay_ns INTEGER NOT NULL, push_form TEXT NOT NULL,
      boot TEXT NOT NULL) STRICT;
    CREATE TABLE wallets(id INTEGER PRIMARY KEY, node BLOB UNIQUE, home TEXT UNIQUE) STRICT;
    INSERT INTO wallets(id) VALUES (1);
    CREATE TABLE connections(
      id INTEGER PRIMARY KEY, wallet INTEGER NOT NULL, opened_at_ns INTEGER NOT NULL,
      opened_wall INTEGER NOT NULL, epoch INTEGER, incarnation INTEGER, container BLOB, verdict TEXT,
      judged_at_ns INTEGER, closed_at_ns INTEGER, closed_reason TEXT, node BLOB) STRICT;
    CREATE INDEX connections_open ON connections(id) WHERE closed_at_ns IS NULL;
    CREATE TABLE frames(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, connection INTEGER NOT NULL,
      direction TEXT NOT NULL CHECK (direction IN ('in', 'out')), at_ns INTEGER NOT NULL, bytes BLOB NOT NULL,
      acted INTEGER NOT NULL CHECK (acted IN (0, 1)), why_not TEXT) STRICT;
    CREATE TABLE fence(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, epoch INTEGER NOT NULL,
      incarnation INTEGER NOT NULL, container BLOB NOT NULL, at_ns INTEGER NOT NULL) STRICT;
    CREATE INDEX fence_of_wallet ON fence(wallet);
    CREATE TABLE payments(
      id INTEGER PRIMARY KEY, wallet INTEGER NOT NULL, payment_hash BLOB NOT NULL, amount_msat INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('held', 'offered', 'paid', 'failed')),
      requested_at_ns INTEGER NOT NULL, hold_until_ns INTEGER NOT NULL, held_at_ns INTEGER,
      offered_at_ns INTEGER, settled_at_ns INTEGER, htlc INTEGER, preimage BLOB, failure_code INTEGER,
      failure TEXT, payment_secret BLOB, total_msat INTEGER, attempt INTEGER, attempt_id BLOB,
      opens_channel INTEGER NOT NULL) STRICT;
    CREATE INDEX payments_by_hash ON payments(payment_hash);
    CREATE INDEX payments_due ON payments(wallet) WHERE state IN ('held', 'offered');
    CREATE UNIQUE INDEX payments_by_attempt_id ON payments(attempt_id) WHERE attempt_id IS NOT NULL;
    CREATE TABLE backups(
      revision INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, at_ns INTEGER NOT NULL,
      connection INTEGER NOT NULL, blob BLOB NOT NULL) STRICT;
    CREATE INDEX backups_of_wallet ON backups(wallet);
    \(ChannelTables.provider().schema)
    CREATE TABLE losses(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, at_ns INTEGER NOT NULL,
      connection INTEGER NOT NULL, whose TEXT NOT NULL) STRICT;
    CREATE TABLE channel_failures(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, at_ns INTEGER NOT NULL,
      connection INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;
    CREATE TABLE external_invoices(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, payment_hash BLOB NOT NULL UNIQUE,
      amount_msat INTEGER NOT NULL, payment_secret BLOB NOT NULL, preimage BLOB NOT NULL,
      made_at_ns INTEGER NOT NULL, htlc INTEGER, paid_at_ns INTEGER) STRICT;
    CREATE TABLE pushes(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, at_ns INTEGER NOT NULL, reason TEXT NOT NULL,
      kind TEXT NOT NULL, payment_hash BLOB, amount_msat INTEGER, attempts INTEGER NOT NULL, last_at_ns INTEGER,
      outcome TEXT NOT NULL, detail TEXT, is_open INTEGER NOT NULL, payment INTEGER, hold_until_ns INTEGER) STRICT;
    CREATE INDEX pushes_open ON pushes(wallet) WHERE is_open = 1;
    CREATE TABLE push_keys(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, at_ns INTEGER NOT NULL, key BLOB NOT NULL)
      STRICT;
    CREATE TABLE ended_holds(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, payment_hash BLOB NOT NULL,
      ended_at_ns INTEGER NOT NULL, forgotten_at_ns INTEGER) STRICT;
    CREATE TABLE ordered_failures(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, at_ns INTEGER NOT NULL, code INTEGER NOT NULL,
      times INTEGER NOT NULL, left INTEGER NOT NULL) STRICT;
    CREATE TABLE webhooks(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, app_name TEXT NOT NULL, url TEXT NOT NULL,
      set_at_ns INTEGER NOT NULL, ended_at_ns INTEGER) STRICT;
    CREATE UNIQUE INDEX webhooks_registered ON webhooks(wallet, app_name) WHERE ended_at_ns IS NULL;
    CREATE TABLE webhook_calls(
      wallet INTEGER NOT NULL, number INTEGER NOT NULL, webhook INTEGER NOT NULL, method TEXT NOT NULL,
      timeout INTEGER, timestamp TEXT NOT NULL, at_ns INTEGER NOT NULL, attempts INTEGER NOT NULL,
      last_at_ns INTEGER, outcome TEXT NOT NULL, status INTEGER,
      is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)), PRIMARY KEY (wallet, number)) STRICT;
    CREATE INDEX webhook_calls_open ON webhook_calls(wallet) WHERE is_open = 1;
    CREATE TABLE webhook_attempts(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, call INTEGER NOT NULL, at_ns INTEGER NOT NULL)
      STRICT;
    """
  ]
}
