import Foundation
import Guardrails
import Lightning

/// Records of journals that an earlier program has written, in the form in which this one writes them: it is run again and
/// compared byte for byte, so the form must be one.
enum OlderRecords {
  /// The peer's claims and answers named the two halves of a container's id one by one.
  static func rewritten(_ line: [UInt8]) -> [UInt8] {
    guard contains(line, "\"containerHigh\":") else { return line }
    let text = String(decoding: line, as: UTF8.self)
    let halves = /"containerHigh":(?<high>\d+),"containerLow":(?<low>\d+)/
    return Array(text.replacing(halves) { "\"container\":{\"high\":\($0.high),\"low\":\($0.low)}" }.utf8)
  }

  /// Why a record that differs, and all that follows, cannot be run again: it is one of an earlier program, and no verdict on it.
  static func refusal(of line: JournalLine) -> String? {
    let words: [(word: String, sentence: String)]
    switch line.header.core {
    case NodeMachine.name: words = ofNode
    case AppMachine.name, ExtensionMachine.name: words = ofGuard
    default: return nil
    }
    return words.first { contains(line.bytes, $0.word) }
      .map { "\($0.sentence); use the program that wrote it" }
  }

  private static let ofNode =
    [
      // It was told whether the row is its own, where one of this program reads the row.
      (
        "\"event\":{\"started\":{\"_0\":{\"fence\":",
        "the node of an earlier program begins here, to which less was told of its claim"
      )
    ] + activities.map { ("{\"report\":{\"_0\":{\"\($0)\":", activity) }
  private static let ofGuard =
    activities.map { ("{\"node\":{\"_0\":{\"\($0)\":", activity) }
    + ["_0", "_1"].map {
      (
        "\"\($0)\":{\"title\":",
        "the guard of an earlier program makes a text here, where one of this program says what came"
      )
    }
  private static let activities = ["settling", "collecting", "splicing"]
  private static let activity = "an earlier program says here in other words what its node is busy with"

  private static func contains(_ line: [UInt8], _ word: String) -> Bool {
    Data(line).range(of: Data(word.utf8)) != nil
  }
}
