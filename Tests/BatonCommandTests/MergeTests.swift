import Crypto
import PhonePolicy

@testable import Baton

@Suite("baton sim --merge", .waits) struct MergeTests {
  private func result(_ seed: UInt64, options: String = "", _ verdict: SeedResult.Verdict = .sound)
    -> SeedResult
  {
    SeedResult(
      seed: seed, options: options, verdict: verdict,
      sentence: verdict == .sound ? nil : "Two processes drive the \"node\".", simulatedMs: 0,
      events: seed &* 7, payments: 0, paid: 0, faults: 0, storySHA256: "00ff")
  }

  private func file(_ seeds: ClosedRange<UInt64>) -> String { seeds.map { result($0).line + "\n" }.joined() }

  private func merged(_ files: String...) throws -> ResultMerge {
    var merge = ResultMerge()
    for (number, text) in files.enumerated() { try merge.add(Array(text.utf8), named: "part-\(number)") }
    return merge
  }

  private func failure(_ files: String...) -> CommandFailure? {
    var merge = ResultMerge()
    do throws(CommandFailure) {
      for (number, text) in files.enumerated() { try merge.add(Array(text.utf8), named: "part-\(number)") }
      return nil
    } catch { return error }
  }

  private let all = SeedRange(1, 9)

  @Test func `A result line round-trips; a truncated, lengthened or contradictory line is rejected`() {
    for one in [result(1), result(.max - 1, options: "--peer legacy", .broken), result(0, .noProgress)] {
      expect(SeedResult(line: Array(one.line.utf8)), is: one)
      let line = Array(one.line.utf8)
      for length in line.indices { #expect(SeedResult(line: Array(line[..<length])) == nil) }
      #expect(SeedResult(line: line + [UInt8(ascii: " ")]) == nil)
    }
    let claim = result(3).line.replacing(#""sound""#, with: #""broken""#)
    #expect(SeedResult(line: Array(claim.utf8)) == nil, "broken without a sentence")
  }

  @Test func `sim and its merge print the same simulated hours`() throws {
    expect(HumanText.hours(milliseconds: 12_239_999), is: "3.40 h")
    expect(HumanText.hours(milliseconds: 600_000), is: "0.17 h", "ten minutes")
    expect(HumanText.hours(milliseconds: 0), is: "0.00 h")
    expect(HumanText.hours(milliseconds: 35_999_999), is: "10.0 h")
    expect(HumanText.hours(milliseconds: .max), is: "5,124,095,576,030.4 h")
    expect(HumanText.hours(milliseconds: 4_444_200_000), is: "1,234.5 h")
    let scratch = TemporaryDirectory()
    func simulated(_ words: String...) throws -> Substring? {
      expect(try scratch.start("baton", words).end(), is: .exited(code: 0))
      return scratch.text("said").firstMatch(of: /simulated +(?<hours>[0-9.]+ h)/)?.hours
    }
    let hours = try simulated("sim", "--seeds", "1..3", "--results", scratch("results"))
    expect(hours, is: "0.50 h")
    expect(try simulated("sim", "--merge", scratch("results")), is: hours)
  }

  @Test func `Repeated, overlapping and reordered files give the same result`() throws {
    let once = try merged(file(1...9))
    let shuffled = try merged(file(7...9), file(1...4), file(3...8), file(1...4))
    expect(shuffled.results(of: nil), is: once.results(of: nil))
    expect(shuffled.results(of: nil).map(\.seed), is: Array(1...9))
    #expect(once.repeated == 0 && shuffled.repeated == 8)
    expect(shuffled.missing(of: all), is: [])
    expect(MergeReport(shuffled, of: all).exitCode, is: .done)
  }

  @Test func `Merging merged results again changes nothing`() throws {
    let first = try merged(file(4...6), file(1...5))
    let text = first.results(of: nil).map { $0.line + "\n" }.joined()
    expect(try merged(text, text, file(4...6)).results(of: nil), is: first.results(of: nil))
  }

  @Test func `A torn last line is ignored and reported, and its seed counts as missing`() throws {
    let whole = file(1...3)
    for cut in 1..<result(3).line.utf8.count as Range<Int> {
      let merge = try merged(String(whole.dropLast(cut + 1)))
      expect(merge.torn, is: ["part-0"])
      expect(merge.missing(of: SeedRange(1, 3)), is: [SeedRange(3, 3)])
    }
    // Without only its newline it is a complete line.
    expect(try merged(String(whole.dropLast())).missing(of: SeedRange(1, 3)), is: [])
    expect(try merged("").torn, is: [])
  }

  @Test func `A damaged line before the last is an error with file and line`() {
    let text = file(1...1) + "{\"seed\":2,\n" + file(3...3)
    expect(failure(text)?.sentence.contains("part-0 line 2"), is: true)
    expect(failure(text)?.code, is: .inputOutputError)
    expect(failure("\n" + file(1...1))?.sentence.contains("part-0 line 1"), is: true)
  }

  @Test func `Two different results for one seed are an error`() {
    var other = result(2)
    other.storySHA256 = "00fe"
    let failure = failure(file(1...3), other.line + "\n")
    expect(failure?.code, is: .bugOfOurs)
    expect(
      failure?.sentence.contains("seed 2 has different results in part-0 line 2 and part-1 line 1"), is: true)
  }

  @Test func `Results of runs with different options are refused`() {
    let failure = failure(file(1...3), result(4, options: "--peer legacy").line + "\n")
    expect(failure?.code, is: .wrongUsage)
    expect(failure?.sentence.contains("no options"), is: true)
    expect(failure?.sentence.contains("--peer legacy"), is: true)
  }

  @Test func `Missing seeds are listed as ranges, on demand with a bound on each range's length`() throws {
    let merge = try merged(file(3...3), file(8...8))
    expect(merge.missing(of: all), is: [SeedRange(1, 2), SeedRange(4, 7), SeedRange(9, 9)])
    expect(merge.missing(of: all, atMost: 3).map(\.words), is: ["1..2", "4..6", "7", "9"])
    expect(merge.missing(of: SeedRange(20, 21)), is: [SeedRange(20, 21)])
    let last = SeedRange(.max - 3, .max - 1)
    expect(merge.missing(of: last, atMost: 2).map(\.first), is: [.max - 3, .max - 1])
    expect(MergeReport(merge, of: all).exitCode, is: .inputOutputError)
    #expect(
      MergeReport(merge, of: all).document.json.contains(#""missing":7,"missing_ranges":["1..2","4..7","9"]"#)
    )
  }

  @Test
  func `In the exit code of a merge a broken invariant outranks no progress, and both outrank missing seeds`()
    throws
  {
    let stuck = result(1, .noProgress).line + "\n"
    let broken = result(2, .broken).line + "\n"
    expect(MergeReport(try merged(stuck), of: all).exitCode, is: .noProgress)
    expect(MergeReport(try merged(stuck, broken), of: all).exitCode, is: .exclusionOrMoneyBroken)
    expect(MergeReport(try merged(stuck, broken), of: SeedRange(1, 1)).exitCode, is: .noProgress)
  }

  @Test func `The page has each violation with its command, which seeds are missing, and text as text`()
    throws
  {
    var odd = result(2, options: "--peer legacy", .broken)
    odd.sentence = "<script>alert(1)</script>"
    let html = MergeReport(try merged(odd.line + "\n"), of: SeedRange(1, 3)).page
    #expect(html.contains("<h1>1 seed broke an invariant</h1>"))
    #expect(html.contains("missing: 2 seeds: 1, 3"))
    #expect(html.contains("<td>baton replay --seed 2 --peer legacy</td>"))
    #expect(!html.contains("<script") && html.contains("&lt;script&gt;"))
    #expect(html.contains("default-src 'none'"))
  }
}
