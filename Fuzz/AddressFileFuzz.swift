@testable import DaemonRuntime
@testable import LSPd

/// The file with lspd's address.
enum AddressFileFuzz: FuzzTarget {
  static let name = "address-file"
  static let longestInput = 128

  /// The curve's generator point.
  private static let node = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

  static var seeds: [[UInt8]] {
    ["\(node)@127.0.0.1:9735\n", "\(node)@", "127.0.0.1:9735\n", ""].map {
      Array($0.utf8)
    }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let address = AddressFile.parse(bytes) else { return }
    promise(
      AddressFile.parse(Array("\(address)\n".utf8)) == address, "an address does not round-trip")
  }
}
