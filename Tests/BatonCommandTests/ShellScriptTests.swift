import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import PhoneClient

/// The project's scripts, up to where they would build or start something.
@Suite("A script", .waits) struct ShellScriptTests {
  private let scratch = Scratch()

  private static let directory = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scripts").path

  /// Without the scripts that others source, and with the parts of `test` and `bench`.
  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
    .filter { !["in-scratch", "chaos-common"].contains($0) }.sorted()
    + [
      "../Tests/Dependency/run", "../Tests/Installed/run", "../Tests/Installed/service", "../Tests/Interop/run",
      "../Tests/Interruptions/run", "../Tests/Release/run", "../Tests/Sanitized/run",
      "../Benchmarks/curves", "../Benchmarks/history", "../Benchmarks/link-order",
    ]

  /// With a compiler, a package manager and a baton that only record their calls.
  private func run(_ name: String, _ words: [String], with shell: [String] = []) throws
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
      ["-u", "BATON_HOME", path, "BATON_BIN=\(scratch("tools"))", "TMPDIR=\(scratch.path)"] + shell
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
    let (code, said) = try run(line[0], line.dropFirst() + words)
    #expect(code == 64, "\(said)")
    let named = name.hasPrefix("../") ? String(name.dropFirst(3)) : name
    #expect(said.filter { $0 == "\n" }.count == 1 && said.contains("\(named): "), "\(said)")
    #expect(scratch.text("started").isEmpty, "\(scratch.text("started"))")
    #expect(!FilePath.exists("\(words[0])"))
  }

  private static let chaos: [String] = ["chaos-kill", "chaos-freeze"]
  private static let chaosWords: [[String]] = [
    ["0"], ["000"], ["--nope"], ["--home"], ["--seed"], ["--seed", "x"], ["12345678901"],
  ]

  /// Called as `baton scratch` does.
  @Test(arguments: chaos, chaosWords)
  func `chaos-kill and chaos-freeze refuse a bad count, an unknown option and an option without its value`(
    name: String, words: [String]
  )
    throws
  {
    let (code, said) = try run(name, ["--inside"] + words, with: ["bash"])
    #expect(code == 64, "\(said)")
    #expect(said.hasPrefix("scripts/\(name): ") && said.hasSuffix("; see scripts/\(name) -h\n"), "\(said)")
    #expect(said.filter { $0 == "\n" }.count == 1, "\(said)")
    #expect(scratch.text("started").isEmpty, "\(scratch.text("started"))")
  }

  /// With a `baton` that judges and replays as it is told.
  @Test(
    arguments: [
      (judge: 0, replay: 0, hits: 1, code: 0), (2, 0, 1, 2), (3, 0, 1, 3), (2, 1, 0, 2), (0, 1, 1, 2),
      (0, 0, 0, 70),
    ] as [(judge: Int, replay: Int, hits: Int, code: Int32)])
  func `A chaos run ends with the judge's exit code, else by its replay and its hits`(
    run: (judge: Int, replay: Int, hits: Int, code: Int32)
  ) throws {
    let baton = scratch.write(
      "baton", "#!/bin/sh\ncase $1 in judge) exit \(run.judge) ;; replay) exit \(run.replay) ;; esac\n")
    chmod(baton, 0o700)
    let child = try scratch.start(
      "/bin/bash",
      [
        "-euc",
        "BATON_BIN='\(scratch.path)'; . '\(Self.directory)/chaos-common'; "
          + "read_arguments --home '\(scratch("phone"))'; judge \(run.hits)",
      ])
    #expect(scratch.end(child) == .exited(code: run.code), "\(scratch.text("said"))")
  }
}
