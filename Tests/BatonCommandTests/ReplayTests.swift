import Guardrails
import Heartbeat

@testable import Baton

@Suite("Replaying a journal", .waits) struct ReplayTests {
  private let scratch = TemporaryDirectory()

  /// A journal as mainappd writes it: launched, opened, looking, claiming, owning, going home.
  private func journal() throws -> String {
    let clock = Clock()
    let journal = try Journal(
      directory: scratch("journal"), name: "mainappd", clock: clock, version: "test", arguments: [])
    let configuration = GuardConfiguration()
    var core = AppMachine(configuration: configuration)
    journal.record(AppMachine.self, configuration: configuration)
    let row = ClaimRow(
      epoch: 3, role: .extension,
      process: ProcessIdentity(pid: 7, startTime: 8, boot: BootID(high: .max, low: 1)), incarnation: .max,
      container: ContainerID(high: 1, low: .max))
    let seen = Observation(
      row: row, holderLockIsBusy: false, beat: nil, appWantsNode: true, boot: row.process.boot,
      bootClock: Instant(nanoseconds: 5))
    let claim = Claim(epoch: 4, incarnation: 9, container: row.container)
    let events: [GuardEvent] = [
      .launched, .enteredForeground, .observed(seen), .claimed(claim), .node(.connecting),
      .node(.established), .enteredBackground, .node(.stopped),
    ]
    journal.note("nothing that a core sees")
    for (second, event) in events.enumerated() {
      let now = Instant(nanoseconds: Int64(second) * 1_000_000)
      journal.record(AppMachine.self, event: event, at: now, directives: core.handle(event, at: now))
    }
    journal.recordEnd(reason: "test")
    return journal.path
  }

  private func lines(_ path: String) -> [String] {
    SmallFile.read(path, limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }?.split(separator: "\n")
      .map(String.init) ?? []
  }

  private func replay(_ lines: [String], ending: String = "\n") throws -> JournalReplay.Outcome {
    try JournalReplay.run(scratch.write("changed.jsonl", lines.joined(separator: "\n") + ending))
  }

  @Test func `A replay computes the recorded directives byte for byte, and counts each core's events`() throws
  {
    let outcome = try JournalReplay.run(try journal())
    #expect(outcome.difference == nil)
    expect(outcome.events.map(\.core), is: ["guard-app"])
    expect(outcome.events.map(\.count), is: [8])
    #expect(!outcome.lastLineTorn)
  }

  @Test func `A changed directive is found, with the recorded and the computed line`() throws {
    var changed = lines(try journal())
    let place = try #require(changed.firstIndex { $0.contains("\"claim\":{\"seen\":3") })
    let before = changed[place]
    changed[place] = before.replacing("\"seen\":3", with: "\"seen\":2")
    let difference = try #require(try replay(changed).difference)
    expect(difference.line, is: place + 1)
    expect(difference.recorded, is: changed[place])
    expect(difference.computed, is: before)
  }

  @Test(arguments: ["a\u{7f}", "\u{1b}[2J"])
  func `The name of an unknown core in a damaged record is shown on one line`(name: String) throws {
    var changed = lines(try journal())
    let place = try #require(changed.firstIndex { $0.contains("\"kind\":\"event\"") })
    let escaped = name.unicodeScalars.map { $0.value < 32 ? "\\u001b" : String($0) }.joined()
    changed[place] = changed[place].replacing("guard-app", with: escaped)
    let sentence = try #require(try replay(changed).difference?.sentence)
    #expect(sentence.hasPrefix("core ") && sentence == sentence.onOneLine)
  }

  @Test func `A changed event is found at the first decision that differs`() throws {
    var changed = lines(try journal())
    let place = try #require(changed.firstIndex { $0.contains("\"observed\"") })
    changed[place] = changed[place].replacing("\"holderLockIsBusy\":false", with: "\"holderLockIsBusy\":true")
    expect(try replay(changed).difference?.line, is: place + 1)
  }

  /// `t` and `wall` belong to the record; every other byte must be the one the program would write.
  @Test
  func `A flipped bit in core, event or directives is found, except in numbers that no directive repeats`()
    throws
  {
    let good = lines(try journal())
    let place = try #require(good.firstIndex { $0.contains("\"observed\"") })
    let bytes = Array(good[place].utf8)
    let start = try #require(
      good[place].range(of: "\"core\"").map {
        good[place].utf8.distance(from: good[place].startIndex, to: $0.lowerBound)
      })
    for position in start..<bytes.count {
      var flipped = bytes
      flipped[position] ^= 1
      var changed = good
      changed[place] = String(decoding: flipped, as: UTF8.self)
      let isKept = Self.isFreeOfConsequences(good[place], position)
      if !isKept { #expect(try !replay(changed).isWhole, "byte \(position): \(changed[place])") }
    }
  }

