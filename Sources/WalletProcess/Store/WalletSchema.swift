// WalletProcess/Store: the wallet's data in the container, typed: the channel and its HTLCs, invoices, payments. It reads only
// inside a claim or a check, and writes only inside a fenced write of SharedContainer.

import LightningIO

/// The wallet's part of the container's schema: one step, after the container's own.
public enum WalletSchema {
  public static let steps = [
    """
    \(ChannelTables.wallet.schema)
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
    -- What is on its way is asked for with each claim and by each look, however many payments are over.
    CREATE INDEX outgoing_payments_pending ON outgoing_payments (id) WHERE state = 'pending';
    CREATE TABLE cancelled_invoices (
      payment_hash BLOB PRIMARY KEY REFERENCES invoices (payment_hash),
      epoch INTEGER NOT NULL,
      cancelled_wall_ns INTEGER NOT NULL
    ) STRICT;
    """
  ]
}
