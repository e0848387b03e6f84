/// Why a text is no JSON.
public struct JSONFault: Hashable, Sendable {
  /// Where reading ended, counted from 1.
  public let line: Int
  /// The name that an object has twice.
  public let repeated: String?

  init(line: Int, repeated: String?) {
    self.line = line
    self.repeated = repeated
  }

  /// Nil for JSON.
  public init?(in bytes: [UInt8]) {
    guard let fault = JSONParser.fault(bytes) else { return nil }
    self = fault
  }

  /// As it continues "FILE …", on one line.
  public var words: String {
    guard let repeated else { return "is not JSON on line \(line); check its brackets, commas and quotes" }
    let name = String(
      repeated.unicodeScalars.filter { (33..<127).contains($0.value) }.prefix(40).map(Character.init))
    return "has `\(name)` twice in one object, again on line \(line); leave one out"
  }
}
