import PhonePolicy

/// One item as it lies in its file: all of it can be read but its value.
struct KeychainItem: Codable, Hashable {
  var group: String
  var account: String
  var protection: KeychainProtection
  /// Hexadecimal, as is `sealed`.
  var nonce: String
  var sealed: String

  /// Sealed along with the value: an item that is moved to another group, account or class cannot be opened.
  var header: [UInt8] { Self.header(group, account, protection) }

  static func header(_ group: String, _ account: String, _ protection: KeychainProtection) -> [UInt8] {
    Array("\(group)\n\(account)\n\(protection.rawValue)".utf8)
  }
}
