/// Whether each name of a member in a JSON text is a text.
///
/// SQLite 3.40 takes an object or a list for a name, as long as a text stands last in it, and reads at a wild
/// address when it looks for a member there. So whatever else is to be said of a payload is left to SQLite, but this is
/// looked at before.
enum MemberNames {
  static func areTexts(_ json: [UInt8]) -> Bool {
    /// True for an object, false for a list; the innermost is the last.
    var isObject: [Bool] = []
    var expectsName = false
    var isInText = false
    var isEscaped = false
    for byte in json {
      if isInText {
        if byte == UInt8(ascii: "\""), !isEscaped { isInText = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "\""):
        isInText = true
        expectsName = false
      case UInt8(ascii: "}"):
        _ = isObject.popLast()
        expectsName = false
      case _ where expectsName: return false
      case UInt8(ascii: "{"):
        isObject.append(true)
        expectsName = true
      case UInt8(ascii: "["): isObject.append(false)
      case UInt8(ascii: "]"): _ = isObject.popLast()
      case UInt8(ascii: ","): expectsName = isObject.last ?? false
      default: continue
      }
    }
    return true
  }
}
