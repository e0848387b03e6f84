import PhonePolicy

@testable import Baton

@Suite("Manual pages", .waits) struct ManualPageTests {
  private let scratch = TemporaryDirectory()

  private func page(_ words: String...) throws -> String {
    guard case .help(let text) = try Program.declaration.parse(words + ["--man"]) else { return "" }
    return text
  }

  @Test func `Every verb has a page with each of its options and subcommands`() throws {
    for verb in Program.verbs.map({ $0.declaration }) {
      let text = try page(verb.name)
      #expect(text.contains(".Nm baton-\(verb.name)\n") && text.contains("\n.Xr baton 1\n"))
      for option in (verb.options + verb.subcommands.flatMap(\.options)).flatMap(\.names) {
        #expect(text.contains(" \(option.dropFirst())"), "baton-\(verb.name)(1) lacks \(option)")
      }
      for command in verb.subcommands { #expect(text.contains(".It Cm \(command.name)\n")) }
    }
    let own = try page()
    for verb in Program.verbs.map({ $0.declaration }) { #expect(own.contains(".It Cm \(verb.name)\n")) }
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc"), "needs /usr/bin/mandoc"))
  func `mandoc finds nothing to say about any page`() throws {
    scratch.write("baton.1", try page())
    for verb in Program.verbs.map({ $0.declaration.name }) {
      scratch.write("baton-\(verb).1", try page(verb))
    }
    for daemon in ["iosd", "lspd", "mainappd", "notifyextd", "notifyonlyd"] {
      let child = try scratch.start(daemon, ["--man"], into: "\(daemon).1")
      expect(child.end(), is: .exited(code: 0))
    }
    let pages = scratch.entries.filter { $0.hasSuffix(".1") }
    expect(pages.count, is: Program.verbs.count + 6)
    let lint = try scratch.start(
      "/usr/bin/mandoc", ["-T", "lint", "-W", "warning"] + pages.map { scratch($0) })
    expect(lint.end(), is: .exited(code: 0))
    #expect(scratch.text("said").isEmpty, "\(scratch.text("said"))")
  }

  @Test func `What has a meaning in mdoc stands as it is in the page`() throws {
    let odd = CommandLineDeclaration(
      name: "odd", summary: ".Sh a \\ b",
      options: [OptionDeclaration("--x", value: .text("Ar"), help: "'quoted'")],
      examples: [("odd \"Nm\"", "two")])
    guard case .help(let text) = try odd.parse(["--man"]) else { return }
    #expect(text.contains("\n.Nd \\&.Sh a \\e b\n"))
    #expect(text.contains("\n.It Fl -x Ar \"\\&Ar\"\n\\&'quoted'.\n"))
    #expect(text.contains(#".It Li "\&odd \(dqNm\(dq""#))
  }

  @Test func `The versions of the databases are those of docs/schema`() throws {
    let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/schema")
    let numbers = try ["container", "ledger"].map { name in
      let text = try String(contentsOf: folder.appending(path: "\(name).sql"), encoding: .utf8)
      return try #require(text.firstMatch(of: /PRAGMA user_version = (\d+);/).flatMap { Int($0.output.1) })
    }
    expect(numbers, is: [SchemaNumber.container, SchemaNumber.ledger])
  }
}
