import GeneratedPages

/// Commands and what they print, in Tests/Transcripts: a file has sections, and a section commands with their output.
/// `$ ` begins a command in bash and `> ` continues it. Its output follows, then its exit code in brackets unless that is
/// 0. The functions of functions.sh are there. In the output `…` stands for any text of a line, or alone on a line for any
/// lines, `<n>` for a number, `<hex>` for hexadecimal digits, HERE for the section's directory, PROGRAMS for that of the
/// programs and PROJECT for that of the project. BATON_WRITE_PAGES=1 writes what the commands print.
struct Transcript: CustomTestStringConvertible {
  private struct Step {
    /// As they stand in the file.
    var command: [String]
    var output: [String] = []
  }

  let file: String
  /// The section's first line: a sentence, and in brackets what it needs.
  let title: String
  private let lines: [String]

  static let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Transcripts").path
  private static let project = URL(filePath: folder).deletingLastPathComponent().deletingLastPathComponent()
    .path

  static let all: [Transcript] = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".txt") }.sorted().flatMap { file in
      let text = (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? ""
      return "\n\(text)".components(separatedBy: "\n== ").dropFirst().map { section in
        let lines = section.components(separatedBy: "\n")
        return Transcript(file: file, title: lines[0], lines: Array(lines.dropFirst()))
      }
    }

  var testDescription: String { "\(file): \(title)" }

  /// Why it cannot be played here.
  var isOmitted: Bool {
    title.hasSuffix("[root]") && geteuid() != 0
      || title.hasSuffix("[python]") && access("/usr/bin/python3", X_OK) != 0
      || title.hasSuffix("[mount]") && !HomeTests.canMount
      || title.hasSuffix("[unsanitized]") && CommandPhone.isSanitized
  }

  /// A test with a name of its own plays it.
  var isNamed: Bool { title.hasSuffix("[named]") }

  /// Plays the section whose title begins so.
  static func play(_ title: String) throws {
    try #require(all.first { $0.title.hasPrefix(title) }).play()
  }

  private var steps: [Step] {
    var steps: [Step] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: [line]))
      } else if line.hasPrefix("> "), steps.last?.output.isEmpty == true {
        steps[steps.count - 1].command.append(line)
      } else if !steps.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
    }
    for place in steps.indices {
      while steps[place].output.last?.isEmpty == true { steps[place].output.removeLast() }
    }
    return steps
  }

  private static func matches(_ output: [String], _ said: [String]) -> Bool {
    let pattern = output.map { line in
      line == "…"
        ? #"(?:[^\n]*\n)*"#
        : NSRegularExpression.escapedPattern(for: line).replacing("…", with: #"[^\n]*"#)
          .replacing("<n>", with: "[0-9][0-9.,]*").replacing("<hex>", with: "[0-9a-f]+") + #"\n"#
    }
    let text = said.map { $0 + "\n" }.joined()
    guard !text.isEmpty else { return output.isEmpty }
    return text.range(of: "\\A\(pattern.joined())\\z", options: .regularExpression) != nil
  }

  /// Plays the section in a directory of its own.
  func play() throws {
    let scratch = TemporaryDirectory()
    for place in ["work", "work/tmp", "out"] { mkdir(scratch(place), 0o700) }
    let steps = steps
    var script = ". '\(Self.folder)/functions.sh'\n"
    for (number, step) in steps.enumerated() {
      let command = step.command.map { $0.dropFirst(2) }.joined(separator: "\n")
      script +=
        "exec >'\(scratch("out/\(number)"))' 2>&1\n\(command)\necho $? >'\(scratch("out/\(number).code"))'\n"
    }
    script += "finish >/dev/null 2>&1\n"
    let child = try scratch.start(
      "/usr/bin/env",
      [
        "-u", "NO_COLOR", "-C", scratch("work"), "BATON_HOME=phone", "TMPDIR=\(scratch("work/tmp"))",
        "PATH=\(Started.directory):/usr/bin:/bin", "PROGRAMS=\(Started.directory)",
        "PROJECT=\(Self.project)",
        "bash", scratch.write("script", script),
      ])
    _ = child.end()
    for home in (try? FileManager.default.contentsOfDirectory(atPath: scratch("work"))) ?? [] {
      Journals.replay(of: scratch("work/\(home)"))
    }
    var written = ["== \(title)"]
    for (number, step) in steps.enumerated() {
      let said = Self.said(scratch, number)
      let isSame = Self.matches(step.output, said)
      written += step.command + (isSame ? step.output : Self.written(said, over: step.output))
      if !isSame && !Self.isWriting {
        Issue.record(
          "\(file), \(step.command.joined(separator: "\n"))\nexpected:\n\(step.output.joined(separator: "\n"))\nprinted:\n\(said.joined(separator: "\n"))"
        )
      }
    }
    if Self.isWriting { try write(written) }
  }

  /// The lines that the command printed, and its exit code.
  private static func said(_ scratch: TemporaryDirectory, _ number: Int) -> [String] {
    let data = FileManager.default.contents(atPath: scratch("out/\(number)")) ?? Data()
    var said = String(decoding: data, as: UTF8.self).replacing(scratch("work"), with: "HERE")
      .replacing(Started.directory, with: "PROGRAMS")
      // Not within a longer path: the project may lie in a short one.
      .replacingOccurrences(
        of: #"(?<![\w./-])"# + NSRegularExpression.escapedPattern(for: project) + #"(?![\w-])"#,
        with: "PROJECT", options: .regularExpression
      ).components(separatedBy: "\n")
    while said.last?.isEmpty == true { said.removeLast() }
    let code = scratch.text("out/\(number).code").trimmingCharacters(in: .whitespacesAndNewlines)
    return said + (code == "0" ? [] : ["[\(code.isEmpty ? "not run" : code)]"])
  }

  // MARK: Writing

  private static let isWriting = ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil
  private static let lock = NSLock()

  /// Keeps the lines with placeholders that still match.
  private static func written(_ said: [String], over old: [String]) -> [String] {
    said.map { line in old.first { $0 != "…" && matches([$0], [line]) } ?? line }
  }

  private func write(_ section: [String]) throws {
    try Self.lock.withLock {
      let page = GeneratedPage("Tests/Transcripts/\(file)")
      let old = (["== \(title)"] + lines).joined(separator: "\n")
      let blank = lines.reversed().prefix(while: \.isEmpty)
      try page.expect(try page.read().replacing(old, with: (section + blank).joined(separator: "\n")))
    }
  }
}

@Suite("Transcripts of the command line", .waits) struct TranscriptTests {
  @Test(arguments: Transcript.all.filter { !$0.isNamed && !$0.isOmitted })
  func `Each command prints what its transcript has, and ends with its exit code`(transcript: Transcript)
    throws
  {
    try transcript.play()
  }

  @Test(.shows("B-1.7.1.n2a", "B-1.7.7.3", "B-1.7.7.4"))
  func `An amount above what the sender has; the button begins anew`()
    throws
  {
    try Transcript.play("An amount above what the sender has")
  }
}
