import Ground
import Database
import DaemonRuntime
import Guardrails
import Wallet

/// The phone at the other end of the channel that iosd gives its children.
final class EmulatedPhone: PhoneLink {
  private let connection: UnixConnection
  /// What was last said, as one message says all of it.
  private(set) var status: Status?
  private var openTargets: [ConnectionTarget]?
  /// Which of its times in the background this is, in the phone's words.
  var timeInBackground: String?

  /// Each message of the phone, as it comes; the process around knows what it means.
  var onMessage: ((ControlMessage) -> Void)?
  /// The channel is over, by its end or by something that is no message.
  var onEnd: ((String) -> Void)?

  init?(channel: Int32, loop: EventLoop) {
    guard let connection = UnixConnection(adopting: channel, loop: loop) else { return nil }
    self.connection = connection
    connection.onMessage = { [unowned self] in onMessage?($0) }
    connection.onEnd = { [unowned self] in onEnd?($0.description) }
  }

  func start(role: String, pid: Int32) {
    connection.start()
    connection.send(ControlMessage("hello", ["role": role, "pid": "\(pid)"]))
  }

  func send(_ message: ControlMessage) { connection.send(message) }

  func mayConnect(_ targets: [ConnectionTarget]) {
    openTargets = targets
    status.map(show)
  }

  func show(_ status: Status) {
    self.status = status
    var message = ControlMessage("status", ["text": status.text])
    if let epoch = status.epoch { message["epoch"] = "\(epoch)" }
    if let openTargets { message["may-connect"] = openTargets.map(\.rawValue).joined(separator: " ") }
    let database = Connection.allocatedBytes
    let heap = MemoryFigures.heapBytes
    message["heap-bytes"] = "\(heap - min(heap, database))"
    message["database-bytes"] = "\(database)"
    connection.send(message)
  }

  func deliver(_ push: UInt64, _ outcome: PushOutcome) {
    var message = ControlMessage("content", ["id": "\(push)"])
    if let payment = outcome.payment { message["key"] = payment.hex }
    message.fields += WalletNotifications.fields(of: NotificationContent(outcome))
    connection.send(message)
  }

  func notify(_ payment: ReceivedPayment) {
    var message = ControlMessage("notification", ["key": payment.paymentHash.hex])
    message.fields += WalletNotifications.fields(of: NotificationContent(payment))
    connection.send(message)
  }

  func withdraw(payment: Bytes32) { connection.send(ControlMessage("withdraw", ["key": payment.hex])) }

  func finished(_ push: UInt64, _ reason: FinishReason) {
    connection.send(ControlMessage("finished", ["id": "\(push)", "reason": reason.rawValue]))
  }

  func completed(_ push: UInt64, _ outcome: SilentPushOutcome) {
    connection.send(ControlMessage("push-done", ["id": "\(push)", "result": outcome.rawValue]))
  }

  func backgroundDone() {
    var message = ControlMessage("background-done")
    if let timeInBackground { message["time"] = timeInBackground }
    connection.send(message)
  }

  func beginBackgroundTask(_ id: UInt64, name: String?) {
    let name = name ?? "keep or release the node"
    connection.send(ControlMessage("background-begin", ["id": "\(id)", "name": name]))
  }

  func endBackgroundTask(_ id: UInt64) { connection.send(ControlMessage("background-end", ["id": "\(id)"])) }
}
