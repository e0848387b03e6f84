import Glibc
import Ground
import Platform

/// One file of the home, read piece by piece. Only a plain file is opened: a pipe would block, a device is endless,
/// and a link may lead anywhere.
final class EvidenceFile {
  enum Problem: Error, Hashable {
    case missing
    case unreadable(String)

    var words: String {
      switch self {
      case .missing: "it is not there"
      case .unreadable(let words): words
      }
    }
  }

  /// Longer than any line of our programs, and small enough for memory.
  static let lineLimit = 16 << 20
  private static let pieceSize = 1 << 16

  private let descriptor: Int32
  /// The size at the time of opening: bytes appended later are not read.
  let size: Int64
  private var left: Int64

  init(_ path: String) throws(Problem) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: throw .missing
      case ELOOP: throw .unreadable("it is a link")
      case ENXIO: throw .unreadable("it is not a plain file")
      default: throw .unreadable(String(cString: strerror(errno)))
      }
    }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable("it is not a plain file")
    }
    size = Int64(facts.st_size)
    left = size
  }

  deinit { close(descriptor) }

  /// Reads the next piece into `piece`; false at the end.
  func next(_ piece: inout [UInt8]) throws(Problem) -> Bool {
    let wanted = Int(min(left, Int64(Self.pieceSize)))
    guard wanted > 0 else { return false }
    if piece.count != wanted { piece = [UInt8](repeating: 0, count: wanted) }
    var count = 0
    repeat { count = read(descriptor, &piece, wanted) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    left -= Int64(count)
    if count < wanted {
      piece.removeLast(wanted - count)
      left = 0
    }
    return count > 0
  }

  /// Passes each complete line without its newline to `line`, and before that each piece to `piece`; stops when
  /// `line` returns false. True if the last line is incomplete.
  func readLines(
    piece feed: (ArraySlice<UInt8>) -> Void = { _ in }, line take: (ArraySlice<UInt8>) -> Bool
  ) throws(Problem) -> Bool {
    var piece: [UInt8] = []
    var begun: [UInt8] = []
    var number = 1
    while try next(&piece) {
      feed(piece[...])
      var start = 0
      while let end = piece[start...].firstIndex(of: 10) {
        if begun.isEmpty {
          guard take(piece[start..<end]) else { return false }
        } else {
          begun += piece[start..<end]
          guard take(begun[...]) else { return false }
          begun.removeAll(keepingCapacity: true)
        }
        start = end + 1
        number += 1
      }
      begun += piece[start...]
      guard begun.count <= Self.lineLimit else {
        throw .unreadable("its line \(number) is longer than \(Self.lineLimit >> 20) MB")
      }
    }
    return !begun.isEmpty
  }

  /// The whole file, if it is at most `limit` bytes.
  static func whole(_ path: String, limit: Int64 = 1 << 20) -> [UInt8]? {
    guard let file = try? EvidenceFile(path), file.size <= limit else { return nil }
    var all: [UInt8] = []
    var piece: [UInt8] = []
    while (try? file.next(&piece)) == true { all += piece }
    return all
  }
}

