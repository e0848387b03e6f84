import Lightning
import Ground

// Hints for senders: whether another attempt would arrive, from the state at the moment of the question. The order of
// the checks is the order of the table in docs/protocols.md.
extension PeerMachine {
  /// The wallet is there: a payment needs no wait.
  static let delayWhenConnected = TimeSpan.seconds(1)
  /// A pushed wallet is usually connected by then; balance and places in the channel are free when a payment has ended.
  static let delayWhenAway = TimeSpan.seconds(5)

  public func hint(for question: HintQuestion, at now: Instant) -> ForwardingHint {
    // The LSP has one channel: to any other node there is no route from here, whenever the sender asks.
    guard let wallet = state.wallet, question.recipient == wallet else {
      return ForwardingHint(.doNotRetry, .unknown)
    }
    return hint(forAmountMsat: question.amountMsat, at: now)
  }

  /// For a payment to the wallet.
  public func hint(forAmountMsat amountMsat: UInt64, at now: Instant) -> ForwardingHint {
    guard state.failure == nil else { return ForwardingHint(.doNotRetry, .recipientChannelDisabled) }
    let balanceMsat = state.channel.localMsat
    // What is in the channel comes back if it fails, and what is held is not spent yet.
    let offeredMsat = sum(of: state.payments.filter { !$0.isHeld })
    guard amountMsat <= balanceMsat.addingSaturated(offeredMsat) else {
      return ForwardingHint(.doNotRetry, .insufficientLiquidity)
    }
    let heldMsat = sum(of: state.payments.filter(\.isHeld))
    guard amountMsat <= balanceMsat - min(balanceMsat, heldMsat) else {
      return ForwardingHint(.retryLater, .insufficientLiquidity, after: Self.delayWhenAway)
    }
    guard state.payments.count < Self.paymentLimit else {
      return ForwardingHint(.retryLater, .unknown, after: Self.delayWhenAway)
    }
    guard registered == nil else {
      // Between `init` and the re-establishment of the channel is less than a second.
      let reason: ForwardingHint.Reason = state.channel.isReestablished ? .unknown : .disconnected
      return ForwardingHint(.retryNow, reason, after: Self.delayWhenConnected)
    }
    return ForwardingHint(.retryLater, .disconnected, after: delayUntilThere(at: now))
  }

  /// Counted from the newest push since the wallet left, while that may still be on its way.
  private func delayUntilThere(at now: Instant) -> TimeSpan {
    guard let calledAt = calls.calledAt, now < calledAt + WalletCalls.callBound else {
      return Self.delayWhenAway
    }
    return max(Self.delayWhenConnected, calledAt + Self.delayWhenAway - now)
  }

  /// A sender chooses the amounts of held payments, which may exceed any balance.
  private func sum(of payments: [PeerPayment]) -> UInt64 {
    payments.reduce(0) { $0.addingSaturated($1.request.amountMsat) }
  }
}

extension UInt64 {
  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}

extension ForwardingHint {
  fileprivate init(_ hint: Advice, _ reason: Reason, after delay: TimeSpan) {
    self.init(hint, reason, recommendedDelayMs: UInt64(max(0, delay.wholeMilliseconds)))
  }
}
