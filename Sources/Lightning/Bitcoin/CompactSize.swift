/// Bitcoin's CompactSize, little-endian; only the shortest form is accepted.
enum CompactSize {
  static func size(of value: Int) -> Int {
    switch value {
    case ..<0xfd: 1
    case ...0xffff: 3
    case ...0xffff_ffff: 5
    default: 9
    }
  }
}
