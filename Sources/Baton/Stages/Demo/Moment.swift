import PhoneClient
import Ground
import Guardrails
import PhonePolicy
import Wallet

/// An event of a run for the demo, read from a journal, with its instant there.
struct Moment: Hashable, Sendable {
  enum What: Hashable, Sendable {
    case launched(Role, String)
    case ended(Role, String)
    case shows(Status)
    case claimed(epoch: Epoch, reason: String)
    case established
    case received(paymentHash: Bytes32, msat: UInt64)
    case released(epoch: Epoch)
    case fenced
    case finished(push: UInt64, String)
    case askedToPay(msat: UInt64)
    case held
    case pushRequested
    case accepted(epoch: Epoch?)
    case refused
    case settled
    case failed(String)
    case notified(push: UInt64?, key: String?, title: String, body: String)
    case trouble(String)
  }

  var at: Instant
  var process: String
  var pid: Int32
  var what: What

  var sentence: String {
    switch what {
    case .launched(let role, let why): "starts \(role.processName): \(why)"
    case .ended(let role, let why): "end of \(role.processName): \(why)"
    case .shows(let status): "shows “\(status.text)”"
    case .claimed(let epoch, let reason): "claimed epoch \(epoch) (\(reason))"
    case .established: "is connected, the channel is re-established"
    case .received(_, let msat): "received \(HumanText.amount(msat: msat))"
    case .released(let epoch): "released epoch \(epoch)"
    case .fenced: "is fenced: another process owns the node"
    case .finished(let push, let reason): "finished push \(push): \(reason)"
    case .askedToPay(let msat): "a sender pays \(HumanText.amount(msat: msat))"
    case .held: "the wallet is offline: holds the payment"
    case .pushRequested: "sends a push"
    case .accepted(let epoch): "accepted the wallet's connection\(epoch.map { " of epoch \($0)" } ?? "")"
    case .refused: "refused a connection of an older epoch"
    case .settled: "the payment is settled: the sender has the preimage"
    case .failed(let why): "the payment failed: \(why)"
    case .notified(_, _, let title, let body): "the user sees “\(title)”, \(body)"
    case .trouble(let sentence): sentence
    }
  }

  /// Whether the demo prints it: no status of the extension, which has no screen, and no transient one of the app.
  var isPrinted: Bool {
    switch what {
    case .shows(.idle), .shows(.claiming), .shows(.connecting), .shows(.releasing): false
    case .shows: process == "mainappd"
    default: true
    }
  }
}
