import Crypto
import DaemonRuntime
import Glibc

/// A node's id in a file of its owner. It is no secret; that no stranger can write it is what counts.
public enum NodeIDFile {
  private static let size = 66

  /// Nil for none, for one that is not ours alone, and for what is no id.
  public static func read(_ path: String) -> PublicKey? {
    guard let bytes = try? SmallFile.readOwn(path, limit: size) else { return nil }
    return PublicKey(hex: String(decoding: bytes, as: UTF8.self))
  }

  /// Leaves what is there if it says the same.
  public static func write(_ node: PublicKey, to path: String) throws {
    guard read(path) != node else { return }
    // Of another seed, which its owner has replaced.
    unlink(path)
    _ = try SecretFile(path: path, size: size).keep(Array(node.hex.utf8))
  }
}
