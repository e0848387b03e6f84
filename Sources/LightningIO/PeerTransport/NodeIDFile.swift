import Crypto
import DaemonRuntime
import Glibc

/// A node's id in a file. It is not secret, but only its owner may write it.
public enum NodeIDFile {
  private static let size = 66

  /// Nil if the file is missing, writable by others, or not a node id.
  public static func read(_ path: String) -> PublicKey? {
    guard let bytes = try? SmallFile.readOwn(path, limit: size) else { return nil }
    return PublicKey(hex: String(decoding: bytes, as: UTF8.self))
  }

  /// Keeps a file with the same id.
  public static func write(_ node: PublicKey, to path: String) throws {
    guard read(path) != node else { return }
    // The id of an earlier seed.
    unlink(path)
    _ = try SecretFile(path: path, size: size).keep(Array(node.hex.utf8))
  }
}
