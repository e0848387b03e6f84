import Heartbeat

@testable import DaemonRuntime

@Suite struct JournalTests {
  private func journal(_ directory: TemporaryDirectory, clock: Clock = Clock()) throws -> Journal {
    try Journal(
      directory: directory("journal"), name: "test", clock: clock, version: "0.1", arguments: ["--home", "x"])
  }

  private func lines(_ journal: Journal) throws -> [[String: Any]] {
    try text(ofFile: journal.path).split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func `Each journal has a file of its own, with mode 0600`() throws {
    let directory = TemporaryDirectory()
    let first = try journal(directory)
    let second = try journal(directory)
    #expect(first.path != second.path)
    let name = try #require(first.path.split(separator: "/").last)
    #expect(name.wholeMatch(of: /[0-9]{8}T[0-9]{6}-test-[0-9]+\.jsonl/) != nil)
    var status = stat()
    expect(stat(first.path, &status), is: 0)
    expect(status.st_mode & 0o777, is: 0o600)
  }

  @Test func `Journal records have a number and a kind`() throws {
    let directory = TemporaryDirectory()
    let journal = try journal(directory)
    journal.record(CounterCore.self, configuration: .init(step: 5))
    journal.record(
      CounterCore.self, event: .counted(by: 2), at: Instant(nanoseconds: 99),
      directives: [.announce(total: 2, note: nil), .ring])
    journal.note("hello")
    journal.recordEnd(reason: "asked to")
    let records = try lines(journal)
    expect(records.map { $0["kind"] as? String }, is: ["start", "core", "event", "note", "end"])
    expect(records.map { $0["seq"] as? Int }, is: [1, 2, 3, 4, 5])
    expect(records[0]["arguments"] as? [String], is: ["--home", "x"])
    expect(records[2]["t"] as? Int, is: 99)
    let raw = text(ofFile: journal.path).split(separator: "\n")
    #expect(
      raw[2].hasSuffix(
        #""core":"counter","event":{"counted":{"by":2}},"directives":[{"announce":{"total":2}},{"ring":{}}]}"#
      ))
    #expect(raw[3].contains(#""kind":"note","after":""#) && raw[3].hasSuffix(#"","text":"hello"}"#))
  }

  @Test func `A journal has no record behind its end`() throws {
    let directory = TemporaryDirectory()
    let journal = try journal(directory)
    journal.recordEnd(reason: "asked to")
    let end = text(ofFile: journal.path)
    journal.note("in its last turn")
    expect(text(ofFile: journal.path), is: end)
  }

  @Test func `A jump of the wall clock is noted in the journal`() throws {
    let directory = TemporaryDirectory()
    let file = PhoneClockFile(path: directory("clock"))
    let boot = BootID(high: 1, low: 1)
    try file.write(PhoneClock(boot: boot))
    let journal = try journal(directory, clock: Clock(phoneClockFile: directory("clock")))
    try file.write(PhoneClock(boot: boot, wallOffsetNanoseconds: -3_600_000_000_000))
    journal.note("after")
    journal.note("later")
    let texts = try lines(journal).compactMap { $0["text"] as? String }
    expect(texts.count, is: 3)
    #expect(texts[0].hasPrefix("wall clock stepped by -3") && texts[0].hasSuffix(" s"))
    expect(texts[1...], is: ["after", "later"])
  }

  @Test func `The record after a full disk states how many records were lost`() throws {
    let directory = TemporaryDirectory()
    let journal = try journal(directory)
    journal.note("before")
    let file = fcntl(journal.descriptor, F_DUPFD_CLOEXEC, 0)
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    dup2(full, journal.descriptor)
    journal.note("lost one")
    journal.note("lost two")
    dup2(file, journal.descriptor)
    expect(journal.lostRecords, is: 2)
    journal.note("after")
    close(full)
    close(file)
    let records = try lines(journal)
    expect(records.compactMap { $0["text"] as? String }, is: ["before", "after"])
    expect(records.last?["lost_before"] as? Int, is: 2)
    expect(records.last?["seq"] as? Int, is: 5)
  }

  @Test func `A partially written journal line loses one record, not two`() throws {
    let directory = TemporaryDirectory()
    let journal = try journal(directory)
    let file = fcntl(journal.descriptor, F_DUPFD_CLOEXEC, 0)
    // A pipe accepts a part of what does not fit and, unlike a file, cannot be truncated.
    let ends = makePipe(nonblocking: true)
    dup2(ends.writer, journal.descriptor)
    journal.note(String(repeating: "x", count: 200_000))
    dup2(file, journal.descriptor)
    for descriptor in [ends.reader, ends.writer, file] { close(descriptor) }
    expect(journal.lostRecords, is: 1)
    journal.note("after")
    // The partial line is in the pipe; the file has only the line break that ends it.
    #expect(text(ofFile: journal.path).contains("\n\n{\"seq\":3,"))
  }

  @Test func `A journal directory that cannot be created is an error`() {
    #expect(throws: SystemError.self) {
      _ = try Journal(
        directory: "/proc/no/journal", name: "x", clock: Clock(), version: "", arguments: [])
    }
  }

  @Test(arguments: [
    (0, "19700101T000000"), (1_000_000_000_000_000_000, "20010909T014640"), (-1, "19700101T000000"),
  ])
  func `The time stamp in a journal's name is in UTC`(_ nanoseconds: Int64, _ expected: String) {
    expect(Journal.stamp(nanoseconds), is: expected)
  }

  @Test func `Extreme wall times do not trap`() {
    _ = Journal.stamp(.max)
    _ = Journal.stamp(.min)
  }
}
