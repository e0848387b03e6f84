import Ground
import Lightning

/// The user's withdrawals, and the splices in the peer's ledger.
struct WorldSplices: Hashable, Sendable {
  private(set) var withdrawals: [WorldWithdrawal] = []
  private var funding: OutPoint
  private var pending: PendingSplice?
  private(set) var done: [PendingSplice] = []

  init(_ channel: Channel) { funding = channel.funding }

  mutating func ask(_ amountSat: UInt64, as request: UInt64) {
    withdrawals.append(WorldWithdrawal(amountSat: amountSat, request: request))
  }

  func amountSat(ofRequest request: UInt64) -> UInt64? {
    withdrawals.last { $0.request == request }?.amountSat
  }

  mutating func answer(_ request: UInt64, _ answer: WorldWithdrawal.Answer) {
    guard let number = withdrawals.lastIndex(where: { $0.request == request }) else { return }
    withdrawals[number].answer = answer
  }

  /// The peer stored a channel record. False if the funding moved by a splice that no withdrawal requested, or that
  /// does not spend the previous funding.
  mutating func stored(_ record: ChannelRecord) -> Bool {
    if record.funding != funding {
      guard let splice = pending, splice.funding == record.funding,
        withdrawals.contains(where: { $0.amountSat == splice.amountSat }),
        let transaction = try? BitcoinTransaction(decoding: splice.transaction.array),
        transaction.inputs.map(\.outPoint) == [funding]
      else { return false }
      done.append(splice)
      funding = record.funding
    }
    pending = record.splice
    return true
  }

  var takenMsat: UInt64 { done.reduce(0) { $0 + ($1.amountSat + $1.feeSat) * 1000 } }

  /// Differences between both sides' channels when nothing is pending.
  func faultsAtTheEnd(wallet: Channel, peer: Channel) -> [String] {
    let terms = ChannelTerms.standard
    let faults = [
      (
        wallet.funding != peer.funding || wallet.funding != funding,
        "The two sides have different funding outputs."
      ),
      (
        wallet.capacityMsat + takenMsat != terms.walletMsat + terms.providerMsat,
        "The channel's capacity is not the initial one less the amounts and fees of its splices."
      ),
      (done.count > withdrawals.count, "More splices are done than the user requested."),
    ]
    return faults.filter(\.0).map(\.1)
  }
}

/// A withdrawal that the user requested.
public struct WorldWithdrawal: Hashable, Sendable {
  public enum Answer: Hashable, Sendable {
    case begun(TransactionID)
    case refused(String)
  }

  public let amountSat: UInt64
  public fileprivate(set) var answer: Answer?
  /// The phone's number of the request.
  fileprivate let request: UInt64

  fileprivate init(amountSat: UInt64, request: UInt64) {
    self.amountSat = amountSat
    self.request = request
  }
}
