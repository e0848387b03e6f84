import DaemonRuntime
import PhonePolicy

extension ControlServer {
  /// The user taps, acts on or dismisses a notification of the list.
  func touch(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    let id = try message.integer("id", in: UInt64.min...UInt64.max)
    let touch: NotificationTouch
    switch try message.required("do") {
    case "tap": touch = .tap
    case "dismiss": touch = .dismiss
    case "action": touch = .action(try message.required("action"))
    default: throw .badValue(name: "do", expected: "tap, action or dismiss")
    }
    guard let row = shell.notifications.rows.last(where: { $0.id == id }) else {
      return .error("there is no notification \(id); `baton notifications` lists the present ones")
    }
    guard row.isThere else {
      return .error(
        "notification \(id) is gone from the list; `baton notifications` lists the present ones")
    }
    if let why = shell.phone.refusal(of: touch, category: row.category) { return .error(why.description) }
    shell.handle(.notificationTouched(id: id, category: row.category, touch))
    return ControlMessage("ok", ["app": shell.phone.app.word])
  }
}
