import Ground

extension Scene {
  /// A sender that tries again, and what it was told first.
  public struct Sender: Hashable, Sendable {
    public enum Told: Hashable, Sendable {
      /// It waits for an answer, or for its next attempt.
      case nothing
      case settled
      /// Its time is over with an attempt under way.
      case pending
      case failed(Message)
    }

    /// What its screen shows of a failed payment.
    public struct Message: Hashable, Sendable {
      public var headline: String
      public var text: String
      public var button: String?
    }

    /// The number of the payment.
    public var number: Int
    /// Those that have begun.
    public var attempts: Int
    public var told: Told

    public var hasFailed: Bool { if case .failed = told { true } else { false } }

    /// One line for the payment, and one for the screen of a failed one.
    func words(amount: String) -> [String] {
      let name = "payment \(number) of \(amount)"
      switch told {
      case .nothing: return ["\(name): no answer yet"]
      case .settled: return ["\(name): settled with attempt \(attempts)"]
      case .pending: return ["\(name): pending with attempt \(attempts)"]
      case .failed(let message):
        let button = message.button.map { " “\($0)”" } ?? ""
        return [
          "\(name): failed after \(attempts) attempt\(attempts == 1 ? "" : "s")",
          "\(message.headline): \(message.text)\(button)",
        ]
      }
    }
  }

  func sender(of number: Int) -> Sender? { senders.first { $0.number == number } }
}
