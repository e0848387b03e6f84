import DaemonRuntime
import Foundation
import GeneratedPages
import Testing
import WaitingTests

@testable import BatonCommand
@testable import PhoneClient

@Suite("The exit codes", .waits)
struct ExitCodePageTests {
  private static let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.docs.appending(path: path), encoding: .utf8)
  }

  /// The first cells of the table below "## Exit codes".
  private func codes(on page: String) throws -> [Int32] {
    let parts = try text(page).components(separatedBy: "## Exit codes\n")
    try #require(parts.count == 2, "\(page) has no exit codes")
    return try parts[1].components(separatedBy: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| code") }
      .map { line in
        try #require(Int32(line.dropFirst(2).prefix { $0 != " " }), "\(page): \(line)")
      }
  }

  @Test func `docs/exit-codes.md lists every code with its word and meaning`() throws {
    let page = GeneratedPage("docs/exit-codes.md")
    let separator = "\n|---|---|---|\n"
    let parts = try page.read().components(separatedBy: separator)
    try #require(parts.count == 2, "docs/exit-codes.md has no single table")
    let rows = ExitCode.allCases.map { "| \($0.rawValue) | `\($0.word)` | \($0.meaning) |\n" }.joined()
    let end = try #require(parts[1].range(of: "\n\n")).lowerBound
    try page.expect(parts[0] + separator + rows.dropLast() + parts[1][end...])
    #expect(Set(ExitCode.allCases.map(\.word)).count == ExitCode.allCases.count)
  }

  @Test(arguments: Program.verbs.map { $0.declaration.name })
  func `Each verb's page lists known exit codes in order, with 0 and 64`(name: String) throws {
    let codes = try codes(on: "commands/\(name).md")
    #expect(codes == codes.sorted() && Set(codes).count == codes.count, "\(codes)")
    #expect(codes.first == 0 && codes.contains(64), "\(codes)")
    for code in codes { #expect(ExitCode(rawValue: code) != nil, "\(code) is in no table") }
  }

  @Test
  func
    `Pages of verbs that ask a daemon list exit codes 69 for a missing daemon and 8 for a refused request`()
    throws
  {
    for name in [
      "app", "device", "invoice", "notifications", "pay", "ps", "push", "send", "tasks", "withdraw",
    ] {
      let codes = try codes(on: "commands/\(name).md")
      #expect(
        codes.contains(ExitCode.notDone.rawValue) && codes.contains(ExitCode.daemonMissing.rawValue),
        "\(name)")
    }
    let gone = CommandFailure(ControlClientError.notRunning(daemon: "iosd", path: "/x"))
    let refused = CommandFailure(ControlClientError.refused("no"))
    #expect(gone.code == .daemonMissing && refused.code == .notDone)
  }

  /// Verbs that use no phone, and `doctor`, which says what is wrong with it.
  private static let withoutHome = ["completion", "doctor", "help", "museum", "replay", "version"]

  @Test(arguments: Program.verbs.map { $0.declaration.name })
  func
    `The page of each verb lists exit code 73, except completion, doctor, help, museum, replay and version`(
      name: String
    )
    throws
  {
    #expect(
      try codes(on: "commands/\(name).md").contains(ExitCode.cannotCreate.rawValue)
        == !Self.withoutHome.contains(name))
  }

  @Test(arguments: ["pay", "send", "withdraw"])
  func `The page of each paying verb lists the exit code of a failed payment`(name: String) throws {
    #expect(try codes(on: "commands/\(name).md").contains(ExitCode.paymentFailed.rawValue))
  }
}
