import Bitcoin
import LightningChannel

/// Money that the person wants taken out of the channel on chain.
public struct WorldWithdrawal: Hashable, Sendable {
  public enum Answer: Hashable, Sendable {
    case begun(TransactionID)
    case refused(String)
  }

  public let amountSat: UInt64
  public internal(set) var answer: Answer?
  /// The phone's number of the request.
  let request: UInt64

  init(amountSat: UInt64, request: UInt64) {
    self.amountSat = amountSat
    self.request = request
  }
}

/// What has left the channel, as the peer's ledger has it.
struct WorldFundings: Hashable, Sendable {
  var now: OutPoint
  var pending: PendingSplice?
  var done: [PendingSplice] = []

  init(_ channel: Channel) { now = channel.funding }

  var takenMsat: UInt64 { done.reduce(0) { $0 + ($1.amountSat + $1.feeSat) * 1000 } }
}
