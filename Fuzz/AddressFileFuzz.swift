@testable import DaemonRuntime
@testable import LSPd

/// The file in which lspd says where it listens.
enum AddressFileFuzz: FuzzTarget {
  static let name = "address-file"
  static let longestInput = 64

  static var seeds: [[UInt8]] { ["127.0.0.1:9735\n", "[::1]:1", ""].map { Array($0.utf8) } }

  static func feed(_ bytes: [UInt8]) {
    guard let address = AddressFile.parse(bytes) else { return }
    promise(
      AddressFile.parse(Array("\(address)\n".utf8)) == address, "an address is not written as it is read")
  }
}
