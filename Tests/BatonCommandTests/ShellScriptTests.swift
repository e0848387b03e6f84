import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

/// The project's scripts, up to where they would build or start something.
@Suite("A script", .waits) struct ShellScriptTests {
  private let scratch = Scratch()

  private static let directory = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scripts").path

  /// With the parts of `test` and `bench`.
  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    + [
      "../Tests/Dependency/run", "../Tests/Installed/run", "../Tests/Installed/service",
      "../Tests/Interop/run",
      "../Tests/Interruptions/run", "../Tests/Release/run", "../Tests/Sanitized/run",
      "../Benchmarks/curves", "../Benchmarks/history", "../Benchmarks/link-order",
    ]

  /// With a compiler, a package manager and a baton that only record their calls.
  private func run(_ name: String, _ words: [String]) throws
    -> (code: Int32?, words: String)
  {
    for tool in ["swift", "apt-get", "baton"] {
      let file = scratch.write(
        "tools/\(tool)", "#!/bin/sh\necho \"$0 $*\" >>'\(scratch("started"))'\nexit 99\n")
      chmod(file, 0o700)
    }
    let path = "PATH=\(scratch("tools")):/usr/local/bin:/usr/bin:/bin"
    let child = try scratch.start(
      "/usr/bin/env",
      ["-u", "BATON_HOME", path, "BATON_BIN=\(scratch("tools"))", "TMPDIR=\(scratch.path)"]
        + ["\(Self.directory)/\(name)"] + words)
    guard case .exited(let code)? = scratch.end(child) else { return (nil, scratch.text("said")) }
    return (code, scratch.text("said"))
  }

  @Test(arguments: names)
  func `Each script's -h prints its whole help and starts nothing`(name: String) throws {
    let (code, words) = try run(name, ["-h"])
    #expect(code == 0, "\(words)")
    #expect(scratch.text("started").isEmpty, "\(scratch.text("started"))")
    let text = try String(contentsOfFile: "\(Self.directory)/\(name)", encoding: .utf8)
    // The comment at the script's head, without the lines for shell and linter; some scripts have a help text
    // instead.
    let head = text.components(separatedBy: "\nset -").first ?? ""
    let last = head.components(separatedBy: "\n").last { $0.hasPrefix("# ") }?.dropFirst(2) ?? ""
    #expect(!words.isEmpty && (words.hasPrefix("usage: ") || words.hasSuffix("\(last)\n")), "\(words)")
  }

  private static let refused: [(name: String, words: [String])] = [
    ("launch-pair", ["--nope"]), ("launch-pair", ["--home"]), ("launch-pair", ["pair", "--nope"]),
    ("test interruptions", ["0"]), ("test interruptions", ["--nope"]), ("test interruptions", ["--seed"]),
    ("test interruptions", ["--seed", "x"]), ("bench history", ["--nope"]), ("bench history", ["5", "x"]),
    ("bench curves", ["x"]), ("test interop", ["--nope"]), ("test sanitized", ["--nope"]),
    ("setup", ["--nope"]), ("build", ["--nope"]), ("test", ["--nope"]), ("size", ["--nope"]),
    ("campaign", ["--nope"]), ("campaign", ["--seeds", "5"]), ("campaign", ["--part"]),
    ("install", ["--nope"]), ("install", ["--prefix"]), ("release", ["--nope"]), ("release", ["--out"]),
    ("test release", ["--nope"]), ("test installed", ["--nope"]), ("../Tests/Installed/service", ["--nope"]),
    ("build", ["--portable", "--nope"]), ("mutants", ["--nope"]), ("mutants", ["--seed", "x"]),
  ]

  @Test(arguments: refused)
  func `A script refuses wrong usage with one sentence and exit code 64, and starts nothing`(
    name: String, words: [String]
  ) throws {
    let line = name.split(separator: " ").map(String.init)
    let (code, said) = try run(line[0], Array(line.dropFirst()) + words)
    #expect(code == 64, "\(said)")
    let named = name.hasPrefix("../") ? String(name.dropFirst(3)) : name
    #expect(said.filter { $0 == "\n" }.count == 1 && said.contains("\(named): "), "\(said)")
    #expect(scratch.text("started").isEmpty, "\(scratch.text("started"))")
    #expect(!FilePath.exists("\(words[0])"))
  }
}
