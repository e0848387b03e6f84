import PhoneClient
import Terminal
import Ground
import DaemonRuntime

/// Prints records as sentences, with the time since the phone's first record.
package struct LogPrinter {
  package let output: Output
  package let processes: [String]
  let isVerbose: Bool
  package let filter: LogFilter
  private var narrator = JournalNarrator()
  private var start: Instant?
  /// How many of the lines that exist at the start are shown; later lines are all shown.
  private var lastLines: Int?
  private var held: [String] = []

  init(output: Output, processes: [String], isVerbose: Bool, filter: LogFilter = LogFilter()) {
    self.output = output
    self.processes = processes
    self.isVerbose = isVerbose
    self.filter = filter
    lastLines = filter.lastLines
  }

  /// False if the reader of standard output is gone. With `lastLines` the lines that exist at the start, which may come in
  /// several pieces, are printed with the last piece.
  @discardableResult
  package mutating func print(_ entries: [JournalMerger.Entry], isLastPiece: Bool = true) -> Bool {
    if start == nil { start = entries.first?.line.at }
    var lines: [String] = []
    for entry in entries {
      // Also for records that are not shown: the narrator keeps claim reasons for later sentences.
      let sentences = narrator.sentences(for: entry)
      guard processes.isEmpty || processes.contains(entry.process), filter.takes(entry.line, start: start)
      else { continue }
      if output.isJSON {
        if filter.matches(entry.line.text) { lines.append(entry.line.text) }
        continue
      }
      for sentence in sentences
      where isShown(sentence) && filter.matches("\(entry.process) \(sentence.text)") {
        lines.append(output.shown(line(entry, sentence)))
      }
    }
    if let most = lastLines {
      held += lines
      held.removeFirst(max(0, held.count - most))
      guard isLastPiece else { return true }
      lines = held
      held = []
      lastLines = nil
    }
    return lines.isEmpty || StandardOutput.write(lines.joined(separator: "\n") + "\n")
  }

  /// Near one moment each message counts.
  private func isShown(_ sentence: JournalNarrator.Sentence) -> Bool {
    isVerbose || sentence.matters || (filter.around != nil && sentence.weight == .detail)
  }

  private func line(_ entry: JournalMerger.Entry, _ sentence: JournalNarrator.Sentence) -> String {
    let seconds = HumanText.seconds(entry.line.at - (start ?? entry.line.at)) + "s"
    let time =
      filter.showsWall
      ? WallClockText.write(entry.line.header.wall)
      : String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
    let words = sentence.matters ? sentence.text : output.paint(sentence.text, .dim)
    return "\(output.paint(time, .dim))  \(Self.column(of: entry.process, output))  \(words)"
  }

  /// The process's name, as wide as the longest of ours.
  package static func column(of process: String, _ output: Output) -> String {
    let name = process.onOneLine
    return output.paint(name + String(repeating: " ", count: max(0, 10 - name.count)), colour(of: process))
  }

  package static func colour(of process: String) -> Output.Colour {
    switch process {
    case "mainappd": .green
    case "notifyextd", "notifyonlyd": .magenta
    case "iosd": .blue
    case "lspd": .yellow
    default: .cyan
    }
  }
}
