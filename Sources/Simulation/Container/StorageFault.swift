import Ground
import Guardrails
import Wallet

/// The operations on the container that can fail.
public enum StorageOperation: String, Hashable, Sendable, CaseIterable {
  case look = "ownership check"
  case claim
  /// The row, before a beat or a dial.
  case readRow = "read of the claim row"
  /// Row and state, after the `init`.
  case readState = "read of claim row and state"
  case write
  case beat
  /// The own role lock with a beat, or the intent lock.
  case lock = "lock operation"
  /// Receipts, past payments, records of incoming ones, or whether the wallet can be read.
  case readPast = "read of payments"
  // The store of incoming records.
  case storeIncoming = "write of an incoming record"

  init?(_ order: ContainerOrder) {
    switch order {
    case .guardrail(.look): self = .look
    case .guardrail(.claim), .guardrail(.raiseEpoch): self = .claim
    case .guardrail(.readRow), .checkRow: self = .readRow
    case .checkAfterInit: self = .readState
    case .write: self = .write
    case .guardrail(.beat): self = .beat
    case .guardrail(.raiseIntent): self = .lock
    case .markReceived, .readReceived, .readPast, .lookAtWallet, .readIncoming: self = .readPast
    case .removeIncoming: self = .write
    case .storeIncoming: self = .storeIncoming
    // Unlocking cannot fail, and no step waits for the checkpoint of the log.
    case .guardrail(.withdrawIntent), .guardrail(.dropLock), .guardrail(.settle): return nil
    }
  }

  var isWrite: Bool { self == .claim || self == .write || self == .beat || self == .storeIncoming }

  /// Only wallets whose extension tells have it.
  public var isOfTelling: Bool { self == .storeIncoming }
}

/// How an operation fails.
public enum StorageTrouble: String, Hashable, Sendable, CaseIterable {
  /// An unknown process is inside a transaction for a moment.
  case blocked
  /// An I/O error, nothing done.
  case fails
  /// An I/O error after the commit: the transaction is durable, but reported as failed.
  case failsAfterwards = "fails after its commit"
  /// An open file is no longer the one at its path. The next process finds the container again.
  case lost
}

public struct StorageFault: Hashable, Sendable, CaseIterable {
  public var operation: StorageOperation
  public var trouble: StorageTrouble

  public init(_ operation: StorageOperation, _ trouble: StorageTrouble) {
    self.operation = operation
    self.trouble = trouble
  }

  /// The possible combinations: a read has no commit, and an operation without a lock is never blocked.
  public static let allCases: [StorageFault] = StorageOperation.allCases.flatMap { operation in
    StorageTrouble.allCases.compactMap { trouble in
      switch (operation, trouble) {
      case (.beat, .blocked), (.lock, .blocked), (.lock, .lost), (.beat, .lost): nil
      case (_, .failsAfterwards) where ![.claim, .write, .storeIncoming].contains(operation): nil
      default: StorageFault(operation, trouble)
      }
    }
  }

  /// Those that a run of this wallet can have.
  static func all(ofTelling isTelling: Bool) -> [StorageFault] {
    isTelling ? allCases : allCases.filter { !$0.operation.isOfTelling }
  }

  public var sentence: String { "\(operation == .look ? "an" : "a") \(words)" }

  /// The sentence without its article.
  public var words: String {
    switch trouble {
    case .blocked: "\(operation.rawValue) is blocked"
    case .lost: "\(operation.rawValue) finds the container lost"
    case .fails, .failsAfterwards: "\(operation.rawValue) \(trouble.rawValue)"
    }
  }
}

/// The storage faults of a world: those armed, and counts of those that occurred.
public struct WorldStorage: Hashable, Sendable {
  /// The fault for the role's next operation of its kind.
  var armed = PerRole<StorageFault?>(nil, nil)
  /// The disk is full: writes fail.
  public internal(set) var isFull = false
  /// Until then another process is inside a transaction of the store of incoming records.
  var incomingBlockedUntil: Instant?
  /// Payments whose record is stored and that the app has not removed: what `Container.incoming` must have. Not part of
  /// the state, which has those records.
  var keptRecords = Unhashed([Bytes32]())
  /// How often each fault occurred, in the order of `StorageFault.allCases`, then the full disk. Not part of the
  /// state.
  var occurred = Unhashed([Int](repeating: 0, count: StorageFault.allCases.count + 1))

  mutating func keep(_ record: IncomingRecord) {
    if !keptRecords.value.contains(record.paymentHash) { keptRecords.value.append(record.paymentHash) }
  }

  /// The fault of this operation, if any.
  mutating func trouble(of operation: StorageOperation, by role: Role) -> StorageTrouble? {
    if let fault = armed[role], fault.operation == operation {
      armed[role] = nil
      if let place = StorageFault.allCases.firstIndex(of: fault) { occurred.value[place] += 1 }
      return fault.trouble
    }
    guard isFull, operation.isWrite else { return nil }
    occurred.value[StorageFault.allCases.count] += 1
    return .fails
  }
}
