/// Why bytes are not a valid control message, or a message lacks a field of its verb.
public struct ControlMessageError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  private init(_ description: String) { self.description = description }

  public static func tooLarge(bytes: Int) -> Self {
    Self(
      "the message has \(bytes) bytes and may have \(ControlMessage.maximumSize); send less in one message")
  }
  public static let noHeaderEnd = Self(
    "the message has no empty line after its fields; end the fields with one")
  public static let notUTF8 = Self(
    "the verb and fields of the message are not UTF-8; send text there and bytes in the body")
  public static let badVerb = Self(
    "the first line of the message is not a verb; use lower-case letters and hyphens")
  public static func badName(_ name: String) -> Self {
    Self(
      "the field name `\(shown(name))` is not allowed; use up to \(ControlMessage.maximumNameLength) lower-case letters and hyphens"
    )
  }
  public static func badLine(number: Int) -> Self {
    Self("line \(number) of the message is not of the form `name: value`; correct it")
  }
  public static func badEscape(name: String) -> Self {
    Self(
      "the value of `\(name)` has an invalid escape; write \\\\ for a backslash and \\n for a line break")
  }
  public static func duplicateField(_ name: String) -> Self {
    Self("the field `\(name)` is given twice; send it once")
  }
  public static let tooManyFields = Self(
    "the message has more than \(ControlMessage.maximumFields) fields; put long data into the body")
  public static func missingField(verb: String, name: String) -> Self {
    Self("`\(verb)` needs the field `\(name)`; add it")
  }
  public static func badValue(name: String, expected: String) -> Self {
    Self("the field `\(name)` must be \(expected); correct it")
  }

  /// A name can be as long as a message, but the answer that quotes it must fit into one.
  private static func shown(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(ControlMessage.maximumNameLength)
    return String(scalars).onOneLine + (scalars.endIndex == name.endIndex ? "" : "…")
  }
}
