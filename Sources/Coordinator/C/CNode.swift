import CBaton

/// The caller's node. It gets directives; only what must happen before a call returns is a callback.
final class CNode: NodeDriver {
  private let outbox: Outbox
  private let readCallback: baton_body?
  private let settledCallback: baton_settled?
  private let cutCallback: baton_cut_off?
  private let context: UnsafeMutableRawPointer?
  private(set) var lease: Lease?
  /// The node's socket may be open.
  private var isRunning = false
  private var stopIsAsked = false

  init(outbox: Outbox, _ options: baton_options) {
    self.outbox = outbox
    readCallback = options.read_state
    settledCallback = options.settled
    cutCallback = options.cut_off
    context = options.context
  }

  func readState(_ database: StateReader) throws { try Access.run(.reading(database), readCallback, context) }

  func settledPayments(_ hash: PaymentHash?, since push: Int64, _ database: StateReader) throws
    -> [ReceivedPayment]
  {
    guard let settledCallback else { return [] }
    return try Access.settledPayments(hash, since: push, database, settledCallback, context)
  }

  func start(_ lease: Lease, _ state: Void) {
    self.lease = lease
    isRunning = true
    stopIsAsked = false
    var message = Outbox.Message(BATON_START_NODE, id: lease.epoch, bytes: lease.fence.container)
    if let replaced = lease.replacing {
      message.code = 1
      message.number = replaced.epoch
    }
    outbox.append(message)
  }

  func stop(gracefully: Bool) {
    guard gracefully else { return cutOff() }
    stopIsAsked = true
    outbox.append(Outbox.Message(BATON_STOP_NODE, id: lease?.epoch ?? 0))
  }

  /// A callback, not a directive: the lock is dropped in this same call, and the caller would fetch a directive only
  /// after another process has dialled.
  func cutOff() {
    guard isRunning, let lease else { return }
    isRunning = false
    if outbox.withdraw(lease: lease.epoch) { cutCallback?(lease.epoch, context) }
  }

  func heard(_ news: NodeNews, of number: UInt64) {
    guard let lease, lease.epoch == number else { return }
    if news == .stopped, stopIsAsked { isRunning = false }
    lease.report(news)
  }

  func acceptNoNewPayment() {
    outbox.append(Outbox.Message(BATON_ACCEPT_NO_NEW_PAYMENT, id: lease?.epoch ?? 0))
  }
  func dialNow() { outbox.append(Outbox.Message(BATON_DIAL_NOW, id: lease?.epoch ?? 0)) }
}
