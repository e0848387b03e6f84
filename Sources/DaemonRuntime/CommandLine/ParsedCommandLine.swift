import Ground

/// A command line, checked against its declaration.
public struct ParsedCommandLine: Sendable {
  /// The subcommands, outermost first.
  public internal(set) var verbs: [String] = []
  public internal(set) var positionals: [String] = []
  var values: [String: [String]] = [:]
  var defaults: [String: String] = [:]
}

// Typed values, checked while parsing. A type or name other than the declared one gives nil.
extension ParsedCommandLine: TypedOptions {
  /// The last value, or the default.
  public func text(_ name: String) -> String? { values[name]?.last ?? defaults[name] }

  public func all(_ name: String) -> [String] { values[name] ?? defaults[name].map { [$0] } ?? [] }

  /// Whether the option was given; a default does not count.
  public func isGiven(_ name: String) -> Bool { values[name] != nil }

  public func integer(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

  public func span(_ name: String) -> TimeSpan? { text(name).flatMap(SpanText.parse) }

  public func hostAndPort(_ name: String) -> HostAndPort? { text(name).flatMap { HostAndPort($0) } }

  public func choice<Choice: RawRepresentable<String>>(_ name: String, as type: Choice.Type) -> Choice? {
    text(name).flatMap { Choice(rawValue: $0) }
  }

  // MARK: Options with a default

  public func time(_ name: String) -> TimeSpan { declared(span(name), name) }

  public func number(_ name: String) -> Int64 { declared(integer(name), name) }

  public func word<Choice: RawRepresentable<String>>(_ name: String, as type: Choice.Type) -> Choice {
    declared(choice(name, as: type), name)
  }

  private func declared<Value>(_ value: Value?, _ name: String) -> Value {
    guard let value else { preconditionFailure("\(name) has no default in its declaration, or another type") }
    return value
  }
}
