/// What a program takes on its command line. Parsing, usage text and shell completion are all derived from it, so
/// that they cannot disagree.
public struct CommandLineDeclaration: Sendable {
  public var name: String
  /// One line, as it stands in the list of verbs.
  public var summary: String
  public var options: [OptionDeclaration]
  public var positionals: [PositionalDeclaration]
  public var subcommands: [CommandLineDeclaration]
  /// Whole lines that can be typed as they are, each with what it does.
  public var examples: [(line: String, does: String)]

  public init(
    name: String, summary: String, options: [OptionDeclaration] = [],
    positionals: [PositionalDeclaration] = [], subcommands: [CommandLineDeclaration] = [],
    examples: [(line: String, does: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.options = options
    self.positionals = positionals
    self.subcommands = subcommands
    self.examples = examples
  }
}

/// One option, given as `--name value` or `--name=value`.
public struct OptionDeclaration: Sendable {
  /// With their dashes, the one that people should use first.
  public var names: [String]
  public var value: OptionValue
  /// Stands in when the option is not given, and is shown in the usage.
  public var defaultValue: String?
  public var help: String
  public var mayRepeat: Bool

  public init(
    _ names: String..., value: OptionValue = .none, default defaultValue: String? = nil,
    mayRepeat: Bool = false, help: String
  ) {
    self.names = names
    self.value = value
    self.defaultValue = defaultValue
    self.help = help
    self.mayRepeat = mayRepeat
  }

  var name: String { names.first ?? "" }
}

/// A word whose place says what it is.
public struct PositionalDeclaration: Sendable {
  public enum Count: Sendable { case one, optional, any, atLeastOne }

  public var name: String
  public var value: OptionValue
  public var count: Count
  public var help: String

  public init(_ name: String, value: OptionValue = .text("TEXT"), count: Count = .one, help: String) {
    self.name = name
    self.value = value
    self.count = count
    self.help = help
  }
}

/// What the value of an option may be; checked while parsing, so that a program only sees good ones.
public enum OptionValue: Hashable, Sendable {
  /// A switch: there or not.
  case none
  case text(String)
  case path(String)
  case integer(ClosedRange<Int64>)
  /// `2s`, `500ms`, `1h`, `250us`, `10m`, `0`.
  case span
  case choice([String])
  /// `HOST:PORT`.
  case hostAndPort

  var placeholder: String {
    switch self {
    case .none: ""
    case .text(let name), .path(let name): name
    case .integer: "N"
    case .span: "TIME"
    case .choice(let words): words.joined(separator: "|")
    case .hostAndPort: "HOST:PORT"
    }
  }

  /// What the value must be, as it continues "must be …"; nil when it is good.
  func complaint(about text: String) -> String? {
    switch self {
    case .none: return nil
    case .text, .path: return text.isEmpty ? "something that is not empty" : nil
    case .integer(let range):
      if let number = Int64(text), range.contains(number) { return nil }
      if range.upperBound == .max { return "a whole number from \(range.lowerBound) up" }
      return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .span: return SpanText.parse(text) == nil ? "a time such as 500ms, 2s or 1h" : nil
    case .choice(let words): return words.contains(text) ? nil : "one of \(words.joined(separator: ", "))"
    case .hostAndPort: return HostAndPort(text) == nil ? "a host and a port such as 127.0.0.1:9735" : nil
    }
  }
}
