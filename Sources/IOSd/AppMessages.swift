import DaemonRuntime
import Ground
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

/// Background tasks between iosd and the app, as control messages.
enum TaskMessages {
  static let identifierMax = 128

  static func encode(_ message: TaskMessage) -> ControlMessage {
    switch message {
    case .accepted(let identifier): ControlMessage("task-submitted", ["identifier": identifier])
    case .refused(let identifier, let refusal):
      ControlMessage("task-refused", ["identifier": identifier, "message": refusal.description])
    case .run(let identifier, let run, let milliseconds):
      ControlMessage("task", ["identifier": identifier, "run": "\(run)", "time-ms": "\(milliseconds)"])
    case .willExpire(let identifier, let run):
      ControlMessage("task-will-expire", ["identifier": identifier, "run": "\(run)"])
    }
  }

  /// Nil for another verb.
  static func event(of message: ControlMessage) throws(ControlMessageError) -> TaskEvent? {
    switch message.verb {
    case "task-submit": return .submitted(try request(message))
    case "task-cancel": return .cancelled(identifier: try identifier(message))
    case "task-done":
      return .completed(
        identifier: try identifier(message), run: try message.integer("run", in: 0...UInt64.max),
        isSuccess: try message.flag("success", default: true))
    default: return nil
    }
  }

  private static func request(_ message: ControlMessage) throws(ControlMessageError) -> TaskRequest {
    let tenYears: Int64 = 315_360_000
    return TaskRequest(
      identifier: try identifier(message), kind: try message.word("kind"),
      earliest: .seconds(try message.integerIfPresent("earliest-seconds", in: -tenYears...tenYears) ?? 0),
      requiresNetwork: try message.flag("requires-network", default: false),
      requiresExternalPower: try message.flag("requires-external-power", default: true))
  }

  static func identifier(_ message: ControlMessage) throws(ControlMessageError) -> String {
    ScreenText.cut(try message.required("identifier"), to: identifierMax)
  }
}
