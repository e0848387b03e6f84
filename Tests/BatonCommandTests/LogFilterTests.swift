@testable import Baton

@Suite("baton logs, filtered", .waits) struct LogFilterTests {
  private let scratch = TemporaryDirectory()
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
    expect(child.end(), is: .exited(code: 0), "\(scratch.text("said"))")
    return scratch.text("said").split(separator: "\n").map { String($0.split(separator: "  ").last ?? "") }
  }

  @Test func `--since takes a duration or a time of the phone's wall clock`() throws {
    let hour: Int64 = 3_600_000_000_000
    write(20, since: Clock.monotonicNow.nanoseconds - hour)
    #expect(try logs("--since", "5m").isEmpty)
    expect(try logs("--since", "2h").count, is: 21)
    expect(try logs("--since", "2026-01-02T03:04:24Z"), is: ["note 18", "note 19"])
    expect(try logs("--since", "2026-01-02 03:04:25").count, is: 1)
  }

  @Test func `Wall-clock texts parse to nanoseconds, invalid ones do not`() {
    expect(WallClockText.read("2026-01-02 03:04:05", today: 0), is: wall)
    expect(WallClockText.read("2026-01-02T03:04", today: 0), is: wall - 5_000_000_000)
    expect(WallClockText.read("03:04:05", today: wall + 7_000_000_000), is: wall)
    for bad in [
      "", ":", "1", "24:00", "1:2:3:4", "2026-01-02", "x 03:04", "2026-00-01 03:04", "03:04:61", "٣:04",
    ] {
      #expect(WallClockText.read(bad, today: 0) == nil, "\(bad)")
    }
  }
}
