import DaemonRuntime
import Foundation

/// Delivers a push from a file.
enum PushVerb: Verb {
  /// Apple's limit for the payload.
  static let sizeMax = 4096

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "push", summary: "deliver a push to the phone, in the format that `xcrun simctl push` takes",
      positionals: [
        PositionalDeclaration(
          "FILE", value: .path("FILE"), help: "a JSON object with `aps`, at most 4096 bytes; - reads stdin")
      ],
      examples: [
        ("baton push payment.apns", "a visible push with mutable-content goes to the extension"),
        ("echo '{\"aps\":{\"alert\":\"Hello\",\"mutable-content\":1}}' | baton push -", "without a file"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let path = invocation.word()
    let bytes = try read(path)
    try check(bytes, name: path == "-" ? "stdin" : path)
    let answer = try invocation.phone.ask(.iosd, ControlMessage("push", body: bytes))
    let id = answer["id"] ?? "?"
    var object = JSONObject()
    object.set("id", ifPresent: UInt64(id))
    invocation.output.say("push \(id) is with the phone", json: object)
    return .done
  }

  private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    // One byte more than allowed is enough to know that it is too long.
    let bytes =
      path == "-"
      ? SmallFile.readStandardInput(limit: sizeMax + 1) : SmallFile.read(path, limit: sizeMax + 1)
    guard let bytes else { throw CommandFailure(.inputOutputError, SystemError("read \(path)").description) }
    if bytes.isEmpty {
      throw CommandFailure(
        .wrongUsage, "\(path) is empty; put a push into it, such as {\"aps\": {\"alert\": \"Hello\"}}")
    }
    return bytes
  }

  static func check(_ bytes: [UInt8], name: String) throws(CommandFailure) {
    guard bytes.count <= sizeMax else {
      throw CommandFailure(
        .wrongUsage, "\(name) is longer than the \(sizeMax) bytes that a push may have; shorten it")
    }
    guard let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) else {
      throw CommandFailure(.wrongUsage, "\(name) is not JSON; check its brackets, commas and quotes")
    }
    guard let payload = value as? [String: Any] else {
      throw CommandFailure(.wrongUsage, "\(name) is JSON but not an object; write {\"aps\": {…}, …}")
    }
    guard let aps = payload["aps"] else {
      throw CommandFailure(.wrongUsage, "\(name) has no `aps`; add {\"aps\": {\"alert\": …}}")
    }
    guard aps is [String: Any] else {
      throw CommandFailure(.wrongUsage, "`aps` in \(name) is not an object; write {\"aps\": {\"alert\": …}}")
    }
    if let bundle = payload["Simulator Target Bundle"], !(bundle is String) {
      throw CommandFailure(
        .wrongUsage,
        "`Simulator Target Bundle` in \(name) is not text; write the app's bundle id, or leave it out")
    }
  }
}
