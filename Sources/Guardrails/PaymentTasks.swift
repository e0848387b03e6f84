import Ground

/// The app's tasks for payments of the wallet's own: one for each, from the person's request to the payment's end, whose
/// end belongs to its beginning.
///
/// A task is of the life that has begun the payment. What an earlier one has left in the channel has none: whoever owns
/// the node ends it, and nobody waits for that (Phoenix begins one when a payment is made or makes progress, and none
/// for what it finds at its start).
public struct PaymentTasks: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var payment: Bytes32
    public var amountMsat: UInt64
    /// Who waits for the word; nil once it is said.
    public var request: String?
    public var task: TaskBeginning
  }

  public private(set) var entries: [Entry] = []
  /// Of the newest beginning.
  public private(set) var generation: UInt64 = 0

  public static let underWay = "this invoice is being paid already; wait for its end"
  static let prefix = "outgoing payment "

  public init() {}

  public func isUnderWay(_ payment: Bytes32) -> Bool { entries.contains { $0.payment == payment } }

  /// Nil: it is under way.
  public mutating func begin(
    _ payment: Bytes32, amountMsat: UInt64, for request: String
  ) -> TaskBeginning? {
    guard !isUnderWay(payment) else { return nil }
    generation &+= 1
    let task = TaskBeginning(name: name(for: payment), generation: generation)
    entries.append(Entry(payment: payment, amountMsat: amountMsat, request: request, task: task))
    return task
  }

  /// Eight digits tell people enough. Who makes invoices can make two that agree in those, and the end of one payment must
  /// not be that of the other's task.
  private func name(for payment: Bytes32) -> String {
    let digits = payment.hex
    let names = (8...digits.count).lazy.map { Self.prefix + digits.prefix($0) }
    return names.first { name in !entries.contains { $0.task.name == name } } ?? Self.prefix + digits
  }

  /// It is in the channel. As it was before that: with who waits for that word, if anybody does.
  public mutating func offered(_ payment: Bytes32) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.payment == payment }) else { return nil }
    defer { entries[index].request = nil }
    return entries[index]
  }

  public mutating func end(_ payment: Bytes32) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.payment == payment }) else { return nil }
    return entries.remove(at: index)
  }

  /// The node has read what is in the channel: somebody else may have owned it meanwhile, and ended what was offered
  /// here. Whoever still waits for a word is answered by the node.
  public mutating func nodeStarted(pending: [Bytes32]) -> [Entry] {
    let over = entries.filter { $0.request == nil && !pending.contains($0.payment) }
    entries.removeAll { over.contains($0) }
    return over
  }
}

extension AppMachine {
  /// Those that are begun for payments of the wallet's own, by their names.
  public var paymentTasks: [String] { tasks.names.filter { $0.hasPrefix(PaymentTasks.prefix) } }
}
