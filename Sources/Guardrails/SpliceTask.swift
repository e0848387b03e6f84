/// The app's task for money that it takes out of the channel on chain: from the person's request to the end of the splice,
/// one at a time.
///
/// What an earlier life of the app has left half-way has none of this name: the node itself says that it is half-way.
public struct SpliceTask: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var amountSat: UInt64
    public var task: TaskBeginning
    /// Who waits for the word; nil once it is said.
    public var request: String?
    /// Its transaction, once the wallet is bound to it.
    public var splice: String?
  }

  public private(set) var entry: Entry?
  /// Of the newest beginning.
  private var generation: UInt64 = 0

  public static let underWay = "money is being taken out of the channel already; wait until that is over"

  public init() {}

  /// Nil: one is under way.
  public mutating func begin(amountSat: UInt64, for request: String) -> TaskBeginning? {
    guard entry == nil else { return nil }
    generation &+= 1
    // Before there is a transaction only the request has a number.
    let task = TaskBeginning(name: "splice \(request.prefix(8))", generation: generation)
    entry = Entry(amountSat: amountSat, task: task, request: request)
    return task
  }

  /// The wallet is bound to it. As it was before that: with who waits for that word.
  public mutating func begun(_ splice: String) -> Entry? {
    guard let entry, entry.splice == nil else { return nil }
    self.entry?.splice = splice
    self.entry?.request = nil
    return entry
  }

  /// Nothing came of what was asked for.
  public mutating func refused() -> Entry? {
    guard let entry, entry.splice == nil else { return nil }
    self.entry = nil
    return entry
  }

  public mutating func ended(_ splice: String) -> Entry? {
    guard let entry, entry.splice == splice else { return nil }
    self.entry = nil
    return entry
  }

  /// The node has read what is half-way: somebody else may have owned it meanwhile, and ended what was begun here. Whoever
  /// still waits for a word is answered by the node.
  public mutating func nodeStarted(pending: String?) -> Entry? {
    guard let entry, entry.splice != nil, entry.splice != pending else { return nil }
    self.entry = nil
    return entry
  }
}
