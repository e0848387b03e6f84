import Ground
import Crypto
import Guardrails
import Lightning
import PhonePolicy
import Wallet

// The person takes money out of the channel. The way is that of a payment.
extension World {
  static let walletKey = fundingKey(1)
  static let peerKey = fundingKey(2)
  private static let target = OutputScript(Bytes([0, 20] + [UInt8](repeating: 7, count: 20)))

  private static func fundingKey(_ number: UInt8) -> CurvePoint {
    guard let secret = Bytes32([UInt8](repeating: number, count: 32)), let key = PrivateKey(secret) else {
      preconditionFailure("every small number is a key")
    }
    return CurvePoint(key.publicKey)
  }

  mutating func withdraw(_ amountSat: UInt64) {
    sendRequests &+= 1
    withdrawals.append(WorldWithdrawal(amountSat: amountSat, request: sendRequests))
    tellPhone(.appAsked(request: sendRequests, inFront: true))
  }

  mutating func postWithdrawal(ofRequest request: UInt64) {
    guard let wanted = withdrawals.last(where: { $0.request == request }) else { return }
    lives.app?.value.inbox.append(
      .requests(
        .asked(
          "\(request)", .withdrawal(SpliceRequest(amountSat: wanted.amountSat, script: Self.target)))))
  }

  mutating func answerWithdrawal(_ request: String, _ answer: WorldWithdrawal.Answer) {
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    guard let number = withdrawals.lastIndex(where: { $0.request == request }) else { return }
    withdrawals[number].answer = answer
  }

  // MARK: What is so

  /// None is half-way at either end, and nobody waits for anything of one.
  var areSplicesOver: Bool {
    guard settings.splices else { return true }
    let (wallet, other) = (container.value.node.channel, peer.value.state.channel)
    return wallet?.pendingSplice == nil && other.mayUpdate
      && lives.app?.value.wallet.requests.open.isEmpty ?? true
  }

  /// The peer's ledger has another channel. Money leaves by what the person wanted, and from where it was.
  mutating func checkFunding(_ record: ChannelRecord) {
    guard settings.splices else { return }
    if record.funding != fundings.now {
      guard let splice = fundings.pending, splice.funding == record.funding,
        withdrawals.contains(where: { $0.amountSat == splice.amountSat }),
        let transaction = try? BitcoinTransaction(decoding: splice.transaction.array),
        transaction.inputs.map(\.outPoint) == [fundings.now]
      else { return report(.sentOnce, "The channel moves to a funding that the person has not asked for.") }
      fundings.done.append(splice)
      fundings.now = record.funding
    }
    fundings.pending = record.splice
  }

  /// What binds the wallet to a splice is in its container before it leaves.
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
    if !isDurable { report(.sentOnce, "The wallet signs for a splice before that is durable.") }
  }

  mutating func checkSplicesAtTheEnd() {
    guard settings.splices, violation == nil, let wallet = container.value.node.channel else { return }
    let channel = peer.value.state.channel
    if wallet.funding != channel.funding || wallet.funding != fundings.now {
      report(.sentOnce, "The two ends have the channel's money in different places.")
    }
    let terms = ChannelTerms.standard
    if wallet.capacityMsat + fundings.takenMsat != terms.walletMsat + terms.providerMsat {
      report(.sentOnce, "The channel does not hold what splices have left in it.")
    }
    if fundings.done.count > withdrawals.count {
      report(.sentOnce, "Money has left on chain more often than the person wanted it.")
    }
  }
}
