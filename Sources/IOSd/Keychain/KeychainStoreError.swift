/// Why the keychain cannot be used.
enum KeychainStoreError: Error, Hashable, CustomStringConvertible {
  case damagedKey(String)
  case damagedItem(String)
  case full

  var description: String {
    switch self {
    case .damagedKey(let path):
      "\(path) is not the keychain's key of 32 bytes; restore it: without it the items, such as the wallet's seed, cannot be opened"
    case .damagedItem(let path):
      "\(path) cannot be opened with the keychain's key; restore both: without them the item, such as the wallet's seed, is lost"
    case .full: "the keychain has \(KeychainStore.itemsMax) items, the maximum; delete one first"
    }
  }
}
