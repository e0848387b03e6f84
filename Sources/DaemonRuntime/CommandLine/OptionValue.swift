import Ground

/// The allowed values of an option; checked while parsing, so that a program only sees valid ones.
public enum OptionValue: Hashable, Sendable {
  /// A flag without a value.
  case none
  case text(String)
  case path(String)
  case integer(ClosedRange<Int64>)
  /// `2s`, `500ms`, `1h`, `250us`, `10m`, `0`.
  case span
  /// A span within the range.
  case spanIn(ClosedRange<TimeSpan>)
  case choice([String])
  /// A comma-separated list of these words; the program itself rejects unknown ones.
  case list(String, of: [String])
  /// The name of a command of the program, or one of these words.
  case command(or: [String])
  /// `HOST:PORT`, the host as four numbers.
  case hostAndPort
  /// `NODEID@HOST:PORT`, the id as 66 hexadecimal digits.
  case nodeAddress

  /// The kernel's limit, without the terminating zero.
  private static let pathBytesMax = 4095

  var placeholder: String {
    switch self {
    case .none: ""
    case .text(let name), .path(let name): name
    case .integer: "N"
    case .span, .spanIn: "TIME"
    case .list(let name, _): name
    case .command: "COMMAND"
    case .choice(let words): words.joined(separator: "|")
    case .hostAndPort: "HOST:PORT"
    case .nodeAddress: "NODEID@HOST:PORT"
    }
  }

  /// The placeholder in a list of options, where the words of a choice follow the help.
  var name: String { if case .choice = self { "WORD" } else { placeholder } }

  func explaining(_ help: String) -> String {
    if case .choice(let words) = self { "\(help): \(words.joined(separator: ", "))" } else { help }
  }

  /// The expected value, continuing "must be …"; nil if the text is valid. The text is not empty.
  func expectation(violatedBy text: String) -> String? {
    switch self {
    case .none, .text, .list, .command: return nil
    case .path:
      return text.utf8.count > Self.pathBytesMax ? "a path of at most \(Self.pathBytesMax) bytes" : nil
    case .integer(let range):
      if let number = Int64(text), range.contains(number) { return nil }
      let isTooLarge = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
      if range.upperBound == .max && !isTooLarge { return "a whole number from \(range.lowerBound) up" }
      return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .span:
      if SpanText.parse(text) != nil { return nil }
      return SpanText.isTooLong(text)
        ? "a time of at most \(SpanText.longest)" : "a time such as 500ms, 2s or 1h"
    case .spanIn(let range):
      if let span = SpanText.parse(text), range.contains(span) { return nil }
      if SpanText.parse(text) == nil && !SpanText.isTooLong(text) {
        return OptionValue.span.expectation(violatedBy: text)
      }
      return "a time from \(SpanText.write(range.lowerBound)) to \(SpanText.write(range.upperBound))"
    case .choice(let words): return words.contains(text) ? nil : "one of \(words.joined(separator: ", "))"
    case .hostAndPort:
      return HostAndPort(text) == nil ? "an IPv4 address and a port such as 127.0.0.1:9735" : nil
    case .nodeAddress:
      return NodeAddress(text) != nil
        ? nil : "the id of a node, `@`, an IPv4 address and a port such as 02…@127.0.0.1:9735"
    }
  }
}

/// `NODEID@HOST:PORT` as typed. Whether the id is a point of the curve is checked at the dial.
public struct NodeAddress: Hashable, Sendable {
  /// 66 hexadecimal digits, starting with 02 or 03 (a compressed point).
  public let id: String
  public let place: HostAndPort

  private static let idDigits = 66

  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let place = HostAndPort(String(parts[1])), parts[0].utf8.count == Self.idDigits,
      parts[0].hasPrefix("02") || parts[0].hasPrefix("03"), parts[0].allSatisfy(\.isHexDigit)
    else { return nil }
    id = String(parts[0])
    self.place = place
  }
}
