/// A positional argument.
public struct PositionalDeclaration: Sendable {
  public enum Count: Sendable {
    case one, optional, any, atLeastOne

    var isOptional: Bool { self == .optional || self == .any }
    var mayRepeat: Bool { self == .any || self == .atLeastOne }
  }

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
