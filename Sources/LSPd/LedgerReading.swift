import Crypto
import Ground
import Lightning
import LightningIO
import LightningProvider
import Platform

// Reading the state at the begin of a run.
extension Ledger {
  /// The LSP's state towards one wallet. A new wallet gets a channel first.
  func readState(of wallet: WalletNumber = .own, newChannel: Bytes32, at now: Instant) throws -> PeerState {
    let tables = ChannelTables.provider(of: wallet.value)
    let now = time(now)
    if try tables.read(database) == nil {
      let terms = ChannelTerms.standard
      let record = ChannelRecord(
        id: newChannel, isOpener: true, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat)
      try database.transaction(.immediate) {
        try tables.write(record, at: [.integer(now.nanoseconds)], database)
      }
    }
    guard let record = try tables.read(database) else { throw LedgerError.unreadable("it has no channel") }
    return PeerState(
      wallet: try node(of: wallet), fence: try readFence(of: wallet), channel: try Channel(restoring: record),
      payments: try PaymentTable.readUnresolved(database, of: wallet, at: now),
      paidHashes: try PaymentTable.readPaid(database, of: wallet), backup: try readBackup(of: wallet),
      externalInvoices: try ExternalInvoiceTable.read(database, of: wallet),
      failure: try readFailure(of: wallet), pushKey: try AnnouncementTables.readPushKey(database, of: wallet),
      endedHolds: try AnnouncementTables.readEndedHolds(database, of: wallet),
      orderedFailures: try OrderedFailureTable.read(database, of: wallet),
      webhooks: try WebhookTables.read(database, of: wallet, at: now))
  }

  private func readFailure(of wallet: WalletNumber) throws -> String? {
    try database.firstRow(
      "SELECT reason FROM channel_failures WHERE wallet = ? ORDER BY id LIMIT 1", [.integer(wallet.value)])?
      .text(0)
  }

  /// Whether a node has ever connected, which needs this node's id.
  func isKnownByNodes() throws -> Bool {
    try database.firstRow("SELECT 1 FROM connections WHERE node IS NOT NULL LIMIT 1") != nil
  }

  private func readFence(of wallet: WalletNumber) throws -> Claim? {
    guard
      let row = try database.firstRow(
        "SELECT epoch, incarnation, container FROM fence WHERE wallet = ? ORDER BY id DESC LIMIT 1",
        [.integer(wallet.value)])
    else { return nil }
    guard let container = ContainerID(try row.blob(2)) else {
      throw LedgerError.unreadable("a container id does not have 16 bytes")
    }
    return Claim(epoch: try row.unsigned(0), incarnation: try row.bits(1), container: container)
  }

  private func readBackup(of wallet: WalletNumber) throws -> Blob? {
    try database.firstRow(
      "SELECT blob FROM backups WHERE wallet = ? ORDER BY revision DESC LIMIT 1", [.integer(wallet.value)]
    ).map { Blob(try $0.blob(0)) }
  }

  func nextConnection() throws -> UInt64 { try next("SELECT max(id) FROM connections") }
  func nextPayment() throws -> UInt64 { try next("SELECT max(id) FROM payments") }

  private func next(_ sql: String) throws -> UInt64 {
    let highest = try database.firstRow(sql)?.optionalUnsigned(0) ?? 0
    return highest + 1
  }

  /// Pushes of the wallet that were requested and not delivered. `pending`: its payments as `readState` has them; after
  /// a reboot of the machine only these know that a hold has ended.
  func readOpenPushes(
    of wallet: WalletNumber = .own, pending: [PeerPayment] = []
  ) throws -> [(id: Int64, request: PushRequest)] {
    try database.rows(
      """
      SELECT id, reason, payment_hash, amount_msat, kind, payment, hold_until_ns FROM pushes
      WHERE wallet = ? AND is_open = 1 ORDER BY id
      """, [.integer(wallet.value)]
    ).map { row in
      guard let reason = PushReason(rawValue: try row.text(1)) else {
        throw LedgerError.unreadable("a push has an unknown reason")
      }
      let hash = try row.optionalBlob(2).flatMap { Bytes32($0) }
      var request = PushRequest(reason: reason, paymentHash: hash, amountMsat: try row.optionalUnsigned(3))
      request.payment = try row.optionalUnsigned(5)
      // Phoenix's pushes name no payment, and are all alerts.
      if request.payment != nil { request.kind = PushKind(rawValue: try row.text(4)) }
      let payment = pending.first { $0.request.id == request.payment }
      request.holdUntil = try row.optionalInteger(6).map { payment?.request.holdUntil ?? LedgerTime.read($0) }
      return (try row.integer(0), request)
    }
  }
}

/// Each wallet's push keys, the newest of which counts, and the ended holds that it is told of.
enum AnnouncementTables {
  static func readPushKey(_ database: Connection, of wallet: WalletNumber = .own) throws -> PublicKey? {
    let newest = try database.firstRow(
      "SELECT key FROM push_keys WHERE wallet = ? ORDER BY id DESC LIMIT 1", [.integer(wallet.value)])
    guard let row = newest else { return nil }
    guard let key = PublicKey(try row.blob(0)) else {
      throw LedgerError.unreadable("the push key is no point of the curve")
    }
    return key
  }

  static func readEndedHolds(_ database: Connection, of wallet: WalletNumber = .own) throws -> EndedHolds? {
    let hashes = try database.rows(
      "SELECT payment_hash FROM ended_holds WHERE wallet = ? AND forgotten_at_ns IS NULL ORDER BY id",
      [.integer(wallet.value)]
    ).map { try $0.bytes32(0) }
    return hashes.isEmpty ? nil : EndedHolds(hashes)
  }
}

/// Why lspd cannot use a ledger.
enum LedgerError: Error, CustomStringConvertible {
  case unreadable(String)
  case tooManyBoots(Int)
  case otherWallet

  var description: String {
    switch self {
    case .unreadable(let what):
      "the ledger is damaged (\(what)): keep it, as only it has the LSP's side of the channel; to go on without it, begin a new phone with --home"
    case .tooManyBoots(let count):
      "the machine has booted \(count) times since this phone was made, and the ledger's times have no room for one more: begin a new phone with --home"
    case .otherWallet:
      "the ledger's channel is with another node than --wallet names: omit the option, or begin a new phone with --home"
    }
  }
}
