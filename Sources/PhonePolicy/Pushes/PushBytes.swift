/// Checks the raw bytes of a push before they are parsed.
public enum PushBytes {
  public enum Trouble: Hashable, Sendable {
    /// Position of the bad byte, counted from 1.
    case notUTF8(byte: Int)
    case tooDeep
    /// Of UTF-8, which JSON does not have.
    case byteOrderMark

    /// As it continues "FILE …".
    public var words: String {
      switch self {
      case .notUTF8(let byte): "is not UTF-8 at its byte \(byte); save it as UTF-8"
      case .byteOrderMark: "begins with a byte order mark; save it as UTF-8 without one"
      case .tooDeep: "is nested deeper than \(PushBytes.depthMax) brackets; make it flatter"
      }
    }
  }

  /// The JSON parser's limit.
  public static let depthMax = 64

  public static func trouble(in bytes: [UInt8]) -> Trouble? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .byteOrderMark }
    if let place = firstBadByte(bytes) { return .notUTF8(byte: place + 1) }
    return isTooDeep(bytes) ? .tooDeep : nil
  }

  private static func firstBadByte(_ bytes: [UInt8]) -> Int? {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var place = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): place += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return place
      }
    }
  }

  private static func isTooDeep(_ bytes: [UInt8]) -> Bool {
    var depth = 0
    var isInText = false
    var isEscaped = false
    for byte in bytes {
      if isInText {
        if !isEscaped && byte == UInt8(ascii: "\"") { isInText = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth > depthMax { return true }
    }
    return false
  }
}
