import Ground
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

@Suite("baton logs, filtered", .waits)
struct LogFilterTests {
  private let scratch = Scratch()
  /// 2026-01-02 03:04:05 UTC.
  private let wall: Int64 = 1_767_323_045_000_000_000

  private func write(_ count: Int, since first: Int64 = Clock.monotonicNow.nanoseconds) {
    let start =
      #"{"seq":1,"t":\#(first),"wall":\#(wall),"kind":"start","process":"lspd","pid":7,"start_time":5}"#
      + "\n"
    let rest = (0..<count).map { number in
      let at = Int64(number + 1) * 1_000_000_000
      return
        #"{"seq":\#(number + 2),"t":\#(first + at),"wall":\#(wall + at),"kind":"note","text":"note \#(number)"}"#
        + "\n"
    }
    scratch.write("phone/journal/20260101T000000-lspd-7.jsonl", start + rest.joined())
  }

  private func logs(_ words: String...) throws -> [String] {
    let child = try scratch.start("baton", ["--home", scratch("phone"), "logs"] + words)
    #expect(scratch.end(child) == .exited(code: 0), "\(scratch.text("said"))")
    return scratch.text("said").split(separator: "\n").map { String($0.split(separator: "  ").last ?? "") }
  }

  @Test
  func `-n gives the last lines, --grep the matching ones, both together the last matching ones`()
    throws
  {
    write(20)
    #expect(try logs("-n", "2") == ["note 18", "note 19"])
    #expect(try logs("--grep", "note [0-3]$") == ["note 0", "note 1", "note 2", "note 3"])
    #expect(try logs("--grep", "note 1.", "-n", "3") == ["note 17", "note 18", "note 19"])
    #expect(try logs("--grep", "^lspd started").count == 1)
    #expect(try logs("-n", "0").isEmpty)
    #expect(try logs("-n", "999").count == 21)
    #expect(try logs("--json", "--grep", "note 7").count == 1)
  }

  @Test func `-n 3 gives the last lines also of a journal of 2,511 records`() throws {
    write(2510)
    #expect(try logs("-n", "3") == ["note 2507", "note 2508", "note 2509"])
    #expect(try logs().count == 2511)
  }

  @Test func `--since takes a duration or a time of the phone's wall clock`() throws {
    let hour: Int64 = 3_600_000_000_000
    write(20, since: Clock.monotonicNow.nanoseconds - hour)
    #expect(try logs("--since", "5m").isEmpty)
    #expect(try logs("--since", "2h").count == 21)
    #expect(try logs("--since", "2026-01-02T03:04:24Z") == ["note 18", "note 19"])
    #expect(try logs("--since", "2026-01-02 03:04:25").count == 1)
  }

  @Test func `--around takes a time since the first record, and gives the lines near it`() throws {
    write(20)
    #expect(try logs("--around", "4s") == ["note 3"])
    #expect(try logs("--around", "4.04s") == ["note 3"])
    for (time, more) in [("4.060s", []), ("99.000s", ["-n", "1"])] as [(String, [String])] {
      let words = ["--home", scratch("phone"), "logs", "--around", time] + more
      #expect(scratch.end(try scratch.start("baton", words)) == .exited(code: 64))
      #expect(
        scratch.text("said")
          == "baton: no record is within 50 ms of \(time); the last one is at 20.000s\n")
    }
    #expect(try logs("--around", "0s").count == 1)
  }

  @Test func `--wall shows the phone's wall clock`() throws {
    write(1)
    let child = try scratch.start("baton", ["--home", scratch("phone"), "logs", "--wall"])
    #expect(scratch.end(child) == .exited(code: 0))
    #expect(scratch.text("said").hasSuffix("2026-01-02 03:04:06 UTC  lspd        note 0\n"))
  }

  @Test func `Wall-clock texts parse to nanoseconds, invalid ones do not`() {
    #expect(WallClockText.read("2026-01-02 03:04:05", today: 0) == wall)
    #expect(WallClockText.read("2026-01-02T03:04", today: 0) == wall - 5_000_000_000)
    #expect(WallClockText.read("03:04:05", today: wall + 7_000_000_000) == wall)
    for bad in [
      "", ":", "1", "24:00", "1:2:3:4", "2026-01-02", "x 03:04", "2026-00-01 03:04", "03:04:61", "٣:04",
    ] {
      #expect(WallClockText.read(bad, today: 0) == nil, "\(bad)")
    }
  }

  @Test func `logs -f ends when its reader closes the pipe, also without new records`()
    throws
  {
    write(3)
    let child = try scratch.start(
      "/bin/sh",
      [
        "-c", #"{ "$0" --home "$1" logs -f; echo "ended with $?" >"$1/end"; } | head -2"#,
        "\(Scratch.programs)/baton", scratch("phone"),
      ])
    let deadline = Clock.monotonicNow + .seconds(60)
    while !scratch.text("phone/end").contains("ended with") {
      if Clock.monotonicNow > deadline {
        Issue.record("logs -f goes on without a reader")
        break
      }
    }
    kill(child.identity.pid, SIGKILL)
    _ = scratch.end(child)
    #expect(scratch.text("said").split(separator: "\n").count == 2)
  }
}
