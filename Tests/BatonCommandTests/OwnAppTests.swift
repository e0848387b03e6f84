import Baton
import Foundation
import Testing
import WaitingTests

/// docs/examples/own-app.py, which follows docs/protocols.md and shares no code with the wallet.
@Suite(
  "The documented example of an own app", .serialized,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs /usr/bin/python3"),
  .waits)
struct OwnAppTests {
  private static let example = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples/own-app.py").path

  private func wait(_ phone: CommandPhone, for words: String) throws {
    try Wait.until(words) { try phone.run("status").contains(words) }
  }

  @Test
  func
    `The example app claims the node in front, releases it on the home screen, and claims again after a kill`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--app", Self.example)
    _ = try phone.run("app", "open")
    try wait(phone, for: "held by mainappd")
    #expect(try phone.run("status").contains("own app: has the node"))
    _ = try phone.run("app", "home")
    try wait(phone, for: "released the node")
    _ = try phone.run("app", "open")
    try Wait.until("its second claim") { try epoch(phone) == 2 }
    // A swipe kills it in front, holding the node; the next process finds the lock free.
    _ = try phone.run("app", "quit")
    _ = try phone.run("app", "open")
    try Wait.until("its third claim") { try epoch(phone) == 3 }
    let report = try phone.run("inspect", phone.phone.container)
    #expect(report.hasSuffix("problems\n  none found\n"), "\(report)")
  }

  private func epoch(_ phone: CommandPhone) throws -> Int? {
    let text = try phone.run("status")
    return text.firstMatch(of: #/\nepoch +(\d+)\n/#).flatMap { Int($0.output.1) }
  }
}
