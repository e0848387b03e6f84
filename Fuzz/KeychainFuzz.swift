@testable import IOSd

/// The items of the keychain, and the file of entitlements.
enum KeychainFuzz: FuzzTarget {
  static let name = "keychain"
  static let longestInput = 1024

  static var seeds: [[UInt8]] {
    [
      #"{"group":"A1B2C3D4E5.com.example","account":"mnemonic","protection":"when-unlocked","nonce":"00","sealed":"ff"}"#,
      #"{"app":{"keychain-access-groups":["A1B2C3D4E5.com.example"],"com.apple.security.application-groups":["group.x"]},"extension":{}}"#,
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    if let item = KeychainStore.read(bytes) { promise(!item.header.isEmpty, "an item has no header") }
    do throws(EntitlementsFault) {
      let file = try EntitlementsFile(bytes, name: "FILE")
      promise(file.entitlements(of: .app).problem == nil, "invalid access groups are accepted")
      promise(file.entitlements(of: .extension).problem == nil, "invalid access groups are accepted")
    } catch { promiseOneLine(error.description) }
  }
}
