import Foundation
import Ground

/// Our JSON reader against Foundation's: both must accept the same texts, with the same values.
enum JSONFuzz: FuzzTarget {
  static let name = "json"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    [
      #"{"a":[1,-2,18446744073709551615,0.5,1e3],"b":{"_0":"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t"},"c":null}"#,
      #" [ true , false ] "#, #""text""#, "0", #"{"a":1,"a":2}"#, String(repeating: "[", count: 70),
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    checkQuoting(text(bytes))
    // Foundation also accepts other encodings than UTF-8, and drops a byte order mark, even at the start of a
    // string; ours does neither.
    guard !bytes.contains(0), Data(bytes).range(of: byteOrderMark) == nil, bytes.first != 0xfe,
      bytes.first != 0xff
    else { return }
    let own = JSONValue(parsing: bytes)
    let theirs = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    switch (own, theirs) {
    case (nil, nil): break
    case (let own?, let theirs?): promise(isSame(own, theirs), "\(own) is read as \(theirs) by Foundation")
    case (let own?, nil): promise(hasNumberOfItsOwn(own), "\(own) is no JSON for Foundation")
    case (nil, let theirs?):
      promise(isDeep(bytes) || hasTwins(bytes) || hasIdleComma(bytes), "we do not read \(theirs)")
    }
  }

  private static let byteOrderMark = Data([0xef, 0xbb, 0xbf])

  /// A text quoted by the daemons is one JSON string.
  private static func checkQuoting(_ text: String) {
    let quoted = JSONText.quoted(text)
    promise(
      JSONValue(parsing: Array(quoted.utf8)) == .string(text), "a quoted text does not round-trip: \(quoted)")
  }

  private static func isSame(_ own: JSONValue, _ theirs: Any) -> Bool {
    switch own {
    case .null: return theirs is NSNull
    case .bool(let flag): return (theirs as? NSNumber)?.boolValue == flag
    case .string(let text): return theirs as? String == text
    case .number(let digits):
      guard let number = theirs as? NSNumber else { return false }
      return Int64(digits).map { $0 == number.int64Value } ?? true
    case .array(let items):
      guard let other = theirs as? [Any], other.count == items.count else { return false }
      return zip(items, other).allSatisfy { isSame($0, $1) }
    case .object(let members):
      guard let other = theirs as? [String: Any], other.count == members.count else { return false }
      return members.allSatisfy { member in other[member.key].map { isSame(member.value, $0) } ?? false }
    }
  }

  /// Our reader keeps numbers as digits, so it has no largest one.
  private static func hasNumberOfItsOwn(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let digits): digits.utf8.count > 15 || digits.contains { $0 == "e" || $0 == "E" }
    case .array(let items): items.contains(where: hasNumberOfItsOwn)
    case .object(let members): members.contains { hasNumberOfItsOwn($0.value) }
    case .null, .bool, .string: false
    }
  }

  private static func isDeep(_ bytes: [UInt8]) -> Bool {
    bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") } >= 60
  }

  /// Foundation accepts a trailing comma when a space follows.
  private static func hasIdleComma(_ bytes: [UInt8]) -> Bool {
    let symbols = bytes.filter { ![9, 10, 13, 32].contains($0) }
    return zip(symbols, symbols.dropFirst()).contains { $0 == UInt8(ascii: ",") && ($1 == 93 || $1 == 125) }
  }

  /// Two members of one name: Foundation drops one of them, ours refuses.
  private static func hasTwins(_ bytes: [UInt8]) -> Bool { bytes.count { $0 == UInt8(ascii: ":") } >= 2 }
}
