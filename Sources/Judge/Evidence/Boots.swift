import Ground

/// The monotonic clock begins again with each boot of the machine. The judge's clock has one boot after the other, in
/// the order of lspd's starts and of the epochs: on it later is later. Of one boot it is the monotonic clock itself.
struct Boots {
  /// As in the ledger, whose times have the number of the boot in their upper bits.
  private static let lengthNs: Int64 = 1 << 55
  private var begins: [Substring: Int64] = [:]

  /// The boots of lspd's starts and of the claims, in their order.
  init(runs: [String] = [], claims: [String] = []) {
    for (number, boot) in runs.uniqued.enumerated() {
      begins[Self.machine(boot)] = Int64(number) &* Self.lengthNs
    }
    insert(claims)
  }

  /// Those without a start of lspd lie behind the one before: up to seven, of up to 52 days each.
  mutating func insert(_ boots: [String]) {
    let step = begins.isEmpty ? Self.lengthNs : Self.lengthNs / 8
    var last = -Self.lengthNs
    for boot in boots {
      last = begins[Self.machine(boot)] ?? last &+ step
      begins[Self.machine(boot)] = last
    }
  }

  /// Of a boot's id, the first half is that of the machine's boot; the second is the phone's own.
  private static func machine(_ boot: String) -> Substring { boot.prefix(16) }

  /// Where its clock begins.
  func beginNs(of boot: String?) -> Int64 { boot.flatMap { begins[Self.machine($0)] } ?? 0 }

  /// Whether a time of the ledger is of that boot; nil is any.
  func have(_ stampNs: Int64, in boot: String?) -> Bool {
    guard let boot else { return true }
    return beginNs(of: boot) == stampNs / Self.lengthNs * Self.lengthNs
  }

  /// The boot of the machine on which the judge runs.
  var nowBeginNs: Int64 {
    let id = EvidenceFile.ofKernel("/proc/sys/kernel/random/boot_id")
    let boot = String(id.filter { $0 != "-" }.prefix(32))
    return begins[Self.machine(boot)] ?? begins.values.max() ?? 0
  }
}
