@testable import Baton

@Suite("Merging journals", .waits) struct LogsTests {
  private let scratch = TemporaryDirectory()

  private func record(_ sequence: Int, at time: Int64, _ rest: String) -> String {
    "{\"seq\":\(sequence),\"t\":\(time),\"wall\":0,\(rest)}\n"
  }

  private func start(_ process: String, _ pid: Int) -> String {
    "\"kind\":\"start\",\"process\":\"\(process)\",\"pid\":\(pid),\"start_time\":5"
  }

  private func note(_ text: String) -> String { "\"kind\":\"note\",\"text\":\"\(text)\"" }

  private func texts(_ entries: [JournalMerger.Entry]) -> [String] {
    entries.map { "\($0.process) \($0.line.header.text ?? $0.line.header.kind)" }
  }

  @Test func `Records of two journals are merged in the order of their instants`() {
    scratch.write("a-iosd-1.jsonl", record(1, at: 10, start("iosd", 1)) + record(2, at: 40, note("late")))
    scratch.write("b-lspd-2.jsonl", record(1, at: 20, start("lspd", 2)) + record(2, at: 30, note("middle")))
    let merger = JournalMerger(directory: scratch.path)
    expect(texts(merger.readNew()), is: ["iosd start", "lspd start", "lspd middle", "iosd late"])
    #expect(merger.readNew().isEmpty)
  }

  @Test func `Records of one journal keep their order whatever their instants`() {
    scratch.write(
      "a-iosd-1.jsonl",
      record(1, at: 50, start("iosd", 1)) + record(2, at: 20, note("written second"))
        + record(3, at: 60, note("third")))
    expect(
      texts(JournalMerger(directory: scratch.path).readNew()),
      is: [
        "iosd start", "iosd written second", "iosd third",
      ])
  }

  @Test func `New records and new journals are read on the next call`() {
    scratch.write("a-iosd-1.jsonl", record(1, at: 10, start("iosd", 1)))
    let merger = JournalMerger(directory: scratch.path)
    expect(merger.readNew().count, is: 1)
    scratch.append("a-iosd-1.jsonl", record(2, at: 30, note("more")))
    scratch.write("c-mainappd-3.jsonl", record(1, at: 20, start("mainappd", 3)))
    expect(texts(merger.readNew()), is: ["mainappd start", "iosd more"])
  }

  @Test func `A journal line is returned only when it is complete`() {
    let whole = record(1, at: 10, start("iosd", 1))
    scratch.write("a-iosd-1.jsonl", String(whole.prefix(30)))
    let merger = JournalMerger(directory: scratch.path)
    #expect(merger.readNew().isEmpty)
    expect(merger.tornFiles, is: ["a-iosd-1.jsonl"])
    scratch.append("a-iosd-1.jsonl", String(whole.dropFirst(30)))
    expect(texts(merger.readNew()), is: ["iosd start"])
    #expect(merger.tornFiles.isEmpty)
  }

  @Test func `Lines that are no records and files that are no journals are skipped`() {
    scratch.write("a-iosd-1.jsonl", "garbage\n{}\n\u{0}\n" + record(1, at: 10, start("iosd", 1)))
    scratch.write("notes.txt", record(1, at: 5, start("nobody", 9)))
    expect(texts(JournalMerger(directory: scratch.path).readNew()), is: ["iosd start"])
  }

  @Test func `The newest records are the last of all, and those far before them are not read`() {
    let names = ["iosd", "lspd", "mainappd"]
    for (place, name) in names.enumerated() {
      let notes = (2...2000).map { record($0, at: Int64($0 * 3 + place), note("\(name) \($0)")) }
      scratch.write("\(name)-\(name)-\(place).jsonl", record(1, at: 1, start(name, place)) + notes.joined())
    }
    let all = texts(JournalMerger(directory: scratch.path).readNew())
    var newest: [String] = []
    var count = 0
    let merger = JournalMerger.newest(in: scratch.path) { merger, entries in
      (newest, count) = (texts(entries.filter(merger.isWhole)), entries.count)
      return newest.count >= 50
    }
    #expect(newest.count >= 50 && newest == all.suffix(newest.count) && count < all.count / 2)
    expect(merger.start, is: Instant(nanoseconds: 1))
    scratch.append("iosd-iosd-0.jsonl", record(2001, at: 9000, note("more")))
    expect(texts(merger.readNew()), is: ["iosd more"])
    _ = JournalMerger.newest(in: scratch.path) { merger, entries in
      newest = texts(entries.filter(merger.isWhole))
      return false
    }
    expect(newest, is: all + ["iosd more"])
  }

