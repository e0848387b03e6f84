import Ground
import DaemonRuntime
import Foundation
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite(
  "baton soak --phones", .disabled(if: getenv("BATON_SANITIZED") != nil, "its memory is the sanitizer's"),
  .waits)
struct PushCrowdTests {
  private let scratch = Scratch()

  private func run(_ words: String...) throws -> (end: ChildEnd.How?, said: String) {
    let end = scratch.end(try scratch.start("baton", ["soak"] + words))
    return (end, scratch.text("said"))
  }

  @Test
  func
    `B-0.4, B-C.1 Each push has one notification, despite frozen and killed extensions, and times and memory are reported`()
    throws
  {
    defer { for phone in ["1", "2"] { Journals.replay(of: scratch("crowd/\(phone)")) } }
    let (end, said) = try run("--phones", "2", "--pushes", "20", "--keep", scratch("crowd"), "--json")
    #expect(end == .exited(code: 0), "\(said)")
    let report = try #require(JSONValue(parsing: Array(said.utf8)))
    #expect(report["complaints"]?.elements == [])
    #expect(try #require(report["pushes"]?.int) >= 26)
    let frozen = try #require(report["stopped_at_work"]?.int)
    #expect(try #require(report["killed_for_time"]?.int) <= frozen)
    #expect(try #require(report["silent_claims"]?.int) <= frozen)
    #expect(try #require(report["killed_at_work"]?.int) > 0)
    #expect(try #require(report["wait_median_ms"]?.int) > 0)
    let peak = try #require(report["peak_footprint_bytes"]?.uint)
    #expect(peak > 0 && peak < 25_165_824)
    for phone in ["1", "2"] {
      #expect(DaemonProbe.pid(listeningOn: Phone(home: scratch("crowd/\(phone)")).iosdSocket) == nil)
    }
  }

  @Test(
    arguments: [
      ["--phones", "2", "--rounds", "5"], ["--pushes", "5"], ["--timers", "real"],
    ])
  func `Options of a soak on one phone and of a soak on several exclude each other`(words: [String]) throws {
    let process = try scratch.start("baton", ["soak"] + words)
    #expect(scratch.end(process) == .exited(code: 64))
  }
}
