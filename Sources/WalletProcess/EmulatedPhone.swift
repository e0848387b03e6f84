import CoreShape
import Database
import DaemonRuntime
import Guardrails

/// The phone at the other end of the channel that iosd gives its children.
final class EmulatedPhone: PhoneLink {
  private let connection: UnixConnection

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

  func show(_ status: Status) {
    var message = ControlMessage("status", ["text": status.text])
    if let epoch = status.epoch { message["epoch"] = "\(epoch)" }
    let database = Connection.allocatedBytes
    let heap = MemoryFigures.heapBytes
    message["heap-bytes"] = "\(heap - min(heap, database))"
    message["database-bytes"] = "\(database)"
    connection.send(message)
  }

  func deliver(_ push: UInt64, _ content: NotificationContent) {
    var message = ControlMessage("content", ["id": "\(push)"])
    message.fields += WalletNotifications.fields(of: content)
    connection.send(message)
  }

  func notify(_ content: NotificationContent, payment: String) {
    var message = ControlMessage("notification", ["key": payment])
    message.fields += WalletNotifications.fields(of: content)
    connection.send(message)
  }

  func withdraw(payment: String) { connection.send(ControlMessage("withdraw", ["key": payment])) }

  func finished(_ push: UInt64, _ reason: FinishReason) {
    connection.send(ControlMessage("finished", ["id": "\(push)", "reason": reason.rawValue]))
  }

  /// A silent push, with what came of it.
  func completed(_ push: UInt64, _ result: String) {
    connection.send(ControlMessage("push-done", ["id": "\(push)", "result": result]))
  }

  func backgroundDone() { connection.send(ControlMessage("background-done")) }
}
