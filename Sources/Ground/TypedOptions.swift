/// The options of a command line, for a core that is configured by them: checked before, and with their defaults.
public protocol TypedOptions {
  /// The last value, or the default.
  func text(_ name: String) -> String?
  func all(_ name: String) -> [String]
  /// Whether the option was given; a default does not count.
  func isGiven(_ name: String) -> Bool
  func time(_ name: String) -> TimeSpan
  func number(_ name: String) -> Int64
  func word<Choice: RawRepresentable<String>>(_ name: String, as type: Choice.Type) -> Choice
}
