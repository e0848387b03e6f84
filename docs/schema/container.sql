PRAGMA user_version = 2;

CREATE TABLE meta (
  key TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
);

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

CREATE TRIGGER claims_are_never_changed BEFORE UPDATE ON claims BEGIN SELECT RAISE(ABORT, 'claims are never changed'); END;

CREATE TRIGGER claims_are_never_removed BEFORE DELETE ON claims BEGIN SELECT RAISE(ABORT, 'claims are never removed'); END;

CREATE TABLE node_writes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  epoch INTEGER NOT NULL,
  incarnation INTEGER NOT NULL,
  what TEXT NOT NULL,
  at_mono_ns INTEGER NOT NULL
);

CREATE TABLE channels (
  id BLOB PRIMARY KEY,
  is_opener INTEGER NOT NULL,
  local_msat INTEGER NOT NULL,
  remote_msat INTEGER NOT NULL,
  local_commitment_number INTEGER NOT NULL,
  remote_commitment_number INTEGER NOT NULL,
  revocations_sent INTEGER NOT NULL,
  revocations_received INTEGER NOT NULL,
  last_received_secret BLOB NOT NULL,
  next_offered_id INTEGER NOT NULL,
  next_received_id INTEGER NOT NULL,
  sent_revocation_last INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  funding_txid BLOB,
  funding_index INTEGER
) STRICT;

CREATE TABLE htlcs (
  channel BLOB NOT NULL REFERENCES channels (id),
  direction TEXT NOT NULL,
  id INTEGER NOT NULL,
  amount_msat INTEGER NOT NULL,
  payment_hash BLOB NOT NULL,
  cltv_expiry INTEGER NOT NULL,
  state TEXT NOT NULL,
  removal TEXT,
  preimage BLOB,
  failure_code INTEGER,
  payment_secret BLOB,
  total_msat INTEGER,
  PRIMARY KEY (channel, direction, id)
) STRICT;

CREATE TABLE splices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  txid BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('signing', 'committed', 'signed', 'done', 'forgotten', 'lost')),
  is_ours INTEGER NOT NULL,
  spent_txid BLOB NOT NULL,
  spent_index INTEGER NOT NULL,
  funding_index INTEGER NOT NULL,
  amount_sat INTEGER NOT NULL,
  fee_sat INTEGER NOT NULL,
  unsigned_transaction BLOB NOT NULL,
  begun_epoch INTEGER NOT NULL,
  begun_wall_ns INTEGER NOT NULL,
  ended_epoch INTEGER,
  ended_wall_ns INTEGER
) STRICT;

CREATE UNIQUE INDEX splices_once ON splices(txid) WHERE state NOT IN ('forgotten', 'lost');

CREATE TABLE invoices (
  payment_hash BLOB PRIMARY KEY,
  amount_msat INTEGER NOT NULL,
  text TEXT NOT NULL,
  tweak BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE received_payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  payment_hash BLOB NOT NULL UNIQUE REFERENCES invoices (payment_hash),
  amount_msat INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  received_wall_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE outgoing_payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  payment_hash BLOB NOT NULL,
  amount_msat INTEGER NOT NULL,
  payment_secret BLOB NOT NULL,
  htlc INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'paid', 'failed', 'lost')),
  preimage BLOB,
  failure_code INTEGER,
  begun_epoch INTEGER NOT NULL,
  begun_wall_ns INTEGER NOT NULL,
  ended_epoch INTEGER,
  ended_wall_ns INTEGER
) STRICT;

CREATE UNIQUE INDEX outgoing_payments_once ON outgoing_payments (payment_hash) WHERE state <> 'failed';

CREATE TABLE waiting_parts (
  payment_hash BLOB PRIMARY KEY,
  boot_high INTEGER NOT NULL,
  boot_low INTEGER NOT NULL,
  first_boot_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE channel_failures (
  channel BLOB PRIMARY KEY,
  reason TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  failed_wall_ns INTEGER NOT NULL
) STRICT;

CREATE INDEX outgoing_payments_pending ON outgoing_payments (id) WHERE state = 'pending';

CREATE TABLE cancelled_invoices (
  payment_hash BLOB PRIMARY KEY REFERENCES invoices (payment_hash),
  epoch INTEGER NOT NULL,
  cancelled_wall_ns INTEGER NOT NULL
) STRICT;