/// Finds any of many secrets in one pass: raw, hexadecimal or base64.
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
  /// By a hash of the first eight bytes: nearly every offset is skipped with one lookup, however many secrets there
  /// are.
  private var isPossible: [Bool]
  private let shift: UInt64
  fileprivate private(set) var longest = 0
  fileprivate static let prefix = 8

  /// Each of at least 16 bytes.
  init(_ secrets: [[UInt8]]) {
    var bits: UInt64 = 12
    while bits < 26, 1 << bits < secrets.count * 64 { bits += 1 }
    shift = 64 - bits
    isPossible = [Bool](repeating: false, count: 1 << Int(bits))
    for (index, secret) in secrets.enumerated() {
      let hex = Hexadecimal.encode(secret)
      let all = [
        secret, Array(hex.utf8), Array(hex.uppercased().utf8), Self.base64(secret, last: "+/"),
        Self.base64(secret, last: "-_"),
      ]
      for bytes in all {
        let key = bytes[..<Self.prefix].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        isPossible[place(of: key)] = true
        forms[key, default: []].append(Form(secret: index, bytes: bytes))
        longest = max(longest, bytes.count)
      }
    }
  }

  var isEmpty: Bool { forms.isEmpty }

  private func place(of key: UInt64) -> Int { Int((key &* 0x9e37_79b9_7f4a_7c15) >> shift) }

  /// At most one hit at each offset.
  func hits(in bytes: [UInt8]) -> [Hit] {
    guard !forms.isEmpty, bytes.count >= Self.prefix else { return [] }
    var hits: [Hit] = []
    bytes.withUnsafeBufferPointer { bytes in
      var key = bytes[..<(Self.prefix - 1)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      for offset in 0...(bytes.count - Self.prefix) {
        key = key << 8 | UInt64(bytes[offset + Self.prefix - 1])
        guard isPossible[place(of: key)], let forms = forms[key] else { continue }
        if let form = forms.first(where: { bytes[offset...].starts(with: $0.bytes) }) {
          hits.append(Hit(secret: form.secret, offset: offset))
        }
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

  /// As far as `bytesMax`, and until `take` returns false.
  fileprivate func eachHit(in path: String, bytesMax: Int64 = .max, _ take: (Hit) -> Bool) {
    guard let file = try? EvidenceFile(path) else { return }
    var scan = SecretScan(self)
    var piece: [UInt8] = []
    var count: Int64 = 0
    while count < bytesMax, (try? file.next(&piece)) == true {
      count += Int64(piece.count)
      guard scan.feed(piece[...]).allSatisfy(take) else { return }
    }
  }

  func found(in path: String) -> [Int] {
    var found: Set<Int> = []
    eachHit(in: path) { hit in
      found.insert(hit.secret)
      return true
    }
    return found.sorted()
  }
}

/// The same search in pieces: a secret may lie across two of them.
struct SecretScan {
  private let search: SecretSearch
  private var rest: [UInt8] = []
  /// The offset of the first byte of `rest`.
  private var offset = 0
  /// Offsets of hits in `rest` that were returned already.
  private var given: Set<Int> = []

  init(_ search: SecretSearch) { self.search = search }

  /// Hits in this piece, or across its beginning; offsets count from the first byte of all.
  mutating func feed(_ piece: ArraySlice<UInt8>) -> [SecretSearch.Hit] {
    guard !search.isEmpty else { return [] }
    rest += piece
    let kept = min(rest.count, search.longest - 1)
    // Hits inside the kept part were returned with the last piece.
    let found = search.hits(in: rest).map { SecretSearch.Hit(secret: $0.secret, offset: $0.offset + offset) }
    let fresh = found.filter { !given.contains($0.offset) }
    offset += rest.count - kept
    rest.removeFirst(rest.count - kept)
    given = Set(found.map(\.offset).filter { $0 >= offset })
    return fresh
  }
}

/// Looks in files for keys in the clear: the wallet's seed, raw, in hexadecimal or in base64, and the beginnings of the
/// usual texts of private keys. For other tools than the judge.
public struct KeySearch {
  private let names: [String]
  private let search: SecretSearch

  private static let texts = [
    ("an extended private key", "xprv9s21ZrQH143K"), ("an extended private key", "tprv8ZgxMBicQKsPd"),
    ("a private key", "-----BEGIN PRIVATE KEY"), ("a private key", "-----BEGIN EC PRIVATE KEY"),
    ("a private key", "-----BEGIN RSA PRIVATE KEY"), ("a private key", "-----BEGIN OPENSSH PRIVATE KEY"),
  ]

  /// With the seed of a phone's home, if its keychain can be opened.
  public init(home: String?) {
    var found = Self.texts.map { ($0.0, Array($0.1.utf8)) }
    if let home {
      let seeds =
        SealedSeed.all(home: home).map(\.bytes) + [EvidenceFile.whole(home + "/Keychain/wallet-seed") ?? []]
      found += seeds.filter { $0.count >= 16 }.map { ("the wallet's seed", $0) }
    }
    names = found.map(\.0)
    search = SecretSearch(found.map(\.1))
  }

  /// The first key in a plain file, as far as `bytesMax`; nil also for a file that cannot be read. Not for a database
  /// that this process has open: closing its file would drop SQLite's locks.
  public func first(in path: String, bytesMax: Int64) -> (what: String, offset: Int)? {
    var first: (what: String, offset: Int)?
    search.eachHit(in: path, bytesMax: bytesMax) { hit in
      first = (names[hit.secret], hit.offset)
      return false
    }
    return first
  }
}
