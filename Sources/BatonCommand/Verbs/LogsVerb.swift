import CoreShape
import DaemonRuntime

/// The journals of one phone, merged.
enum LogsVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "logs", summary: "tell what happened, from the journals of all processes in one order",
      options: [
        OptionDeclaration("-f", "--follow", help: "go on as it happens, until ^C"),
        OptionDeclaration(
          "--process", value: .text("NAME"), mayRepeat: true,
          help: "only this one: mainappd, notifyextd, iosd or lspd"),
        OptionDeclaration("-v", "--verbose", help: "show every record, also those of no interest to people"),
      ],
      examples: [
        ("baton logs", "the story so far"),
        ("baton logs -f --process notifyextd", "watch the extension"),
        ("baton logs --json", "the records as they are, merged"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let follows = line.isGiven("-f")
    let phone = invocation.phone
    if !FilePath.isDirectory(phone.journal) {
      guard follows, FilePath.isDirectory(phone.home) else {
        throw CommandFailure(
          .inputOutputError,
          "there are no journals in \(phone.journal); start the phone with `baton up`, or name it with --home"
        )
      }
    }
    let merger = JournalMerger(directory: phone.journal)
    var printer = LogPrinter(
      output: invocation.output, processes: line.all("--process"), isVerbose: line.isGiven("-v"))
    guard follows else {
      printer.print(merger.readNew())
      for file in merger.tornFiles where !invocation.output.isJSON {
        invocation.output.say(
          invocation.output.paint(
            "(the last line of \(file) is torn: its process was killed while writing it)", .dim))
      }
      return .done
    }
    let watch = try DirectoryWatch([phone.home, phone.journal])
    while true {
      guard printer.print(merger.readNew()) else { return .done }
      try watch.wait(until: Clock.monotonicNow + .seconds(3600))
      if !watch.isWatching(phone.journal) { watch.add(phone.journal) }
    }
  }
}

/// Writes records as lines for people, with the time since the first record of the phone.
struct LogPrinter {
  let output: Output
  let processes: [String]
  let isVerbose: Bool
  private var narrator = JournalNarrator()
  private var start: Instant?

  init(output: Output, processes: [String], isVerbose: Bool) {
    self.output = output
    self.processes = processes
    self.isVerbose = isVerbose
  }

  /// False when nobody reads any more.
  @discardableResult
  mutating func print(_ entries: [JournalMerger.Entry]) -> Bool {
    if start == nil { start = entries.first?.line.at }
    var text = ""
    for entry in entries {
      // Told to the narrator even when it is not shown: it remembers what later sentences need.
      let sentences = narrator.sentences(for: entry)
      guard processes.isEmpty || processes.contains(entry.process) else { continue }
      if output.isJSON {
        text += entry.line.text + "\n"
        continue
      }
      for sentence in sentences where isVerbose || sentence.matters { text += line(entry, sentence) + "\n" }
    }
    return text.isEmpty || writeAll(standardOutput, Array(text.utf8))
  }

  private func line(_ entry: JournalMerger.Entry, _ sentence: JournalNarrator.Sentence) -> String {
    let seconds = HumanText.seconds(entry.line.at - (start ?? entry.line.at)) + "s"
    let time = String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
    let name = entry.process + String(repeating: " ", count: max(0, 10 - entry.process.count))
    let words = sentence.matters ? sentence.text : output.paint(sentence.text, .dim)
    return "\(output.paint(time, .dim))  \(output.paint(name, Self.colour(of: entry.process)))  \(words)"
  }

  static func colour(of process: String) -> Output.Colour {
    switch process {
    case "mainappd": .green
    case "notifyextd": .magenta
    case "iosd": .blue
    case "lspd": .yellow
    default: .cyan
    }
  }
}
