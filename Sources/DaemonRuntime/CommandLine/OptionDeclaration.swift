/// One option, given as `--name value` or `--name=value`.
public struct OptionDeclaration: Sendable {
  /// With their dashes, the preferred one first.
  public var names: [String]
  public var value: OptionValue
  /// Used if the option is not given, and shown in the usage.
  public var defaultValue: String?
  public var help: String
  public var mayRepeat: Bool
  /// Its section in the usage; nil for the first one.
  public private(set) var group: String?

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

  var explanation: String {
    value.explaining(help) + (defaultValue.map { " (default \($0))" } ?? "")
  }

  /// The options of every command, and those of a program.
  static func common(isProgram: Bool) -> [OptionDeclaration] {
    [OptionDeclaration("-h", "--help", help: "print this help")]
      + (isProgram
        ? [
          OptionDeclaration("--version", help: "print the version"),
          OptionDeclaration("--man", help: "print the manual page, for `man -l -`"),
        ] : [])
  }

  /// The same option of a command that finds its default otherwise, as these words say.
  public func defaulting(_ words: String) -> OptionDeclaration {
    var other = self
    other.defaultValue = nil
    other.help += " (default: \(words))"
    return other
  }

  fileprivate func of(_ group: String) -> OptionDeclaration {
    var grouped = self
    grouped.group = group
    return grouped
  }
}

extension [OptionDeclaration] {
  /// In a section of their own.
  public func grouped(_ title: String) -> [OptionDeclaration] { map { $0.of(title) } }
}
