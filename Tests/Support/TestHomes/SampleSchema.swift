/// The two databases' schemas, without the constraints that would keep a test from breaking them.
enum SampleSchema {
  static let wallet = """
    CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
    CREATE TABLE claims (
      epoch INTEGER PRIMARY KEY, role TEXT, pid INTEGER, start_time INTEGER, boot_high INTEGER, boot_low INTEGER,
      incarnation INTEGER, claimed_boot_ns INTEGER, claimed_wall_ns INTEGER, seen_epoch INTEGER, reason TEXT);
    CREATE TABLE node_writes (
      id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER, incarnation INTEGER, what TEXT, at_mono_ns INTEGER);
    CREATE TABLE channels (
      id BLOB PRIMARY KEY, is_opener INTEGER, local_msat INTEGER, remote_msat INTEGER,
      local_commitment_number INTEGER, remote_commitment_number INTEGER, revocations_sent INTEGER,
      revocations_received INTEGER, last_received_secret BLOB, next_offered_id INTEGER, next_received_id INTEGER,
      sent_revocation_last INTEGER, revision INTEGER, funding_txid BLOB, funding_index INTEGER) STRICT;
    CREATE TABLE htlcs (
      channel BLOB, direction TEXT, id INTEGER, amount_msat INTEGER, payment_hash BLOB, cltv_expiry INTEGER,
      state TEXT, removal TEXT, preimage BLOB, failure_code INTEGER, payment_secret BLOB,
      total_msat INTEGER, PRIMARY KEY (channel, direction, id)) STRICT;
    CREATE TABLE invoices (
      payment_hash BLOB PRIMARY KEY, amount_msat INTEGER, text TEXT, tweak BLOB, expires_at INTEGER) STRICT;
    CREATE TABLE cancelled_invoices (
      payment_hash BLOB PRIMARY KEY, epoch INTEGER, cancelled_wall_ns INTEGER) STRICT;
    CREATE TABLE received_payments (
      id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB UNIQUE, amount_msat INTEGER, epoch INTEGER,
      received_wall_ns INTEGER) STRICT;
    CREATE TABLE outgoing_payments (
      id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB, amount_msat INTEGER, payment_secret BLOB,
      htlc INTEGER, state TEXT, preimage BLOB, failure_code INTEGER, begun_epoch INTEGER, begun_wall_ns INTEGER,
      ended_epoch INTEGER, ended_wall_ns INTEGER) STRICT;
    CREATE TABLE splices (
      id INTEGER PRIMARY KEY AUTOINCREMENT, txid BLOB, state TEXT, is_ours INTEGER, spent_txid BLOB,
      spent_index INTEGER, funding_index INTEGER, amount_sat INTEGER, fee_sat INTEGER, unsigned_transaction BLOB,
      begun_epoch INTEGER, begun_wall_ns INTEGER, ended_epoch INTEGER, ended_wall_ns INTEGER) STRICT;
    """

  static let ledger = """
    CREATE TABLE runs(
      id INTEGER PRIMARY KEY AUTOINCREMENT, started_at_ns INTEGER, started_wall_ns INTEGER, pid INTEGER,
      legacy INTEGER, storage_delay_ns INTEGER NOT NULL DEFAULT 0, push_form TEXT NOT NULL DEFAULT 'phoenix',
      boot TEXT NOT NULL DEFAULT '\(TestJournal.bootHex)') STRICT;
    CREATE TABLE wallets(id INTEGER PRIMARY KEY, node BLOB, phone_socket TEXT) STRICT;
    INSERT INTO wallets(id) VALUES (1);
    CREATE TABLE channel_failures(id INTEGER PRIMARY KEY, at_ns INTEGER, connection INTEGER, reason TEXT) STRICT;
    CREATE TABLE connections(
      id INTEGER PRIMARY KEY, opened_at_ns INTEGER, opened_wall INTEGER, epoch INTEGER, incarnation INTEGER,
      container BLOB, verdict TEXT, judged_at_ns INTEGER, closed_at_ns INTEGER, closed_reason TEXT,
      node BLOB) STRICT;
    CREATE TABLE frames(
      id INTEGER PRIMARY KEY AUTOINCREMENT, connection INTEGER, direction TEXT, at_ns INTEGER, bytes BLOB,
      acted INTEGER, why_not TEXT) STRICT;
    CREATE TABLE fence(
      id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER, incarnation INTEGER, container BLOB,
      at_ns INTEGER) STRICT;
    CREATE TABLE payments(
      id INTEGER PRIMARY KEY, payment_hash BLOB, amount_msat INTEGER, state TEXT, requested_at_ns INTEGER,
      hold_until_ns INTEGER, held_at_ns INTEGER, offered_at_ns INTEGER, settled_at_ns INTEGER, htlc INTEGER,
      preimage BLOB, failure_code INTEGER, failure TEXT, payment_secret BLOB, total_msat INTEGER) STRICT;
    CREATE TABLE backups(
      revision INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER, connection INTEGER, blob BLOB) STRICT;
    CREATE TABLE channel(
      one INTEGER PRIMARY KEY, id BLOB, is_opener INTEGER, local_msat INTEGER, remote_msat INTEGER,
      local_commitment_number INTEGER, remote_commitment_number INTEGER, revocations_sent INTEGER,
      revocations_received INTEGER, last_received_secret BLOB, next_offered_id INTEGER, next_received_id INTEGER,
      sent_revocation_last INTEGER, revision INTEGER, funding_txid BLOB, funding_index INTEGER) STRICT;
    CREATE TABLE htlcs(
      direction TEXT, id INTEGER, amount_msat INTEGER, payment_hash BLOB, cltv_expiry INTEGER, state TEXT,
      removal TEXT, preimage BLOB, failure_code INTEGER, payment_secret BLOB, total_msat INTEGER,
      PRIMARY KEY (direction, id)) STRICT;
    CREATE TABLE pushes(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER, reason TEXT, payment_hash BLOB, amount_msat INTEGER,
      attempts INTEGER, last_at_ns INTEGER, outcome TEXT, is_open INTEGER) STRICT;
    CREATE TABLE losses(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER, connection INTEGER, whose TEXT) STRICT;
    CREATE TABLE external_invoices(
      id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB, amount_msat INTEGER, payment_secret BLOB,
      preimage BLOB, made_at_ns INTEGER, htlc INTEGER, paid_at_ns INTEGER) STRICT;
    CREATE TABLE splices(
      id INTEGER PRIMARY KEY AUTOINCREMENT, txid BLOB, state TEXT, is_ours INTEGER, spent_txid BLOB,
      spent_index INTEGER, funding_index INTEGER, amount_sat INTEGER, fee_sat INTEGER, unsigned_transaction BLOB,
      begun_at_ns INTEGER, ended_at_ns INTEGER) STRICT;
    """
}
