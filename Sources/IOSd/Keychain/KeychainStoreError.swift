/// Why the keychain cannot be used.
enum KeychainStoreError: Error, Hashable, CustomStringConvertible {
  case damagedKey(String)
  case damagedItem(String)
  case full

  var description: String {
    switch self {
    case .damagedKey(let path):
      "\(path) is not the keychain's key of 32 bytes; put it back: without it the items, such as the wallet's seed, cannot be opened"
    case .damagedItem(let path):
      "\(path) cannot be opened with the keychain's key; put back both as they were: without them what it holds, such as the wallet's seed, is lost"
    case .full: "the keychain has \(KeychainStore.itemsMax) items, and no more fit; delete one first"
    }
  }
}
