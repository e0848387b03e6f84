import Ground
import LightningProvider
import Lightning

/// The senders that try again: one for each invoice that they pay.
struct WorldSenders: Hashable, Sendable {
  private(set) var all: [WorldSender] = []

  func number(ofInvoice invoice: Int) -> Int? { all.firstIndex { $0.invoice == invoice } }

  func number(ofPayment payment: UInt64) -> Int? { all.firstIndex { $0.payments.last == payment } }

  /// The sender of that invoice; a new one's seed is the number of the invoice, from 1, as on real processes.
  mutating func sender(of invoice: Int, _ policy: RetryPolicy, spendableMsat: UInt64?) -> Int {
    if let known = number(ofInvoice: invoice) { return known }
    all.append(
      WorldSender(
        invoice: invoice, SenderSettings(policy, seed: UInt64(invoice) + 1, spendableMsat: spendableMsat)))
    return all.count - 1
  }

  mutating func handle(_ number: Int, _ event: SenderEvent, at now: Instant) -> [SenderDirective] {
    all[number].machine.handle(event, at: now)
  }

  mutating func note(_ number: Int, payment: UInt64) { all[number].payments.append(payment) }

  mutating func note(_ number: Int, told report: SenderReport?) { all[number].told = report }

  /// Those that are due.
  func due(at now: Instant) -> [Int] {
    all.indices.filter { all[$0].machine.deadline.map { $0 <= now } ?? false }
  }

  var deadlines: [Instant] { all.compactMap(\.machine.deadline) }

  /// No attempt is under way, and none follows.
  var areOver: Bool { all.allSatisfy { $0.machine.state == .ended } }
}

/// One sender's payment of one invoice.
public struct WorldSender: Hashable, Sendable {
  public let invoice: Int
  public fileprivate(set) var machine: SenderMachine
  /// Its attempts, by the peer's numbers.
  public fileprivate(set) var payments: [UInt64] = []
  /// The newest report of an end.
  public fileprivate(set) var told: SenderReport?

  fileprivate init(invoice: Int, _ settings: SenderSettings) {
    self.invoice = invoice
    machine = SenderMachine(settings)
  }
}

extension PaymentOutcome {
  /// Nil while the attempt is under way.
  var attemptAnswer: AttemptAnswer? {
    switch self {
    case .held, .offered: nil
    case .settled: .settled
    case .failed(.alreadyPending): .alreadyPending
    case .failed(.alreadyPaid): .alreadyPaid
    case .failed(let failure): .failed(FailureCode(rawValue: failure.code))
    }
  }
}
