@testable import Baton

/// Files that a user names, of every verb that writes one.
@Suite("A file that a verb writes", .waits) struct UserFileTests {
  private let scratch = TemporaryDirectory()

  private static let story =
    "# x\nthe app opens\nwho holds the node?\n  > nobody\nthe verdict\n  > sound: 0 of 0 payments settled\n"

  @Test func `A file has no name until it is complete, so a killed verb leaves nothing`() throws {
    let file = try UserFile(scratch("file"), mode: 0o644, "name another file")
    #expect(!scratch.entries.contains { $0.hasPrefix(".baton") }, "\(scratch.entries)")
    try file.complete(with: Self.story)
    expect(scratch.text("file"), is: Self.story)
    #expect(!scratch.entries.contains { $0.hasPrefix(".baton") }, "\(scratch.entries)")
  }
}
