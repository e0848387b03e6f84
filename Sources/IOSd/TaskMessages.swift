import Ground
import DaemonRuntime
import PhonePolicy

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
    guard let kind = TaskKind(rawValue: try message.required("kind")) else {
      throw .badValue(name: "kind", expected: "refresh or processing")
    }
    let tenYears: Int64 = 315_360_000
    return TaskRequest(
      identifier: try identifier(message), kind: kind,
      earliest: .seconds(try message.integerIfPresent("earliest-seconds", in: -tenYears...tenYears) ?? 0),
      requiresNetwork: try message.flag("requires-network", default: false),
      requiresExternalPower: try message.flag("requires-external-power", default: true))
  }

  static func identifier(_ message: ControlMessage) throws(ControlMessageError) -> String {
    ScreenText.cut(try message.required("identifier"), to: identifierMax)
  }
}
