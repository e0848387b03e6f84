/// When the wallet was in which container. The user may move it, and each container's database covers only its own
/// time.
struct WalletMoves {
  /// The peer accepted one container in place of another.
  struct Move {
    let frame: Int64
    let atNs: Int64
    let from: ReplacedFenceClaim
    let to: FenceClaim
  }

  let all: [Move]
  /// The container whose database is judged.
  let container: [UInt8]?

  /// A move needs both the wallet's `init` and the peer's fence: a row alone proves nothing.
  init(_ ledger: LedgerEvidence, container: [UInt8]?) {
    self.container = container
    var places: [FenceClaim: Int] = [:]
    for (place, fence) in ledger.fences.enumerated() { places[fence.claim] = places[fence.claim] ?? place }
    var moves: [Move] = []
    for frame in ledger.frames where frame.entry.isIn {
      guard case .initMessage(let claim?, _, let replaced?) = frame.message,
        replaced.container != claim.container, let place = places[claim], place > 0,
        moves.last?.to != claim
      else { continue }
      let before = ledger.fences[place - 1].claim
      guard before.epoch == replaced.epoch, before.container == replaced.container else { continue }
      moves.append(Move(frame: frame.entry.id, atNs: frame.entry.atNs, from: replaced, to: claim))
    }
    // Moves between two other containers are no evidence for this home.
    let isOne = moves.contains { $0.from.container == container || $0.to.container == container }
    all = isOne ? moves : []
  }

  /// Whether the wallet was in this container then.
  func isHere(atNs instant: Int64?) -> Bool {
    guard let instant, let first = all.first else { return true }
    let owner = all.last { $0.atNs <= instant }?.to.container ?? first.from.container
    return owner == container
  }

  func isHere(frame: Int64) -> Bool {
    guard let first = all.first else { return true }
    return (all.last { $0.frame <= frame }?.to.container ?? first.from.container) == container
  }

  /// Whether the wallet is in this container at the end.
  var isHereNow: Bool { all.last.map { $0.to.container == container } ?? true }

  /// The frame with which the wallet left this container for good.
  var lastFrame: Int64? { isHereNow ? nil : all.last { $0.from.container == container }?.frame }

  var arrivals: [Move] { all.filter { $0.to.container == container } }

  var otherContainers: Set<[UInt8]> {
    Set(all.flatMap { [$0.from.container, $0.to.container] }.filter { $0 != container })
  }
}
