import Ground

/// Numbers of 64 bits in JSON for others: readers that keep numbers as doubles (jq 1.6, JavaScript) round them above 2^53
/// without a word, so they are written as strings. Which members these are is a matter of their names, and not of how
/// large a number happens to be.
enum ExactNumbers {
  private static let suffixes = ["_ns", "_msat", "Msat", "epoch", "Epoch", "incarnation"].map {
    Array($0.utf8)
  }

  static func areMeant(by name: ArraySlice<UInt8>) -> Bool {
    suffixes.contains { name.count >= $0.count && name.suffix($0.count).elementsEqual($0) }
  }

  /// The same document with quotes around each integer that is meant, also those in an array of such a name.
  static func quoted(_ json: String) -> String {
    var scanner = Scanner(bytes: Array(json.utf8))
    return String(decoding: scanner.run(), as: UTF8.self)
  }

  private struct Scanner {
    let bytes: [UInt8]
    private var place = 0
    private var written: [UInt8] = []
    /// The name before the value that comes, if it is a value of a member.
    private var isMeant = false
    /// Whether the numbers of each open array are meant; an object opens with false.
    private var open: [Bool] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func run() -> [UInt8] {
      written.reserveCapacity(bytes.count + 64)
      while place < bytes.count { step() }
      return written
    }

    private mutating func step() {
      switch bytes[place] {
      case UInt8(ascii: "\""): string()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
      case UInt8(ascii: "["):
        open.append(isMeant)
        copy()
      case UInt8(ascii: "{"):
        open.append(false)
        isMeant = false
        copy()
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        _ = open.popLast()
        copy()
      case UInt8(ascii: ","):
        isMeant = open.last ?? false
        copy()
      default: copy()
      }
    }

    private mutating func copy() {
      written.append(bytes[place])
      place += 1
    }

    private mutating func string() {
      let start = place
      place += 1
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
      }
      place = min(place + 1, bytes.count)
      written += bytes[start..<place]
      guard place < bytes.count, bytes[place] == UInt8(ascii: ":") else { return }
      isMeant = ExactNumbers.areMeant(by: bytes[start + 1..<place - 1])
    }

    private mutating func number() {
      let start = place
      let ends: [UInt8] = Array(",]} \n\t\r".utf8)
      while place < bytes.count, !ends.contains(bytes[place]) { place += 1 }
      let number = bytes[start..<place]
      let isWhole = number.dropFirst(number.first == UInt8(ascii: "-") ? 1 : 0)
        .allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let quote = isMeant && isWhole ? [UInt8(ascii: "\"")] : []
      written += quote + number + quote
    }
  }
}
