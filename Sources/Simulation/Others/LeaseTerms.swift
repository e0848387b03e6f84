import Ground
import Guardrails

/// The terms of a lock: how it is taken, how long it is good for, and what a process does with it.
struct LeaseTerms: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// A read, then a write: holder and wall-clock date.
    case readThenWrite
    /// The same in one SQL statement.
    case statement
    /// The kernel's lock: without a date, and gone with its holder.
    case fileLock
    /// Each process has a sign of its own, and reads the other's: the extension a flag, which it sets before it looks;
    /// the app beats, from the start of its node on.
    case signs
  }

  /// The channel from which a node starts.
  enum State: Hashable, Sendable {
    case readAnew
    /// In memory, unless the other process has held the lock since.
    case readIfOtherHeld
    /// In memory, if the process has it.
    case kept
  }

  /// An app that leaves the foreground…
  enum AtHome: Hashable, Sendable {
    case stops
    case stopsAfter(TimeSpan)
    /// … is suspended as it is.
    case goesOn
  }

  /// An extension that finds the lock taken…
  enum Refused: Hashable, Sendable {
    case retries
    case endsWithoutContent
    case delivers
  }

  var form: Form
  /// Nil: until it is given back.
  var appHolds: TimeSpan?
  var extensionHolds: TimeSpan?
  /// Nil if it is never extended.
  var extendsEvery: TimeSpan?
  /// Renewals go on after one was refused.
  var renewsAfterRefusal = false
  /// False: the holder does not remove its sign at the end of its work; the sign only ages.
  var isGivenBack = true
  /// The pause between two attempts doubles from the first to the longest.
  var firstPause: TimeSpan
  var longestPause: TimeSpan
  /// Nil: the app tries on. Then it gives up until the user opens it again, or starts its node all the same.
  var appWaits: TimeSpan?
  var appInsists = false
  var extensionRefused = Refused.retries
  var extensionRunsNode = true
  var state = State.readAnew
  var atHome = AtHome.stops

  func holds(_ role: Role) -> TimeSpan? { role == .app ? appHolds : extensionHolds }

  /// Taken and refused by one operation, `claim`.
  var isAtomic: Bool { form == .statement || form == .fileLock }
}

// The terms of each product.
extension LeaseTerms {
  static let bitkit2025 = LeaseTerms(
    form: .readThenWrite, appHolds: .seconds(300), extensionHolds: .seconds(35),
    firstPause: .milliseconds(100), longestPause: .milliseconds(100), appWaits: .seconds(30),
    extensionRefused: .endsWithoutContent)

  static let bitkit: LeaseTerms = {
    var terms = bitkit2025
    terms.extensionRunsNode = false
    return terms
  }()

  /// The real interval is 50 ms; a longer one keeps the world small enough to explore.
  static let matrix = LeaseTerms(
    form: .statement, appHolds: .milliseconds(500), extensionHolds: .milliseconds(500),
    extendsEvery: .milliseconds(250), firstPause: .milliseconds(10), longestPause: .seconds(1),
    state: .readIfOtherHeld)

  static let matrix2023: LeaseTerms = {
    var terms = matrix
    terms.renewsAfterRefusal = true
    return terms
  }()

  static let mutiny = LeaseTerms(
    form: .readThenWrite, appHolds: .seconds(60), extensionHolds: .seconds(60), extendsEvery: .seconds(30),
    renewsAfterRefusal: true, isGivenBack: false, firstPause: .seconds(5), longestPause: .seconds(5),
    state: .kept)

  static let stableChannels = LeaseTerms(
    form: .signs, appHolds: .seconds(10), extensionHolds: nil, extendsEvery: .seconds(5),
    firstPause: .seconds(1), longestPause: .seconds(1), appWaits: .seconds(30), appInsists: true,
    extensionRefused: .delivers, atHome: .stopsAfter(.seconds(30)))

  static let wire = LeaseTerms(
    form: .fileLock, appHolds: nil, extensionHolds: nil, firstPause: .seconds(1), longestPause: .seconds(1),
    atHome: .goesOn)
}
