import Ground
import DaemonRuntime
import Foundation
import PairSupport
import Testing

@testable import PhoneClient

/// A phone that is used by `baton` alone, as a user types it. At its end it is down, and its journals were run again.
final class CommandPhone {
  let scratch = Scratch()

  var phone: Phone { Phone(home: scratch("phone")) }

  deinit {
    _ = try? run("down")
    Journals.replay(of: scratch("phone"))
  }

  /// Under a sanitizer a program is larger than any phone lets it be.
  static let isSanitized = getenv("BATON_SANITIZED") != nil
  /// How long a payment or a splice takes in tests that ask the phone about it meanwhile, several times.
  static func delay(seconds: Int) -> String { "\(isSanitized ? 5 * seconds : seconds)s" }

  private func words(_ verb: [String]) -> [String] {
    let lifts = Self.isSanitized && verb.first == "up" && !verb.contains("--build")
    return ["--home", scratch("phone")] + verb + (lifts ? ["--build", "debug"] : [])
  }

  /// Gives all that it says.
  func run(_ verb: String...) throws -> String { try run(verb) }

  func run(_ verb: [String]) throws -> String {
    _ = scratch.end(try scratch.start("baton", words(verb)))
    return scratch.text("said")
  }

  /// Not waited for; what it says is in a file of its own.
  func begin(_ verb: String..., into name: String) throws -> ChildProcess { try begin(verb, into: name) }

  func begin(_ verb: [String], into name: String) throws -> ChildProcess {
    try scratch.start("baton", words(verb), into: name)
  }

  func openAndConnect() throws {
    _ = try run("app", "open")
    try Wait.until("the app to be connected") { try run("status").contains(": connected\n") }
  }

  func invoice(sat: Int = 5000) throws -> String {
    try run("invoice", "\(sat)").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func waitUntilAway() throws { try PhoneDriver(phone).waitUntilAway() }

  /// What became of each push.
  func fates() throws -> [String?] {
    try phone.pushes().map(\.fate)
  }
}
