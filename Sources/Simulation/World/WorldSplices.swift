import Crypto
import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

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
}

// The user withdraws on chain by a splice. The request takes the path of a payment.
extension World {
  static let walletKey = fundingKey(1)
  static let peerKey = fundingKey(2)
  static let target = OutputScript(Bytes([0, 20] + [UInt8](repeating: 7, count: 20)))

  /// To which the peer seals its pushes: each device has its own.
  static func pushKey(of device: UInt8) -> CurvePoint { fundingKey(3 + device) }

  private static func fundingKey(_ number: UInt8) -> CurvePoint {
    guard let secret = Bytes32([UInt8](repeating: number, count: 32)), let key = PrivateKey(secret) else {
      preconditionFailure("every small number is a key")
    }
    return CurvePoint(key.publicKey)
  }

  mutating func withdraw(_ amountSat: UInt64) {
    let request = numbers.request()
    splices.ask(amountSat, as: request)
    tellPhone(.appAsked(request: request, inFront: true))
  }

  // MARK: Checks

  /// No splice is pending on either side, and no request is open.
  var areSplicesOver: Bool {
    guard settings.splices else { return true }
    let (wallet, other) = (container.value.node.channel, peer.value.state.channel)
    return wallet?.pendingSplice == nil && other.mayUpdate
      && lives.app?.value.wallet.requests.open.isEmpty ?? true
  }

  mutating func checkFunding(_ record: ChannelRecord) {
    guard settings.splices, !splices.stored(record) else { return }
    report(.sentOnce, "The channel moves to a funding transaction that the user did not request.")
  }

  /// Messages that bind the wallet to a splice are durable before they are sent.
  mutating func checkBinding(_ message: Message, of life: Life) {
    guard settings.splices, container.value.isOwned(by: life.claim) else { return }
    let channel = container.value.node.channel
    let isDurable =
      switch message {
      case .commitmentSigned(let body):
        body.funding == nil || body.funding == channel?.funding.transaction
          || body.funding == channel?.pendingSplice?.id
      case .transactionSignatures(let body):
        channel?.pendingSplice?.id == body.transaction && channel?.pendingSplice?.stage == .signed
      default: true
      }
    if !isDurable { report(.sentOnce, "The wallet signs a splice before the splice is durable.") }
  }

  mutating func checkSplicesAtTheEnd() {
    guard settings.splices, violation == nil, let wallet = container.value.node.channel else { return }
    for fault in splices.faultsAtTheEnd(wallet: wallet, peer: peer.value.state.channel) {
      report(.sentOnce, fault)
    }
  }
}
