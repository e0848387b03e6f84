import Ground
import Bitcoin
import LightningChannel

/// What the user has taken out of the channel on chain, or wanted to; and what has left it, as the peer's ledger has it.
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

  /// The peer's ledger has another channel. False unless money leaves by what the user wanted, and from where it was.
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

  /// What is wrong with the two ends of the channel when nothing is under way.
  func faultsAtTheEnd(wallet: Channel, peer: Channel) -> [String] {
    let terms = ChannelTerms.standard
    let faults = [
      (
        wallet.funding != peer.funding || wallet.funding != funding,
        "The two ends have the channel's money in different places."
      ),
      (
        wallet.capacityMsat + takenMsat != terms.walletMsat + terms.providerMsat,
        "The channel does not hold what splices have left in it."
      ),
      (done.count > withdrawals.count, "Money has left on chain more often than the user wanted it."),
    ]
    return faults.filter(\.0).map(\.1)
  }
}

/// Money that the user wants taken out of the channel on chain.
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
