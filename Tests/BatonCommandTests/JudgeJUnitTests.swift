import FoundationXML

@testable import Baton
@testable import Judge

@Suite("The judge's verdict as JUnit XML", .waits) struct JudgeJUnitTests {
  private let scratch = TemporaryDirectory()

  private func written(_ verdict: Verdict) throws -> XMLDocumentWords {
    let path = scratch("verdict.xml")
    try JUnitFile.write(verdict, to: path)
    let words = XMLDocumentWords()
    let parser = XMLParser(data: try Data(contentsOf: URL(fileURLWithPath: path)))
    parser.delegate = words
    #expect(parser.parse())
    return words
  }

  @Test
  func `The JUnit file has a case per invariant and one for the evidence; what is broken or missing fails`()
    throws
  {
    let sound = try written(Verdict(counts: Verdict.Counts(), judged: [.container]))
    expect(sound.cases, is: ["evidence"] + Invariant.allCases.map(\.title))
    #expect(sound.failed.isEmpty)
    let findings = [FindingKind.claimDiffers, .writeUnknown, .writeUnknown].map {
      Finding($0, ["a < b & \"c\"", ""])
    }
    let missing = Absence(part: .phone, sentence: "there is no os/")
    let broken = try written(
      Verdict(counts: Verdict.Counts(), findings: findings, judged: [.container], missing: [missing]))
    expect(broken.failed, is: ["evidence", Invariant.exclusion.title, Invariant.nothingIsGone.title])
    expect(broken.messages.last, is: #"Node write a < b & "c" has an unknown text in `what`: """#)
    #expect(
      broken.suite["failures"] == "2" && broken.suite["errors"] == "1"
        && broken.suite["tests"] == "\(Invariant.allCases.count + 1)")
  }

  @Test func `Without a verdict the judge replaces an earlier run's JUnit file by one with an error`() throws
  {
    let path = scratch("verdict.xml")
    try "of an earlier run".write(toFile: path, atomically: false, encoding: .utf8)
    let child = try scratch.start("baton", ["judge", scratch("none"), "--junit", path])
    expect(child.end(), is: .exited(code: ExitCode.inputOutputError.rawValue))
    let words = XMLDocumentWords()
    let parser = XMLParser(data: try Data(contentsOf: URL(fileURLWithPath: path)))
    parser.delegate = words
    #expect(parser.parse())
    #expect(words.suite["errors"] == "1" && words.failed.count == 1)
    let sentence = try #require(words.messages.first)
    #expect(scratch.text("said").contains(sentence), "\(sentence)")
  }

  @Test func `A JUnit file that cannot be written is refused`() {
    let failure = #expect(throws: CommandFailure.self) {
      try JUnitFile.write(Verdict(counts: Verdict.Counts(), judged: []), to: scratch("no/such/file.xml"))
    }
    expect(failure?.code, is: .cannotCreate)
  }
}

/// What a reader of JUnit XML takes from the file.
private final class XMLDocumentWords: NSObject, XMLParserDelegate {
  var suite: [String: String] = [:]
  var cases: [String] = []
  var failed: [String] = []
  var messages: [String] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    switch name {
    case "testsuite": suite = attributes
    case "testcase": cases.append(attributes["name"] ?? "")
    case "failure", "error":
      failed.append(cases.last ?? "")
      messages.append(attributes["message"] ?? "")
    default: break
    }
  }
}
