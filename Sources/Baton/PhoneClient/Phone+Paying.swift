import DaemonRuntime
import PhonePolicy
import Glibc
import Ground

// A sender's one attempt at lspd. If the connection breaks before the answer, lspd may have the payment: it is asked by
// the attempt's id, and nothing is sent twice.
extension Phone {
  /// How long lspd may be away until it says what became of an attempt: as long as a sender that tries again waits.
  private static let absenceLimit = TimeSpan.seconds(12)

  /// `request` is that of an invoice, with the attempt's id. Throws `outcomeUnknown` if lspd may have it.
  package func pay(_ request: ControlMessage, timeout: TimeSpan = .seconds(30)) throws -> PaymentAnswer {
    let lspd = try connect(to: .lspd)
    var isSent = false
    do throws(ControlClientError) {
      try lspd.send(request, timeout: timeout)
      isSent = true
      let answer = try lspd.receive(timeout: timeout)
      guard let sentence = answer.errorSentence else { return PaymentAnswer(answer) }
      // Without the attempt's id it is about the connection, as one that makes room for another.
      if answer["attempt-id"] == request["attempt-id"] { throw .refused(sentence) }
    } catch {
      switch error {
      case .hungUp: break
      case .refused: throw error
      default: throw isSent ? ControlClientError.unknown(after: error) : error
      }
    }
    let found: PaymentAnswer
    do throws(ControlClientError) {
      found = try outcome(of: request, waits: request["wait"] == "yes", timeout: timeout)
    } catch { throw ControlClientError.unknown(after: error) }
    guard found.state != PaymentAnswer.neverArrived else {
      throw CommandFailure(
        .daemonMissing,
        "the connection to lspd broke before it had the payment, and nothing was sent; repeat the command")
    }
    return found
  }

  /// What became of the attempt; `waits`: at its end. lspd may be restarted meanwhile.
  package func outcome(
    of request: ControlMessage, waits: Bool = true, timeout: TimeSpan
  ) throws(ControlClientError) -> PaymentAnswer {
    var question = ControlMessage("await", ["wait": waits ? "yes" : "no"])
    question["attempt-id"] = request["attempt-id"]
    let end = Clock.monotonicNow + timeout
    var lastThere = Clock.monotonicNow
    while true {
      let asked = Clock.monotonicNow
      let now: Instant
      do throws(ControlClientError) {
        return PaymentAnswer(try ask(.lspd, question, timeout: end - asked))
      } catch {
        now = Clock.monotonicNow
        switch error {
        // As long as the caller waits for any answer.
        case .timedOut: throw error
        // It took the question, and went away later.
        case .hungUp where now - asked > .seconds(1): lastThere = now
        case .hungUp, .notRunning, .foreign, .stopped, .refused, .outcomeUnknown, .malformed, .system: break
        }
      }
      guard now < end else { throw .timedOut(path: lspdSocket) }
      guard now - lastThere < Self.absenceLimit else {
        throw .outcomeUnknown(
          "the outcome is unknown: the connection to lspd broke, and lspd does not say what became of the payment, which may still settle; nothing was sent twice; `baton payments` shows how it ends"
        )
      }
      poll(nil, 0, 100)
    }
  }
}

extension ControlClientError {
  package var leavesOutcomeUnknown: Bool { if case .outcomeUnknown = self { true } else { false } }

  /// A payment or withdrawal may have begun, or may still begin.
  package static func unknown(after error: ControlClientError) -> ControlClientError {
    error.leavesOutcomeUnknown
      ? error
      : .outcomeUnknown("the outcome is unknown: \(error); look at `baton payments` before you try again")
  }
}
