/// Why bytes are not a valid control message, or a message lacks a field of its verb.
public enum ControlMessageError: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge(bytes: Int)
  case noHeaderEnd
  case notUTF8
  case badVerb
  case badName(String)
  case badLine(number: Int)
  case badEscape(name: String)
  case duplicateField(String)
  case tooManyFields
  case missingField(verb: String, name: String)
  case badValue(name: String, expected: String)

  public var description: String {
    switch self {
    case .tooLarge(let bytes):
      "the message has \(bytes) bytes and may have \(ControlMessage.maximumSize); send less in one message"
    case .noHeaderEnd: "the message has no empty line after its fields; end the fields with one"
    case .notUTF8: "the verb and fields of the message are not UTF-8; send text there and bytes in the body"
    case .badVerb: "the first line of the message is not a verb; use lower-case letters and hyphens"
    case .badName(let name):
      "the field name `\(Self.shown(name))` is not allowed; use up to \(ControlMessage.maximumNameLength) lower-case letters and hyphens"
    case .badLine(let number): "line \(number) of the message is not of the form `name: value`; correct it"
    case .badEscape(let name):
      "the value of `\(name)` has an invalid escape; write \\\\ for a backslash and \\n for a line break"
    case .duplicateField(let name): "the field `\(name)` is given twice; send it once"
    case .tooManyFields:
      "the message has more than \(ControlMessage.maximumFields) fields; put long data into the body"
    case .missingField(let verb, let name): "`\(verb)` needs the field `\(name)`; add it"
    case .badValue(let name, let expected): "the field `\(name)` must be \(expected); correct it"
    }
  }

  /// A name can be as long as a message, but the answer that quotes it must fit into one.
  private static func shown(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(ControlMessage.maximumNameLength)
    return String(scalars).onOneLine + (scalars.endIndex == name.endIndex ? "" : "…")
  }
}
