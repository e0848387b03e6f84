@testable import Baton

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Outcomes as JUnit XML", .waits) struct JUnitTests {
  private let scratch = TemporaryDirectory()

  /// What a test runner reads from the file.
  private final class Reader: NSObject, XMLParserDelegate {
    var suite: [String: String] = [:]
    var cases: [String] = []
    var bad: [String] = []
    var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      switch name {
      case "testsuite": suite = attributes
      case "testcase": cases.append(attributes["name"] ?? "")
      default: bad.append("\(name): \(attributes["message"] ?? "")")
      }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  private func read(_ name: String) throws -> Reader {
    let reader = Reader()
    let parser = XMLParser(data: Data(scratch.text(name).utf8))
    parser.delegate = reader
    let isGood = parser.parse()
    try #require(isGood, "\(scratch.text(name))")
    return reader
  }

  @Test
  func `In JUnit XML control characters become dots, and the testsuite element has the count of 5,000 cases`()
    throws
  {
    let writer = try JUnitWriter(scratch("out.xml"), suite: "x")
    for _ in 0..<5000 {
      writer.add(JUnitFile.Case(name: "a\u{1b}[2J<&>\"", outcome: .failed("<\"\u{0}", details: "]]>&\n")))
    }
    try writer.close()
    let read = try read("out.xml")
    #expect(read.cases.count == 5000 && read.cases[0] == "a.[2J<&>\"" && read.suite["failures"] == "5000")
  }

  @Test
  func
    `An unwritable --junit file is an error before the run, and the old file stays until the new is complete`()
    throws
  {
    for (path, code) in [("/dev/full", ExitCode.cannotCreate), (scratch("no/where"), .cannotCreate)] {
      let child = try scratch.start("baton", ["sim", "--seeds", "1", "--length", "1s", "--junit", path])
      expect(child.end(), is: .exited(code: code.rawValue))
      #expect(scratch.text("said").hasSuffix("name another file with --junit\n"))
    }
    scratch.write("out.xml", "old")
    do { _ = try JUnitWriter(scratch("out.xml"), suite: "x") }
    #expect(scratch.text("out.xml") == "old" && scratch.entries == ["out.xml", "said"])
  }
}
