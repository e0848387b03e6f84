/// The ledger's tables, as numbered steps. Times ending in `_at_ns` are a `LedgerTime`; `_wall_ns` is only for display. Incarnations and halves of ids are bit patterns, epochs are numbers.
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
    """
    -- Until here all rows were of one wallet, which is number 1.
    CREATE TABLE wallets(
      id INTEGER PRIMARY KEY, node BLOB UNIQUE, phone_socket TEXT, home TEXT UNIQUE) STRICT;
    INSERT INTO wallets(id, node) VALUES (1, (
      SELECT node FROM connections WHERE verdict IN ('accepted', 'unfenced') AND node IS NOT NULL
      ORDER BY id LIMIT 1));
    ALTER TABLE connections ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE frames ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE fence ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE payments ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE backups ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE pushes ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE losses ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE channel_failures ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE push_keys ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE ended_holds ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE external_invoices ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE ordered_failures ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE splices ADD COLUMN wallet INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE channel RENAME TO channel_of_one;
    CREATE TABLE channel(
      wallet INTEGER PRIMARY KEY, id BLOB NOT NULL, is_opener INTEGER NOT NULL,
      local_msat INTEGER NOT NULL, remote_msat INTEGER NOT NULL, local_commitment_number INTEGER NOT NULL,
      remote_commitment_number INTEGER NOT NULL, revocations_sent INTEGER NOT NULL,
      revocations_received INTEGER NOT NULL, last_received_secret BLOB NOT NULL,
      next_offered_id INTEGER NOT NULL, next_received_id INTEGER NOT NULL,
      sent_revocation_last INTEGER NOT NULL, revision INTEGER NOT NULL, funding_txid BLOB,
      funding_index INTEGER) STRICT;
    INSERT INTO channel SELECT * FROM channel_of_one;
    DROP TABLE channel_of_one;
    ALTER TABLE htlcs RENAME TO htlcs_of_one;
    CREATE TABLE htlcs(
      wallet INTEGER NOT NULL, direction TEXT NOT NULL CHECK (direction IN ('offered', 'received')),
      id INTEGER NOT NULL, amount_msat INTEGER NOT NULL, payment_hash BLOB NOT NULL,
      cltv_expiry INTEGER NOT NULL, state TEXT NOT NULL, removal TEXT, preimage BLOB, failure_code INTEGER,
      payment_secret BLOB, total_msat INTEGER, PRIMARY KEY (wallet, direction, id)) STRICT;
    INSERT INTO htlcs SELECT 1, * FROM htlcs_of_one;
    DROP TABLE htlcs_of_one;
    -- The tables with a row for each message or connection have none for wallet 1, whose phone has no other.
    CREATE INDEX frames_of_wallet ON frames(wallet) WHERE wallet <> 1;
    CREATE INDEX connections_of_wallet ON connections(wallet) WHERE wallet <> 1;
    CREATE INDEX connections_open ON connections(id) WHERE closed_at_ns IS NULL;
    CREATE INDEX fence_of_wallet ON fence(wallet);
    CREATE INDEX payments_of_wallet ON payments(wallet);
    CREATE INDEX payments_due ON payments(wallet) WHERE state IN ('held', 'offered');
    CREATE INDEX backups_of_wallet ON backups(wallet);
    CREATE INDEX pushes_open ON pushes(wallet) WHERE is_open = 1;
    CREATE INDEX pushes_of_wallet ON pushes(wallet) WHERE wallet <> 1;
    CREATE INDEX losses_of_wallet ON losses(wallet);
    CREATE INDEX channel_failures_of_wallet ON channel_failures(wallet);
    CREATE INDEX push_keys_of_wallet ON push_keys(wallet);
    CREATE INDEX ended_holds_of_wallet ON ended_holds(wallet);
    CREATE INDEX external_invoices_of_wallet ON external_invoices(wallet);
    CREATE INDEX ordered_failures_of_wallet ON ordered_failures(wallet);
    CREATE INDEX splices_of_wallet ON splices(wallet);
    """,
    """
    ALTER TABLE payments ADD COLUMN attempt_id BLOB;
    CREATE UNIQUE INDEX payments_by_attempt_id ON payments(attempt_id) WHERE attempt_id IS NOT NULL;
    """,
    """
    CREATE TABLE webhooks(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, app_name TEXT NOT NULL, url TEXT NOT NULL,
      set_at_ns INTEGER NOT NULL, ended_at_ns INTEGER) STRICT;
    CREATE UNIQUE INDEX webhooks_registered ON webhooks(wallet, app_name) WHERE ended_at_ns IS NULL;
    CREATE INDEX webhooks_of_wallet ON webhooks(wallet, app_name);
    CREATE TABLE webhook_calls(
      wallet INTEGER NOT NULL, number INTEGER NOT NULL, webhook INTEGER NOT NULL, method TEXT NOT NULL,
      timeout INTEGER, timestamp TEXT NOT NULL, at_ns INTEGER NOT NULL, attempts INTEGER NOT NULL,
      last_at_ns INTEGER, outcome TEXT NOT NULL, status INTEGER,
      is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)), PRIMARY KEY (wallet, number)) STRICT;
    CREATE INDEX webhook_calls_open ON webhook_calls(wallet) WHERE is_open = 1;
    CREATE TABLE webhook_attempts(
      id INTEGER PRIMARY KEY AUTOINCREMENT, wallet INTEGER NOT NULL, call INTEGER NOT NULL,
      at_ns INTEGER NOT NULL) STRICT;
    CREATE INDEX webhook_attempts_of_wallet ON webhook_attempts(wallet);
    """,
    """
    ALTER TABLE runs ADD COLUMN boot TEXT NOT NULL DEFAULT '';
    ALTER TABLE payments ADD COLUMN opens_channel INTEGER NOT NULL DEFAULT 0;
    """,
  ]

  /// Of PostgreSQL alone, before the steps: what several lspd share, as numbered steps of its own. A lease has the
  /// `run` of the lspd that serves the wallet, and an epoch that is raised whenever it changes hands.
  static let sharing = [
    """
    CREATE TABLE ledger_schema(version INTEGER NOT NULL);
    INSERT INTO ledger_schema(version) VALUES (0);
    CREATE TABLE lsp(one INTEGER PRIMARY KEY CHECK (one = 1), node BLOB NOT NULL);
    CREATE TABLE servers(
      run INTEGER PRIMARY KEY, boot TEXT NOT NULL, home TEXT NOT NULL, beat_at TIMESTAMPTZ NOT NULL,
      ended INTEGER NOT NULL CHECK (ended IN (0, 1)));
    CREATE INDEX servers_running ON servers(run) WHERE ended = 0;
    CREATE TABLE leases(wallet INTEGER PRIMARY KEY, run INTEGER, epoch INTEGER NOT NULL);
    CREATE INDEX leases_of_run ON leases(run) WHERE run IS NOT NULL;
    CREATE SEQUENCE connection_numbers;
    CREATE SEQUENCE payment_numbers;
    """,
    """
    -- Until here a beat was a time by the server's clock, which can be set.
    ALTER TABLE ledger_schema ADD COLUMN sharing INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE servers DROP COLUMN beat_at;
    ALTER TABLE servers ADD COLUMN beats INTEGER NOT NULL DEFAULT 0;
    """,
  ]
}
