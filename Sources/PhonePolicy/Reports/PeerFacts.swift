/// lspd's answer to `status`.
public struct PeerFacts: Report, Hashable {
  public var address = ""
  /// Where lspd answers senders' questions, as in its file `http`.
  public var http: String?
  /// HTTP connections without a request in time, or closed for newer ones.
  public var httpTurnedAway: Int?
  public var goingDown: Bool?
  /// The peer runs without epochs (`--legacy`).
  public var legacy = false
  /// The wallet's node id, once it has connected.
  public var wallet: String?
  public var walletConnected = false
  public var channelEstablished = false
  /// The highest epoch that lspd knows.
  public var epoch: UInt64?
  public var container: String?
  public var channel = ""
  public var providerMsat: UInt64 = 0
  public var walletMsat: UInt64 = 0
  /// The transaction output of the channel.
  public var funding = ""
  /// The splice's progress.
  public var splice: String?
  public var htlcs = 0
  public var revision: UInt64 = 0
  /// Payments held for the wallet, and those offered in its channel.
  public var held = 0
  public var offered = 0
  /// How long ago the oldest of them was offered.
  public var offeredForMs: Int64?
  /// How the next payments fail, and how many, as ordered.
  public var failsWith: String?
  public var failsNext: UInt64?
  public var backupBytes: Int?
  /// The size of a newer backup that lspd has received and not stored yet (`--storage-delay`).
  public var waitingBackupBytes: Int?
  public var storageDelayMs: Int64?
  /// On the socket in another phone's directory: the home of the phone that lspd belongs to.
  public var servedBy: String?
  /// With `lspd --phone`: how many there are, and how many of them are connected.
  public var wallets: Int?
  public var walletsConnected: Int?
  public var heapBytes: UInt64 = 0
  public var databaseBytes: UInt64 = 0
  public var timers = 0

  public init() {}
}

/// A sender's payment, as lspd lists it.
public struct PeerPaymentRow: NumberedRow {
  public var id: UInt64
  public var paymentHash: String
  public var amountMsat: UInt64
  /// held, offered, paid or failed.
  public var state: String
  public var requestedAtNs: Int64
  public var heldAtNs: Int64?
  public var offeredAtNs: Int64?
  public var settledAtNs: Int64?
  public var preimage: String?
  public var failureCode: Int64?
  public var failure: String?
  /// Of a part: the total of the payment.
  public var totalMsat: UInt64?
  public var holdUntilNs: Int64?
  /// Which of its sender's attempts this is, if the sender counts.
  public var attempt: UInt64?

  /// The payment is pending.
  public var isOpen: Bool { state == "held" || state == "offered" }
}
