/// The ledger's tables, as numbered steps. Times ending in `_at_ns` are of the monotonic clock; `_wall_ns` is only
/// for display. Incarnations and halves of ids are bit patterns, epochs are numbers.
enum LedgerSchema {
  static let steps = [
    """
    CREATE TABLE runs(
      id INTEGER PRIMARY KEY AUTOINCREMENT, started_at_ns INTEGER NOT NULL, started_wall_ns INTEGER NOT NULL,
      pid INTEGER NOT NULL, legacy INTEGER NOT NULL) STRICT;
    CREATE TABLE connections(
      id INTEGER PRIMARY KEY, opened_at_ns INTEGER NOT NULL, opened_wall INTEGER NOT NULL, epoch INTEGER,
      incarnation INTEGER, container BLOB, verdict TEXT, judged_at_ns INTEGER, closed_at_ns INTEGER,
      closed_reason TEXT) STRICT;
    CREATE TABLE frames(
      id INTEGER PRIMARY KEY AUTOINCREMENT, connection INTEGER NOT NULL,
      direction TEXT NOT NULL CHECK (direction IN ('in', 'out')), at_ns INTEGER NOT NULL, bytes BLOB NOT NULL,
      acted INTEGER NOT NULL CHECK (acted IN (0, 1)), why_not TEXT) STRICT;
    CREATE TABLE fence(
      id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, incarnation INTEGER NOT NULL,
      container BLOB NOT NULL, at_ns INTEGER NOT NULL) STRICT;
    CREATE TABLE payments(
      id INTEGER PRIMARY KEY, payment_hash BLOB NOT NULL, amount_msat INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('held', 'offered', 'paid', 'failed')),
      requested_at_ns INTEGER NOT NULL, hold_until_ns INTEGER NOT NULL, held_at_ns INTEGER,
      offered_at_ns INTEGER, settled_at_ns INTEGER, htlc INTEGER, preimage BLOB, failure_code INTEGER,
      failure TEXT) STRICT;
    CREATE INDEX payments_by_hash ON payments(payment_hash);
    CREATE TABLE backups(
      revision INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT NULL, connection INTEGER NOT NULL,
      blob BLOB NOT NULL) STRICT;
    CREATE TABLE channel(
      one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL, is_opener INTEGER NOT NULL,
      local_msat INTEGER NOT NULL, remote_msat INTEGER NOT NULL, local_commitment_number INTEGER NOT NULL,
      remote_commitment_number INTEGER NOT NULL, revocations_sent INTEGER NOT NULL,
      revocations_received INTEGER NOT NULL, last_received_secret BLOB NOT NULL,
      next_offered_id INTEGER NOT NULL, next_received_id INTEGER NOT NULL,
      sent_revocation_last INTEGER NOT NULL, revision INTEGER NOT NULL) STRICT;
    CREATE TABLE htlcs(
      direction TEXT NOT NULL CHECK (direction IN ('offered', 'received')), id INTEGER NOT NULL,
      amount_msat INTEGER NOT NULL, payment_hash BLOB NOT NULL, cltv_expiry INTEGER NOT NULL,
      state TEXT NOT NULL, removal TEXT, preimage BLOB, failure_code INTEGER,
      PRIMARY KEY (direction, id)) STRICT;
    CREATE TABLE pushes(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT NULL, reason TEXT NOT NULL, payment_hash BLOB,
      amount_msat INTEGER, attempts INTEGER NOT NULL, last_at_ns INTEGER, outcome TEXT NOT NULL,
      is_open INTEGER NOT NULL) STRICT;
    CREATE TABLE losses(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT NULL, connection INTEGER NOT NULL,
      whose TEXT NOT NULL) STRICT;
    """,
    """
    ALTER TABLE connections ADD COLUMN node BLOB;
    """,
    """
    ALTER TABLE payments ADD COLUMN payment_secret BLOB;
    ALTER TABLE payments ADD COLUMN total_msat INTEGER;
    ALTER TABLE htlcs ADD COLUMN payment_secret BLOB;
    ALTER TABLE htlcs ADD COLUMN total_msat INTEGER;
    """,
    """
    CREATE TABLE elsewhere(
      id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB NOT NULL UNIQUE, amount_msat INTEGER NOT NULL,
      payment_secret BLOB NOT NULL, preimage BLOB NOT NULL, made_at_ns INTEGER NOT NULL, htlc INTEGER,
      paid_at_ns INTEGER) STRICT;
    """,
    """
    ALTER TABLE channel ADD COLUMN funding_txid BLOB;
    ALTER TABLE channel ADD COLUMN funding_index INTEGER;
    CREATE TABLE splices(
      id INTEGER PRIMARY KEY AUTOINCREMENT, txid BLOB NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('signing', 'committed', 'signed', 'done', 'forgotten')),
      is_ours INTEGER NOT NULL, spent_txid BLOB NOT NULL, spent_index INTEGER NOT NULL,
      funding_index INTEGER NOT NULL, amount_sat INTEGER NOT NULL, fee_sat INTEGER NOT NULL,
      unsigned_transaction BLOB NOT NULL, begun_at_ns INTEGER NOT NULL, ended_at_ns INTEGER) STRICT;
    CREATE UNIQUE INDEX splices_once ON splices(txid) WHERE state <> 'forgotten';
    """,
    """
    CREATE TABLE channel_failures(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT NULL, connection INTEGER NOT NULL,
      reason TEXT NOT NULL) STRICT;
    """,
    """
    -- Outcomes were sentences.
    ALTER TABLE pushes ADD COLUMN detail TEXT;
    UPDATE pushes SET outcome = 'refused', detail = substr(outcome, length('iosd refused: ') + 1)
      WHERE outcome LIKE 'iosd refused: %';
    UPDATE pushes SET outcome = 'unanswered', detail = substr(outcome, length('iosd gave no answer: ') + 1)
      WHERE outcome LIKE 'iosd gave no answer: %';
    UPDATE pushes SET outcome = 'iosd-away' WHERE outcome = 'iosd is not there';
    UPDATE pushes SET outcome = 'merged' WHERE outcome = 'one like it is on its way';
    UPDATE pushes SET outcome = 'not-needed' WHERE outcome = 'no longer needed';
    """,
    """
    ALTER TABLE elsewhere RENAME TO external_invoices;
    """,
    """
    ALTER TABLE runs ADD COLUMN storage_delay_ns INTEGER NOT NULL DEFAULT 0;
    """,
    """
    -- Until here every push was Phoenix's alert. `payment` and `hold_until_ns` are of Bitkit's form alone.
    ALTER TABLE runs ADD COLUMN push_form TEXT NOT NULL DEFAULT 'phoenix';
    ALTER TABLE pushes ADD COLUMN kind TEXT NOT NULL DEFAULT 'alert';
    ALTER TABLE pushes ADD COLUMN payment INTEGER;
    ALTER TABLE pushes ADD COLUMN hold_until_ns INTEGER;
    CREATE TABLE push_keys(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT NULL, key BLOB NOT NULL) STRICT;
    CREATE TABLE ended_holds(
      id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB NOT NULL, ended_at_ns INTEGER NOT NULL,
      forgotten_at_ns INTEGER) STRICT;
    """,
    """
    ALTER TABLE payments ADD COLUMN attempt INTEGER;
    CREATE TABLE ordered_failures(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT NULL, code INTEGER NOT NULL,
      times INTEGER NOT NULL, left INTEGER NOT NULL) STRICT;
    """,
  ]
}
