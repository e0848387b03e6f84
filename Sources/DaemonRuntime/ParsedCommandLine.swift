import Ground

/// What was typed, checked against the declaration.
public struct ParsedCommandLine: Sendable {
  /// The subcommands that were named, outermost first.
  public internal(set) var verbs: [String] = []
  public internal(set) var positionals: [String] = []
  var values: [String: [String]] = [:]
  var defaults: [String: String] = [:]
}

// Values with a type. They were checked while parsing: asking for one in another type than it is declared with, or
// under a name that is not declared, gives nil.
extension ParsedCommandLine {
  /// The last value, or the default.
  public func text(_ name: String) -> String? { values[name]?.last ?? defaults[name] }

  public func all(_ name: String) -> [String] { values[name] ?? defaults[name].map { [$0] } ?? [] }

  /// Whether it was typed; a default does not count.
  public func isGiven(_ name: String) -> Bool { values[name] != nil }

  public func integer(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

  public func span(_ name: String) -> TimeSpan? { text(name).flatMap(SpanText.parse) }

  public func hostAndPort(_ name: String) -> HostAndPort? { text(name).flatMap { HostAndPort($0) } }

  public func choice<Choice: RawRepresentable<String>>(_ name: String, as type: Choice.Type) -> Choice? {
    text(name).flatMap { Choice(rawValue: $0) }
  }
}
