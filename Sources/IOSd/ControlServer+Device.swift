import DaemonRuntime
import PhonePolicy

extension ControlServer {
  /// One field for each switch to change; the answer is the new device state.
  func device(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    // Validate all fields before applying any.
    let changes = try Self.changes(in: message)
    if changes.contains(where: \.needsScreen), let why = shell.phone.refusalOfUserInput {
      return .error(why.description)
    }
    for change in changes { shell.handle(.deviceChanged(change)) }
    return ControlMessage("ok", body: Array(DeviceRecord(shell.phone.device).json.utf8))
  }

  private static func changes(in message: ControlMessage) throws(ControlMessageError) -> [DeviceChange] {
    var changes: [DeviceChange] = []
    for field in message.fields {
      func flag() throws(ControlMessageError) -> Bool { try message.flag(field.name, default: false) }
      switch field.name {
      case "locked": changes.append(try flag() ? .locked : .unlocked)
      case "low-power": changes.append(.lowPowerMode(try flag()))
      case "background-refresh": changes.append(.backgroundRefresh(try flag()))
      case "notifications": changes.append(.notifications(try flag()))
      case "lock-screen": changes.append(.lockScreen(try flag()))
      case "centre": changes.append(.centre(try flag()))
      case "banners": changes.append(.banners(try flag()))
      case "focus": changes.append(.focus(try flag()))
      case "battery": changes.append(.battery(percent: try message.integer("battery", in: 0...100)))
      case "charger": changes.append(.charger(try flag()))
      case "network": changes.append(.network(try flag()))
      case "storage-full": changes.append(.storage(isFull: try flag()))
      case "audio": changes.append(.otherAudio(try flag()))
      default: break
      }
    }
    return changes
  }
}

extension DeviceChange {
  /// The user cannot lock or unlock a phone that is rebooting.
  fileprivate var needsScreen: Bool { self == .locked || self == .unlocked }
}
