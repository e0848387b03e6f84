import Foundation

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

  /// Its node was told whether the row is its own, where one of this program reads the row: it cannot be run again.
  static func isStartOfToldNode(_ line: [UInt8]) -> Bool {
    contains(line, "\"event\":{\"started\":{\"_0\":{\"fence\":")
  }

  private static func contains(_ line: [UInt8], _ word: String) -> Bool {
    Data(line).range(of: Data(word.utf8)) != nil
  }
}
