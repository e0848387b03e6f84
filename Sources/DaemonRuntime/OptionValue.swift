import Ground

/// What the value of an option may be; checked while parsing, so that a program only sees good ones.
public enum OptionValue: Hashable, Sendable {
  /// A switch: there or not.
  case none
  case text(String)
  case path(String)
  case integer(ClosedRange<Int64>)
  /// `2s`, `500ms`, `1h`, `250us`, `10m`, `0`.
  case span
  /// The same, from one to another.
  case spanIn(ClosedRange<TimeSpan>)
  case choice([String])
  /// Some of these words with commas between them; which are wrong is for the program to say.
  case list(String, of: [String])
  /// The names of a command of the program, or one of these words.
  case command(or: [String])
  /// `HOST:PORT`, the host as four numbers.
  case hostAndPort
  /// `NODEID@HOST:PORT`, the id as 66 hexadecimal digits.
  case nodeAddress

  /// As the kernel has it, without the zero at the end.
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

  /// What the value must be, as it continues "must be …"; nil when it is good. It is not empty.
  func complaint(about text: String) -> String? {
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
        return OptionValue.span.complaint(about: text)
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
