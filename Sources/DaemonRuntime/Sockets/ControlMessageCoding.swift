// The encoding of control messages. The decoder is strict: it accepts only what the encoder can write, so two
// programs never read one message in two ways.

extension ControlMessage {
  public func encoded() throws(ControlMessageError) -> [UInt8] {
    guard Self.isName(verb) else { throw .badVerb }
    guard fields.count <= Self.maximumFields else { throw .tooManyFields }
    var bytes = Array(verb.utf8) + [newline]
    var seen: [String] = []
    for field in fields {
      guard Self.isName(field.name) else { throw .badName(field.name) }
      guard !seen.contains(field.name) else { throw .duplicateField(field.name) }
      seen.append(field.name)
      bytes += Array(field.name.utf8) + [colon, space] + Self.escaped(field.value) + [newline]
    }
    bytes.append(newline)
    bytes += body
    guard bytes.count <= Self.maximumSize else { throw .tooLarge(bytes: bytes.count) }
    return bytes
  }

  public init(decoding bytes: [UInt8]) throws(ControlMessageError) {
    guard bytes.count <= Self.maximumSize else { throw .tooLarge(bytes: bytes.count) }
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while true {
      guard let end = rest.firstIndex(of: newline) else { throw .noHeaderEnd }
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      if line.isEmpty && !lines.isEmpty { break }
      lines.append(line)
      if lines.count > Self.maximumFields + 1 { throw .tooManyFields }
    }
    let verb = try Self.text(lines[0])
    guard Self.isName(verb) else { throw .badVerb }
    self.init(verb, fields: [], body: Array(rest))
    for (index, line) in lines.enumerated().dropFirst() {
      let field = try Self.field(line, number: index + 1)
      guard self[field.name] == nil else { throw .duplicateField(field.name) }
      fields.append(field)
    }
  }

  private static func field(_ line: ArraySlice<UInt8>, number: Int) throws(ControlMessageError) -> Field {
    guard let end = line.firstIndex(of: colon) else { throw .badLine(number: number) }
    let name = try text(line[..<end])
    guard isName(name) else { throw .badName(name) }
    let value = line[(end + 1)...]
    guard value.first == space else { throw .badLine(number: number) }
    return Field(name: name, value: try text(unescaped(value.dropFirst(), name: name)[...]))
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= maximumNameLength
      && name.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(ControlMessageError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    return text
  }

  private static func escaped(_ value: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in value.utf8 {
      switch byte {
      case backslash: bytes += [backslash, backslash]
      case newline: bytes += [backslash, UInt8(ascii: "n")]
      case carriageReturn: bytes += [backslash, UInt8(ascii: "r")]
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  private static func unescaped(
    _ value: ArraySlice<UInt8>, name: String
  ) throws(ControlMessageError) -> [UInt8] {
    var bytes: [UInt8] = []
    var isEscape = false
    for byte in value {
      switch (isEscape, byte) {
      case (false, backslash):
        isEscape = true
        continue
      case (false, carriageReturn): throw .badEscape(name: name)
      case (false, _), (true, backslash): bytes.append(byte)
      case (true, UInt8(ascii: "n")): bytes.append(newline)
      case (true, UInt8(ascii: "r")): bytes.append(carriageReturn)
      case (true, _): throw .badEscape(name: name)
      }
      isEscape = false
    }
    if isEscape { throw .badEscape(name: name) }
    return bytes
  }
}

private let newline = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
private let backslash = UInt8(ascii: "\\")
private let colon = UInt8(ascii: ":")
private let space = UInt8(ascii: " ")
