import DaemonRuntime
import PhonePolicy

extension PhoneShell {
  /// The app reports the completion of a silent push.
  func hearPushDone(_ message: ControlMessage) throws(ControlMessageError) {
    let push = try message.integer("id", in: UInt64.min...UInt64.max)
    let word = try message.required("result")
    guard let result = SilentPushResult(rawValue: word) else {
      let words = SilentPushResult.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badValue(name: "result", expected: "one of \(words)")
    }
    handle(.silentPushDone(push: push, result))
  }

  func refuseCompletion(of push: UInt64) {
    journal.note(
      "the app completed push \(push), which was completed or had expired before, or was never delivered: no effect"
    )
  }
}
