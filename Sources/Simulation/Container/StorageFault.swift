import Ground
import Wallet

/// What a process does with the container, as far as it can fail.
public enum StorageOperation: String, Hashable, Sendable, CaseIterable {
  case look
  case claim
  /// The row, before a beat or a dial.
  case readRow = "read of the row"
  /// Row and state, after the `init`.
  case readState = "read of the state"
  case write
  case beat
  /// The own role lock, with a beat; or the intent lock.
  case lock
  /// What was received or paid before; or whether the wallet can be read.
  case readPast = "read of what is past"

  init?(_ order: ContainerOrder) {
    switch order {
    case .look: self = .look
    case .claim, .raiseEpoch: self = .claim
    case .readRow, .checkRow: self = .readRow
    case .checkAfterInit: self = .readState
    case .write: self = .write
    case .beat: self = .beat
    case .raiseIntent: self = .lock
    case .markReceived, .readReceived, .readPast, .lookAtWallet: self = .readPast
    // To let go of a lock cannot fail; the log is brought into the database at another time.
    case .withdrawIntent, .dropLock, .settle: return nil
    }
  }

  var isWrite: Bool { self == .claim || self == .write || self == .beat }
}

/// What goes wrong with it.
public enum StorageTrouble: String, Hashable, Sendable, CaseIterable {
  /// Somebody is inside a transaction for a moment, and nobody can say who.
  case blocked
  /// An I/O error: nothing was done.
  case fails
  /// An I/O error behind the commit: it was done, and nobody says so.
  case failsAfterwards = "fails behind its commit"
  /// The container at the path is another one: what this process has open is of no use any more. It is found again by the
  /// next process.
  case lost
}

public struct StorageFault: Hashable, Sendable, CaseIterable {
  public var operation: StorageOperation
  public var trouble: StorageTrouble

  public init(_ operation: StorageOperation, _ trouble: StorageTrouble) {
    self.operation = operation
    self.trouble = trouble
  }

  /// Those that mean something: what is only read is not done by halves, and a file that is not locked blocks nobody.
  public static let allCases: [StorageFault] = StorageOperation.allCases.flatMap { operation in
    StorageTrouble.allCases.compactMap { trouble in
      switch (operation, trouble) {
      case (.beat, .blocked), (.lock, .blocked), (.lock, .lost), (.beat, .lost): nil
      case (_, .failsAfterwards) where operation != .claim && operation != .write: nil
      default: StorageFault(operation, trouble)
      }
    }
  }

  public var sentence: String {
    switch trouble {
    case .blocked: "a \(operation.rawValue) is blocked"
    case .lost: "a \(operation.rawValue) finds the container lost"
    case .fails, .failsAfterwards: "a \(operation.rawValue) \(trouble.rawValue)"
    }
  }
}

/// What is wrong with the storage of a world, and what was met of it.
public struct WorldStorage: Hashable, Sendable {
  /// Strikes the next operation of this kind.
  var armed = PerRole<StorageFault?>(nil, nil)
  /// The disk has no room: nothing can be written.
  public internal(set) var isFull = false
  /// How often each has struck, in the order of `StorageFault.allCases`; and the full disk behind them. It says nothing about
  /// the world and does not tell two apart.
  var struck = Aside([Int](repeating: 0, count: StorageFault.allCases.count + 1))

  /// The trouble that this operation meets.
  mutating func trouble(of operation: StorageOperation, by role: Role) -> StorageTrouble? {
    if let fault = armed[role], fault.operation == operation {
      armed[role] = nil
      if let place = StorageFault.allCases.firstIndex(of: fault) { struck.value[place] += 1 }
      return fault.trouble
    }
    guard isFull, operation.isWrite else { return nil }
    struck.value[StorageFault.allCases.count] += 1
    return .fails
  }
}
