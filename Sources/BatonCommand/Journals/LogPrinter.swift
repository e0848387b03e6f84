import CoreShape
import DaemonRuntime

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
      for sentence in sentences where isVerbose || sentence.matters {
        text += output.shown(line(entry, sentence)) + "\n"
      }
    }
    return text.isEmpty || writeAll(standardOutput, Array(text.utf8))
  }

  private func line(_ entry: JournalMerger.Entry, _ sentence: JournalNarrator.Sentence) -> String {
    let seconds = HumanText.seconds(entry.line.at - (start ?? entry.line.at)) + "s"
    let time = String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
    let process = entry.process.onOneLine
    let name = process + String(repeating: " ", count: max(0, 10 - process.count))
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
