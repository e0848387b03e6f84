import Crypto
import Ground

/// Which wallet a connection or a payment belongs to, how many wallets there may be, and which of them stay in memory.
///
/// Each wallet has a `PeerMachine` of its own, which knows of no other. A node that is no wallet yet waits outside of
/// all of them until its first message: only a claim makes it one, and a machine that it had entered before would have
/// to give it up again.
public struct WalletDirectory: Hashable, Sendable {
  /// What is known of the LSP's own wallet, whose node may have a name before it has a row.
  public struct Own: Hashable, Sendable {
    public var node: PublicKey?
    /// Its node is to be named, and is not yet: no connection becomes it by being the first.
    public var awaitsName: Bool

    public init(node: PublicKey?, awaitsName: Bool = false) {
      self.node = node
      self.awaitsName = awaitsName
    }
  }

  public enum Arrival: Hashable, Sendable {
    case joins(WalletNumber)
    /// Its first message decides. The oldest one that waits makes room.
    case waits(evicting: UInt64?)
  }

  public enum Entry: Hashable, Sendable {
    case joins(WalletNumber)
    /// A wallet of its own, which is to be stored first.
    case begins(WalletNumber)
    case isFull
  }

  /// More than begin within the time that a first message takes.
  static let waitingLimit = 256

  private struct Waiting: Hashable {
    var connection: UInt64
    var until: Instant
  }

  private struct Rest: Hashable {
    var wallet: WalletNumber
    var since: Instant
  }

  /// How many wallets there may be; 1: the own one alone.
  public let limit: Int
  public private(set) var count: Int
  /// The LSP's own wallet. Each LSP of a shared ledger has another.
  private let ownNumber: WalletNumber
  private let keepsFor: TimeSpan
  /// The oldest first.
  private var waiting: [Waiting] = []
  /// Wallets without a connection, in the order in which they lost it, and some that have one again.
  private var rests: [Rest] = []
  private var restsBegin = 0
  private var restingSince: [WalletNumber: Instant] = [:]

  /// `count`: the wallets in the ledger, the own one among them.
  public init(limit: Int, count: Int, keepsFor: TimeSpan, own: WalletNumber = .own) {
    self.limit = limit
    ownNumber = own
    self.count = max(count, 1)
    self.keepsFor = keepsFor
  }

  private var takesOthers: Bool { limit > 1 }

  /// Another LSP of a shared ledger may have begun wallets.
  public mutating func learn(count: Int) { self.count = max(self.count, count) }

  // MARK: Connections

  /// A node has proven its id. `known`: the wallet that the ledger has for it.
  public mutating func arrived(
    _ connection: UInt64, of node: PublicKey?, known: WalletNumber?, own: Own, at now: Instant
  ) -> Arrival {
    if let found = wallet(of: node, known: known, own: own) { return .joins(found) }
    guard takesOthers, node != nil else { return .joins(ownNumber) }
    var evicted: UInt64?
    if waiting.count >= Self.waitingLimit { evicted = waiting.removeFirst().connection }
    waiting.append(Waiting(connection: connection, until: now + PeerMachine.initBound))
    return .waits(evicting: evicted)
  }

  /// The first message of a waiting connection. Without a claim the own wallet's machine treats it as a visitor.
  public mutating func heard(
    from connection: UInt64, of node: PublicKey?, hasClaim: Bool, known: WalletNumber?, own: Own
  ) -> Entry {
    left(connection)
    if let found = wallet(of: node, known: known, own: own) { return .joins(found) }
    guard hasClaim else { return .joins(ownNumber) }
    return own.node == nil && !own.awaitsName ? .joins(ownNumber) : newWallet()
  }

  /// A node that is named before it connects.
  public mutating func named(_ node: PublicKey, known: WalletNumber?, own: Own) -> Entry {
    if let found = wallet(of: node, known: known, own: own) { return .joins(found) }
    return newWallet()
  }

  private mutating func newWallet() -> Entry { reserve().map { .begins($0) } ?? .isFull }

  /// A new wallet whose node is not known yet; nil at the limit.
  public mutating func reserve() -> WalletNumber? {
    guard count < limit else { return nil }
    count += 1
    return WalletNumber(Int64(count))
  }

  /// A waiting connection has ended.
  public mutating func left(_ connection: UInt64) { waiting.removeAll { $0.connection == connection } }

  /// Connections whose first message did not come in time.
  public mutating func takeSilent(at now: Instant) -> [UInt64] {
    let silent = waiting.prefix { $0.until <= now }.map(\.connection)
    waiting.removeFirst(silent.count)
    return silent
  }

  private func wallet(of node: PublicKey?, known: WalletNumber?, own: Own) -> WalletNumber? {
    if let node, node == own.node { return ownNumber }
    return known
  }

  // MARK: Payments

  /// The wallet of a payment: the payee's, and without a payee the own one. Nil: the payee is no wallet. An LSP with
  /// one wallet leaves that to the wallet's machine, which may not know its node yet.
  public func wallet(ofPayee payee: PublicKey?, known: WalletNumber?, own: Own) -> WalletNumber? {
    guard let payee else { return ownNumber }
    return wallet(of: payee, known: known, own: own) ?? (takesOthers ? nil : ownNumber)
  }

  // MARK: Memory

  /// The wallet has no connection. The own wallet never leaves the memory: it takes the visitors.
  public mutating func rests(_ wallet: WalletNumber, at now: Instant) {
    guard wallet != ownNumber else { return }
    restingSince[wallet] = now
    rests.append(Rest(wallet: wallet, since: now))
  }

  public mutating func stirs(_ wallet: WalletNumber) { restingSince[wallet] = nil }

  /// Wallets that have been without a connection for long enough to leave the memory. One of which something is due
  /// has to be put back by `rests`.
  public mutating func takeRested(at now: Instant) -> [WalletNumber] {
    var rested: [WalletNumber] = []
    while restsBegin < rests.count {
      let next = rests[restsBegin]
      let isCurrent = restingSince[next.wallet] == next.since
      guard !isCurrent || next.since + keepsFor <= now else { break }
      restsBegin += 1
      guard isCurrent else { continue }
      restingSince[next.wallet] = nil
      rested.append(next.wallet)
    }
    // Half of the array, so that each element is moved about once.
    if restsBegin > rests.count / 2 {
      rests.removeFirst(restsBegin)
      restsBegin = 0
    }
    return rested
  }

  public var deadline: Instant? {
    let rest = restsBegin < rests.count ? rests[restsBegin].since + keepsFor : nil
    return [waiting.first?.until, rest].compactMap { $0 }.min()
  }
}
