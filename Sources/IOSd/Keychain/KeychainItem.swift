import PhonePolicy

/// One item as stored in its file: only its value is sealed.
struct KeychainItem: Codable, Hashable {
  var group: String
  var account: String
  var protection: KeychainProtection
  /// Hexadecimal, as is `sealed`.
  var nonce: String
  var sealed: String

  /// Authenticated along with the value: an item moved to another group, account or protection class cannot be
  /// opened.
  var header: [UInt8] { Self.header(group, account, protection) }

  static func header(_ group: String, _ account: String, _ protection: KeychainProtection) -> [UInt8] {
    Array("\(group)\n\(account)\n\(protection.rawValue)".utf8)
  }
}
