/// Finds any of many secrets in one pass, in the three ways in which they would be written: raw, hexadecimal, base64.
struct SecretSearch {
  struct Hit {
    let secret: Int
    let offset: Int
  }

  private struct Form {
    let secret: Int
    let bytes: [UInt8]
  }

  private var forms: [UInt64: [Form]] = [:]
  /// By the first two bytes: nearly every place is passed over with one look.
  private var isPossible = [Bool](repeating: false, count: 1 << 16)
  private static let prefix = 8

  /// Each of at least 16 bytes.
  init(_ secrets: [[UInt8]]) {
    for (index, secret) in secrets.enumerated() {
      let hex = hexadecimal(secret)
      let all = [
        secret, Array(hex.utf8), Array(hex.uppercased().utf8), Self.base64(secret, last: "+/"),
        Self.base64(secret, last: "-_"),
      ]
      for bytes in all {
        isPossible[Int(bytes[0]) << 8 | Int(bytes[1])] = true
        forms[Self.key(bytes[..<Self.prefix]), default: []].append(Form(secret: index, bytes: bytes))
      }
    }
  }

  private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// The first place of each secret and form is enough, but each line counts: all places are given.
  func hits(in bytes: [UInt8]) -> [Hit] {
    guard !forms.isEmpty, bytes.count >= Self.prefix else { return [] }
    var hits: [Hit] = []
    for offset in 0...(bytes.count - Self.prefix)
    where isPossible[Int(bytes[offset]) << 8 | Int(bytes[offset + 1])] {
      for form in forms[Self.key(bytes[offset..<offset + Self.prefix])] ?? []
      where bytes[offset...].starts(with: form.bytes) && hits.last?.offset != offset {
        hits.append(Hit(secret: form.secret, offset: offset))
      }
    }
    return hits
  }

  /// Without the padding and the last incomplete group, which depend on what follows.
  private static func base64(_ secret: [UInt8], last: String) -> [UInt8] {
    let symbols = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: secret.count - secret.count % 3, by: 3) {
      let group = secret[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
      for shift in [18, 12, 6, 0] { text.append(symbols[group >> shift & 63]) }
    }
    return text
  }
}
