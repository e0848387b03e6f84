import Ground
import DaemonRuntime
import Foundation
import Glibc
import Simulation
import Testing
import WaitingTests

@testable import Baton

@Suite("The limits of an exploration", .waits)
struct ExploreLimitsTests {
  private let scratch = Scratch()
  /// More states than any test waits for.
  private static let endless = [
    "explore", "--pushes", "2", "--opens", "2", "--crashes", "2", "--copies", "1",
  ]

  @Test func `An exploration that ended early names the limit and its option, or the signal`() {
    let said: [(ExploreLimits.Reached, String, ExitCode)] = [
      (.states(1_234_567), "there are more than 1,234,567 states (--states)", .gaveUp),
      (.time(.seconds(3600)), "the 60 min of --max-minutes have passed", .gaveUp),
      (.memory(16 << 20), "the 16.0 MB of --max-memory are used up", .gaveUp),
      (.interruption(.interrupted), "it was interrupted", .interrupted),
      (.interruption(.terminated), "it was ended by SIGTERM", .terminated),
      (.interruption(.hungUp), "it was ended by SIGHUP", .hungUp),
    ]
    for (reached, sentence, code) in said {
      #expect(reached.sentence == sentence)
      #expect(reached.exitCode == code)
    }
  }

  @Test func `Time and memory limits end an exploration`() {
    var limits = ExploreLimits()
    #expect(limits.reached(states: 1 << 40, took: .seconds(1 << 30)) == nil)
    limits.time = .seconds(60)
    #expect(limits.reached(states: 1, took: .seconds(59)) == nil)
    #expect(limits.reached(states: 1, took: .seconds(60)) == .time(.seconds(60)))
    limits.memoryBytes = 1 << 50
    #expect(limits.reached(states: 1, took: .zero) == nil)
    limits.memoryBytes = 1
    #expect(limits.reached(states: 1, took: .zero) == .memory(1))
    #expect(ExploreLimits.standardMemoryBytes > 1 << 24)
    var exploration = Exploration(ExploreSettings(), jobs: 1, limits: limits)
    exploration.run()
    #expect(ExploreReport(exploration).exitCode == .gaveUp && exploration.explorer.states < 1000)
  }

  @Test func `When --max-memory is used up, an exploration ends and reports the visited states`()
    throws
  {
    let child = try scratch.start("baton", Self.endless + ["--max-memory", "40"])
    #expect(scratch.end(child) == .exited(code: ExitCode.gaveUp.rawValue))
    #expect(
      scratch.text("said").contains(
        "given up: the 40.0 MB of --max-memory are used up; no invariant broke in the visited states"))
    #expect(scratch.text("said").contains(" states, "))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `An exploration ended by SIGINT, SIGTERM or SIGHUP reports the states visited so far`(number: Int32)
    throws
  {
    let child = try scratch.start("baton", Self.endless)
    try waitUntilAtWork()
    kill(child.identity.pid, number)
    #expect(scratch.end(child) == .exited(code: 128 + number))
    let said = scratch.text("said")
    #expect(
      said.contains(" steps between them, ") && said.contains("no invariant broke in the visited states"),
      "\(said)")
  }

  /// Off a terminal it prints progress after a while.
  private func waitUntilAtWork() throws {
    try Wait.until("it to say so", within: .seconds(120)) {
      scratch.text("said").contains("states a second")
    }
  }

  /// If SIGHUP were handled, it would be read before SIGINT: its number is lower.
  @Test func `SIGHUP does not end an exploration under nohup`() throws {
    let child = try scratch.start("/usr/bin/nohup", ["\(Scratch.programs)/baton"] + Self.endless)
    try waitUntilAtWork()
    kill(child.identity.pid, SIGHUP)
    kill(child.identity.pid, SIGINT)
    #expect(scratch.end(child) == .exited(code: 128 + SIGINT))
    #expect(scratch.text("said").contains("it was interrupted"))
  }

  @Test
  func `The example of baton explore --without in its help finds a violation and prints the shortest story`()
    throws
  {
    let example = try #require(ExploreVerb.declaration.examples.first { $0.line.contains("--without") })
    let words = example.line.split(separator: " ").dropFirst().map(String.init)
    let child = try scratch.start("baton", words)
    #expect(scratch.end(child) == .exited(code: 2))
    #expect(scratch.text("said").contains("The shortest story:"))
    #expect(!scratch.text("said").contains("0.000"), "no time where none passes")
  }
}
