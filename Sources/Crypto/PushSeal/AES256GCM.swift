import CNettle
import Ground

/// AES-256 in Galois/Counter mode (NIST SP 800-38D), with an initialisation vector of any length. The caller must not
/// use a vector twice with one key.
enum AES256GCM {
  static let tagSize = 16

  static func seal(_ plain: [UInt8], key: [UInt8], iv: [UInt8]) -> (cipher: [UInt8], tag: [UInt8])? {
    run(key: key, iv: iv, plain.count) { context, output in
      nettle_gcm_aes256_encrypt(context, plain.count, output, plain)
    }
  }

  /// nil if the tag does not match: nothing of the text is given away then.
  static func open(_ cipher: [UInt8], key: [UInt8], iv: [UInt8], tag: [UInt8]) -> [UInt8]? {
    let opened = run(key: key, iv: iv, cipher.count) { context, output in
      nettle_gcm_aes256_decrypt(context, cipher.count, output, cipher)
    }
    guard let (text, own) = opened else { return nil }
    var plain = text
    guard tag.count == tagSize, ConstantTime.areEqual(own, tag) else {
      plain.wipe()
      return nil
    }
    return plain
  }

  /// On the heap: its tables have four kilobytes.
  private static func run(
    key: [UInt8], iv: [UInt8], _ size: Int,
    _ transform: (UnsafeMutablePointer<gcm_aes256_ctx>, UnsafeMutablePointer<UInt8>?) -> Void
  ) -> ([UInt8], [UInt8])? {
    guard key.count == Bytes32.size else { return nil }
    let context = UnsafeMutablePointer<gcm_aes256_ctx>.allocate(capacity: 1)
    defer {
      wipe(UnsafeMutableRawBufferPointer(start: context, count: MemoryLayout<gcm_aes256_ctx>.size))
      context.deallocate()
    }
    nettle_gcm_aes256_set_key(context, key)
    nettle_gcm_aes256_set_iv(context, iv.count, iv)
    var output = [UInt8](repeating: 0, count: size)
    output.withUnsafeMutableBufferPointer { transform(context, $0.baseAddress) }
    var tag = [UInt8](repeating: 0, count: tagSize)
    nettle_gcm_aes256_digest(context, tag.count, &tag)
    return (output, tag)
  }
}
