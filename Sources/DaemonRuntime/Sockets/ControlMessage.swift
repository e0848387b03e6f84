import Ground

/// The one text format of all local sockets: a verb, then `name: value` lines, an empty line, then bytes.
///
///     pay
///     amount-msat: 5000
///     wait: yes
///
///     (body)
///
/// One message is one packet. In values `\` and line breaks are written `\\`, `\n` and `\r`.
public struct ControlMessage: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public static let maximumSize = 128 * 1024
  public static let maximumFields = 64
  public static let maximumNameLength = 64

  public var verb: String
  public var fields: [Field]
  public var body: [UInt8]

  public init(_ verb: String, _ fields: KeyValuePairs<String, String> = [:], body: [UInt8] = []) {
    self.verb = verb
    self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    self.body = body
  }

  public init(_ verb: String, fields: [Field], body: [UInt8] = []) {
    self.verb = verb
    self.fields = fields
    self.body = body
  }

  /// An error answer: one sentence with the error and what to do.
  public static func error(_ sentence: String) -> ControlMessage {
    ControlMessage("error", ["message": sentence])
  }

  /// An error answer about a request that may be carried out nevertheless.
  public static func outcomeUnknown(_ sentence: String) -> ControlMessage {
    ControlMessage("error", ["message": sentence, "outcome": "unknown"])
  }

  public var leavesOutcomeUnknown: Bool { self["outcome"] == "unknown" }

  /// The sentence of an `error` message; nil for all others.
  public var errorSentence: String? {
    verb == "error" ? self["message"] ?? "the other side reported an error without saying which" : nil
  }

  public var bodyText: String { String(decoding: body, as: UTF8.self) }

  public subscript(name: String) -> String? {
    get { fields.first { $0.name == name }?.value }
    set {
      let index = fields.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): fields[index].value = value
      case (let index?, nil): fields.remove(at: index)
      case (nil, let value?): fields.append(Field(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  // MARK: Fields with a type

  public func required(_ name: String) throws(ControlMessageError) -> String {
    guard let value = self[name] else { throw .missingField(verb: verb, name: name) }
    return value
  }

  public func integer<Integer: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Integer>
  ) throws(ControlMessageError) -> Integer {
    let text = try required(name)
    guard let value = Integer(text), range.contains(value) else {
      throw .badValue(name: name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// Nil if the field is missing; an invalid number is an error.
  public func integerIfPresent<Integer: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Integer>
  ) throws(ControlMessageError) -> Integer? {
    self[name] == nil ? nil : try integer(name, in: range)
  }

  public func bytes32(_ name: String) throws(ControlMessageError) -> Bytes32 {
    guard let value = Bytes32(hex: try required(name)) else {
      throw .badValue(name: name, expected: "64 hexadecimal digits")
    }
    return value
  }

  public func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, as _: Word.Type = Word.self
  ) throws(ControlMessageError) -> Word {
    guard let word = Word(rawValue: try required(name)) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badValue(name: name, expected: "one of \(words)")
    }
    return word
  }

  public func flag(_ name: String, default standard: Bool) throws(ControlMessageError) -> Bool {
    switch self[name] {
    case nil: return standard
    case "yes": return true
    case "no": return false
    default: throw .badValue(name: name, expected: "yes or no")
    }
  }
}
