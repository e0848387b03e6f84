import DaemonRuntime
import PhonePolicy

/// Audio between iosd and the app, as control messages.
enum AudioMessages {
  static func encode(_ message: AudioMessage) -> ControlMessage {
    switch message {
    case .plays: ControlMessage("audio-plays")
    case .refused(let refusal): ControlMessage("audio-refused", ["message": refusal.description])
    case .interrupted: ControlMessage("audio-interrupted")
    case .ended: ControlMessage("audio-ended")
    }
  }

  /// Nil for another verb.
  static func event(of message: ControlMessage) throws(ControlMessageError) -> AudioEvent? {
    switch message.verb {
    case "audio-stop": return .stopped
    case "audio-start":
      return .startRequested(
        AudioSession(
          volumeThousandths: try volume(message["volume"] ?? "1"),
          mixes: try message.flag("mixes", default: false),
          loops: try message.integerIfPresent("loops", in: -1...1_000_000) ?? 0,
          rateHertz: try message.integerIfPresent("rate", in: 1...384_000) ?? 44_100,
          channels: try message.integerIfPresent("channels", in: 1...32) ?? 1,
          frames: try message.integerIfPresent("frames", in: 1...1_000_000_000) ?? 44_100))
    default: return nil
    }
  }

  /// `0`, `1`, `0.01`: at most three decimals.
  static func volume(_ text: String) throws(ControlMessageError) -> Int {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? String(parts[1]) : "0"
    let areDigits = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    guard areDigits, (1...2).contains(parts.count), (1...3).contains(fraction.count),
      let whole = Int(parts[0]),
      let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.count)),
      (0...1).contains(whole), whole * 1000 + thousandths <= 1000
    else { throw .badValue(name: "volume", expected: "a number from 0 to 1 such as 0.01") }
    return whole * 1000 + thousandths
  }

  static func volumeText(_ thousandths: Int) -> String {
    var fraction = "\(1000 + thousandths % 1000)".dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return fraction.isEmpty ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(fraction)"
  }
}
