import DaemonRuntime
import Wallet

// The app's screen and its buttons, as messages between app and phone. Only this file has their names.
extension AppScreen {
  var message: ControlMessage {
    var message = ControlMessage("screen", ["name": name, "text": text])
    if case .incoming(let state) = self { message["state"] = state.word }
    if let detail { message["detail"] = detail }
    if case .incoming(.completed(let sats)) = self { message["amount-sat"] = "\(sats)" }
    if !buttons.isEmpty { message["buttons"] = buttons.map(\.rawValue).joined(separator: " ") }
    return message
  }
}

extension ScreenButton {
  static let verb = "press"

  /// Throws if the app has no button of that name.
  init(_ message: ControlMessage) throws(ControlMessageError) { self = try message.word("button") }

  static func answer(refusal: String?) -> ControlMessage {
    refusal.map { .error($0) } ?? ControlMessage("pressed")
  }
}
