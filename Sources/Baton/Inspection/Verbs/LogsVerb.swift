import Ground
import DaemonRuntime

/// Prints the journals of one phone, merged.
package enum LogsVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "logs", summary: "print the journals of all processes, merged by time, as sentences",
    options: [
      OptionDeclaration("-f", "--follow", help: "keep printing new records, until ^C"),
      OptionDeclaration(
        "--process", value: .text("NAME"), mayRepeat: true,
        help: "only this process: mainappd, notifyextd, notifyonlyd, iosd or lspd"),
      OptionDeclaration(
        "--since", value: .text("TIME"),
        help:
          "only records since then: a time ago (5m), or a time of the phone's clock (14:05:10, 2026-11-22T14:05:10)"
      ),
      OptionDeclaration(
        "--around", value: .text("TIME"),
        help:
          "only from 50 ms before to 50 ms after a time as these lines have it (1.805s), with each message and write: what led to a finding of the judge"
      ),
      OptionDeclaration(
        "-n", value: .integer(0...1_000_000), help: "only the last N lines; with -f also all new ones"),
      OptionDeclaration(
        "--grep", value: .text("RE"),
        help: "only lines whose process and sentence match this regular expression"),
      OptionDeclaration("--wall", help: "print the phone's wall clock in front of each line, in UTC"),
      OptionDeclaration(
        "-v", "--verbose", help: "print every record, also those that only a developer needs"),
    ],
    examples: [
      ("baton logs", "all records so far"), ("baton logs -f --process notifyextd", "watch the extension"),
      ("baton logs --since 5m --grep claimed", "each claim of the node in the last five minutes"),
      ("baton logs --around 1.805s", "all that happened near this moment of the run"),
      ("baton logs -f -n 20 --wall", "the last twenty lines, then new ones"),
      ("baton logs --json", "the records as they are, merged"),
    ])

  /// How many records are in memory at once.
  private static let batch = 1000

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let follows = line.isGiven("-f")
    let phone = try invocation.phone
    if !FilePath.isDirectory(phone.journal) {
      try require(
        follows && FilePath.isDirectory(phone.home), .inputOutputError,
        "there are no journals in \(phone.journal); start the phone with `baton up`, or name it with --home")
    }
    try check(line.all("--process"), phone)
    var printer = LogPrinter(
      output: invocation.output, processes: line.all("--process"), isVerbose: line.isGiven("-v"),
      filter: try LogFilter(line))
    let merger = printExisting(phone, &printer)
    guard follows else {
      if let around = printer.filter.around, !printer.hasFoundMoment, merger.problems.isEmpty {
        throw noRecord(at: around, merger)
      }
      for problem in merger.problems { writeAll(standardError, Array("baton: \(problem)\n".utf8)) }
      for file in merger.tornFiles where !invocation.output.isJSON {
        invocation.output.say(
          invocation.output.paint(
            "(the last line of \(file) is truncated: its process was killed while writing it)", .dim))
      }
      return merger.problems.isEmpty ? .done : .inputOutputError
    }
    let watch = try DirectoryWatch([phone.home, phone.journal])
    while true {
      guard printer.print(merger.readNew(), from: merger) else { return .done }
      // `wait` also returns false when the reader of standard output is gone.
      guard try watch.wait(until: Clock.monotonicNow + .seconds(3600), reader: standardOutput) else {
        return .done
      }
      if !watch.isWatching(phone.journal) { watch.add(phone.journal) }
    }
  }

  private static func printExisting(_ phone: Phone, _ printer: inout LogPrinter) -> JournalMerger {
    if let last = printer.filter.lastLines {
      let merger = JournalMerger.newest(in: phone.journal) { printer.hold(last: last, of: $1, from: $0) }
      printer.print([], from: merger)
      return merger
    }
    let merger = JournalMerger(directory: phone.journal)
    // In pieces, to limit the memory.
    while true {
      let entries = merger.readNew(atMost: batch)
      guard !entries.isEmpty, printer.print(entries, from: merger) else { return merger }
    }
  }

  private static func noRecord(at time: TimeSpan, _ merger: JournalMerger) -> CommandFailure {
    let nearness = LogFilter.nearness.wholeMilliseconds
    guard let start = merger.start, let end = merger.end else {
      return CommandFailure(.inputOutputError, "the journals have no records; wait until the phone is up")
    }
    return CommandFailure(
      .wrongUsage,
      "no record is within \(nearness) ms of \(HumanText.seconds(time))s; the last one is at \(HumanText.seconds(end - start))s"
    )
  }

  /// Accepts our four processes, which may start later, and all that have a journal here.
  package static func check(_ names: [String], _ phone: Phone) throws(CommandFailure) {
    let files = FilePath.journals(in: phone.journal)
    let known = ours + Set(files.map { JournalMerger.nameParts($0).process }).subtracting(ours).sorted()
    guard let name = names.first(where: { !known.contains($0) }) else { return }
    throw CommandFailure(
      .wrongUsage,
      "no process of this phone is called \(UsageError.quoted(name)); write one of \(known.joined(separator: ", ").onOneLine)"
    )
  }

  private static let ours = ["mainappd", "notifyextd", "notifyonlyd", "iosd", "lspd"]
}
