@testable import Baton

/// A phone that a test starts and asks by verbs, of whose output it reads all.
final class CommandPhone: BatonPhone {
  /// The delay of a payment or splice in tests that query the phone meanwhile.
  static func delay(seconds: Int) -> String { "\(isSanitized ? 5 * seconds : seconds)s" }

  /// Returns all output.
  func run(_ verb: String...) throws -> String { try run(verb) }

  func run(_ verb: [String]) throws -> String {
    _ = try scratch.start("baton", words(verb)).end()
    return scratch.text("said")
  }

  /// Does not wait; the output goes to a file of that name.
  func begin(_ verb: String..., into name: String) throws -> Started { try begin(verb, into: name) }

  func begin(_ verb: [String], into name: String) throws -> Started {
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

  /// The fate of each push.
  func fates() throws -> [String?] { try phone.pushes().map(\.fate) }
}