  /// Numbers of an event that no decision repeats may differ.
  private static func isFreeOfConsequences(_ line: String, _ position: Int) -> Bool {
    let numbers = [
      "\"startTime\":", "\"high\":", "\"low\":", "\"incarnation\":", "\"bootClock\":", "\"pid\":",
    ]
    let utf8 = Array(line.utf8)
    guard (48...57).contains(utf8[position]) else { return false }
    var start = position
    while start > 0, (48...57).contains(utf8[start - 1]) { start -= 1 }
    let before = String(decoding: utf8[..<start], as: UTF8.self)
    return numbers.contains { before.hasSuffix($0) }
  }

  @Test func `A missing event record is found`() throws {
    var changed = lines(try journal())
    changed.remove(at: 4)
    expect(try replay(changed).missing?.line, is: 5)
  }

  @Test func `A missing record that belongs to no core is found`() throws {
    var changed = lines(try journal())
    let place = try #require(changed.firstIndex { $0.contains("nothing that a core sees") })
    changed.remove(at: place)
    expect(try replay(changed).missing?.line, is: place + 1)
  }

  @Test func `A line that is no record is missing evidence, and no difference`() throws {
    var changed = lines(try journal())
    changed[3] = "garbage"
    let outcome = try replay(changed)
    #expect(outcome.missing?.line == 4 && outcome.difference == nil)
  }

  @Test func `A torn last line is accepted and reported`() throws {
    let good = lines(try journal())
    let last = try #require(good.last)
    let torn = Array(good.dropLast()) + [String(last.prefix(last.count / 2))]
    let outcome = try replay(torn, ending: "")
    #expect(outcome.difference == nil)
    #expect(outcome.lastLineTorn)
  }

  @Test func `A replay stops where records were lost to a full disk, and reports missing evidence`() throws {
    var changed = lines(try journal())
    changed[4] = changed[4].replacing("\"core\":", with: "\"lost_before\":2,\"core\":")
    let outcome = try replay(changed)
    #expect(outcome.missing?.line == 5 && outcome.difference == nil)
    expect(outcome.missing?.sentence?.hasPrefix("2 records could not be written before this one"), is: true)
    let changedPath = scratch("changed.jsonl")
    // Missing evidence, unless another journal differs.
    expect(try scratch.start("baton", ["replay", changedPath]).end(), is: .exited(code: 74))
    #expect(scratch.text("said").contains("changed.jsonl: line 5: 2 records could not be written"))
    expect(try scratch.start("baton", ["replay", "--json", changedPath]).end(), is: .exited(code: 74))
    #expect(scratch.text("said").contains(#""same":false"#))
    #expect(scratch.text("said").contains(#""evidence_missing":true,"line":5,"#))
    let broken = scratch.write(
      "broken.jsonl",
      lines(try journal()).joined(separator: "\n").replacing("\"seen\":3", with: "\"seen\":2") + "\n")
    expect(try scratch.start("baton", ["replay", changedPath, broken]).end(), is: .exited(code: 2))
  }

  @Test func `An unknown core is skipped and named`() throws {
    let changed = lines(try journal()).map { $0.replacing("guard-app", with: "guard-ghost") }
    let outcome = try replay(changed)
    expect(outcome.unknownCores, is: ["guard-ghost"])
    #expect(outcome.difference == nil)
  }

  /// The state after a kill between the file's creation and the end of its first line.
  @Test(arguments: ["", "{\"seq\":1,"])
  func `A journal without a complete line has nothing to compare and passes`(text: String) throws {
    let outcome = try replay([text], ending: "")
    #expect(outcome.difference == nil)
    #expect(outcome.records == 0 && outcome.lastLineTorn == !text.isEmpty)
    expect(
      try scratch.start("baton", ["replay", scratch("changed.jsonl")]).end(), is: .exited(code: 0))
    #expect(scratch.text("said").contains("nothing to compare"))
  }

  @Test func `A file whose first line is not a record is refused as not a journal`() throws {
    expect(try replay([""]).missing?.line, is: 1)
    let outcome = try replay(["# A page", "", "for people"])
    #expect(outcome.difference == nil && outcome.missing?.line == 1 && !outcome.isWhole)
    expect(
      try scratch.start("baton", ["replay", scratch("changed.jsonl")]).end(), is: .exited(code: 74))
    expect(
      scratch.text("said"),
      is: "changed.jsonl: line 1: not a journal: its first line is not a record; name files of journal/\n")
  }
}

extension JournalReplay.Outcome {
  fileprivate var difference: Self? { differs ? self : nil }
  fileprivate var missing: Self? { evidenceMissing == true ? self : nil }
}