  @Test func `A journal of another form is refused in one sentence that names both forms`() throws {
    let core = #""kind":"core","core":"phone","form":\#(JournalForm.current - 1),"configuration":{}"#
    scratch.write("a-iosd-1.jsonl", record(1, at: 1, start("iosd", 1)) + record(2, at: 2, core))
    scratch.write("b-lspd-2.jsonl", record(1, at: 3, start("lspd", 2)) + record(2, at: 4, note("read")))
    let words =
      "\(scratch("a-iosd-1.jsonl")) is a journal of form \(JournalForm.current - 1), and this program reads form "
      + "\(JournalForm.current); read it with the version of Baton that wrote it"
    for tail in [nil, 1] as [Int?] {
      let merger = JournalMerger(directory: scratch.path, tail: tail)
      expect(texts(merger.readNew()).last, is: "lspd read")
      expect(merger.problems, is: [words])
    }
    let failure = #expect(throws: CommandFailure.self) { try JournalReplay.run(scratch("a-iosd-1.jsonl")) }
    #expect(failure?.sentence == words && failure?.code == .inputOutputError)
  }

  @Test func `The log sentence of a claim names the epoch and the reason`() throws {
    let claim =
      "\"event\":{\"claimed\":{\"_0\":{\"epoch\":4,\"incarnation\":1,\"container\":{\"high\":1,\"low\":2}}}}"
    let look =
      "\"event\":{\"launched\":{}},\"directives\":[{\"claim\":{\"seen\":3,\"reason\":\"holder-died\"}}]"
    let core = "\"kind\":\"event\",\"core\":\"guard-app\","
    scratch.write(
      "a-mainappd-1.jsonl",
      record(1, at: 1, start("mainappd", 1)) + record(2, at: 2, core + look)
        + record(3, at: 3, core + claim + ",\"directives\":[]"))
    var narrator = JournalNarrator()
    let sentences = JournalMerger(directory: scratch.path).readNew().flatMap { narrator.sentences(for: $0) }
    expect(sentences.last, is: .key("claimed epoch 4 (the holder died without a release)"))
  }

  @Test func `A record of an unknown core is shown raw, and only with --verbose`() {
    scratch.write(
      "a-x-1.jsonl",
      record(1, at: 1, "\"kind\":\"event\",\"core\":\"ghost\",\"event\":{\"a\":{}},\"directives\":[]"))
    var narrator = JournalNarrator()
    let sentences = JournalMerger(directory: scratch.path).readNew().flatMap { narrator.sentences(for: $0) }
    expect(sentences.map(\.matters), is: [false])
    expect(sentences.first?.text.hasPrefix("\"core\":\"ghost\""), is: true)
  }

  @Test func `Control characters of a damaged record are shown as dots`() {
    scratch.write(
      "a-x-1.jsonl",
      record(1, at: 1, "\"kind\":\"\\u001b[2J\",\"core\":\"\u{9b}\"")
        + record(2, at: 2, "\"kind\":\"note\",\"text\":\"a\\nb\""))
    var narrator = JournalNarrator()
    let sentences = JournalMerger(directory: scratch.path).readNew().flatMap { narrator.sentences(for: $0) }
    #expect(sentences.count == 2 && sentences.last?.text == "a.b")
    #expect(sentences.allSatisfy { $0.text == $0.text.onOneLine })
  }

  @Test func `Without a journal directory there are no entries`() {
    #expect(JournalMerger(directory: scratch("missing")).readNew().isEmpty)
  }
}
