import Ground
import Crypto
import Guardrails
import Lightning
import PhonePolicy
import Wallet

// The user withdraws on chain by a splice. The request takes the path of a payment.
extension World {
  static let walletKey = fundingKey(1)
  static let peerKey = fundingKey(2)
  private static let target = OutputScript(Bytes([0, 20] + [UInt8](repeating: 7, count: 20)))

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

  mutating func postWithdrawal(ofRequest request: UInt64) {
    guard let amountSat = splices.amountSat(ofRequest: request) else { return }
    lives.app?.value.inbox.append(
      .requests(
        .asked("\(request)", .withdrawal(SpliceRequest(amountSat: amountSat, script: Self.target)))))
  }

  mutating func answerWithdrawal(_ request: String, _ answer: WorldWithdrawal.Answer) {
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    splices.answer(request, answer)
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
