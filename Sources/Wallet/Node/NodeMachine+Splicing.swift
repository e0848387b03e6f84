import Ground
import Lightning

// Withdrawals on chain. The wallet begins a splice when a user requests it; from the first signature on it belongs
// to the channel, and any later owner of the node completes it.
extension NodeMachine {
  /// The connection is closed when a splice makes no progress for this long; the next one resumes the splice.
  static let spliceTimeout = TimeSpan.seconds(30)

  static let spliceGivenUp =
    "the node was stopped before anything was signed; no money was moved; open the app and try again"
  static let spliceTimedOut =
    "the wallet did not reach its peer, or could not write its database, within 5 s; no money was moved; try again"
  static let spliceLost = "the connection ended before anything was signed; no money was moved; try again"
  static let spliceUnderWay = "another withdrawal from the channel is pending; wait until it has ended"
  static let spliceStalled = "the peer did not answer for 30 s; no money was moved; try again"
  static let doesNotSplice = "the peer does not support splicing, which a withdrawal needs"

  mutating func spliceRequested(_ request: SpliceRequest, at now: Instant) -> [NodeDirective] {
    switch state {
    case .stopped, .draining: return [.spliceRefused(.notHeld)]
    default: break
    }
    if let failedSentence { return [.spliceRefused(.because(failedSentence))] }
    guard wantedSplice == nil, node.channel?.pendingSplice == nil, channel?.pendingSplice == nil else {
      return [.spliceRefused(.because(Self.spliceUnderWay))]
    }
    wantedSplice = WantedSplice(request: request, giveUpAt: now + Self.payTimeout)
    return advance(mustStore: false, at: now) + endPause()
  }

  /// Begins the requested splice in the channel (stfu).
  mutating func beginWanted(_ channel: inout Channel, at now: Instant) -> [NodeDirective] {
    guard var wanted = wantedSplice, !wanted.isBegun, stage == .established, acceptsPayments,
      channel.isReestablished
    else { return [] }
    do throws(ChannelError) { try channel.beginSplice(wanted.request) } catch {
      wantedSplice = nil
      return [.spliceRefused(.because(Self.sentence(error)))]
    }
    wanted.isBegun = true
    wantedSplice = wanted
    connection.spliceStallsAt = now + Self.spliceTimeout
    return []
  }

  private static func sentence(_ error: ChannelError) -> String {
    switch error {
    case .doesNotSplice: doesNotSplice
    case .spliceUnderWay: spliceUnderWay
    case .belowDust(let least):
      "the amount is below the dust limit; withdraw at least \(AmountText.words(sat: least))"
    case .spliceAboveBalance(let available):
      "the wallet can withdraw at most \(AmountText.words(sat: available)) now, besides the fee; withdraw less, or receive some first"
    default: "the channel refused the splice: \(error)"
    }
  }

  var isSplicing: Bool { channel?.pendingSplice != nil || channel?.isNegotiatingSplice == true }

  /// Every message of the splice extends its time limit.
  mutating func watchSplice(_ message: Message? = nil, at now: Instant) {
    guard isSplicing else { return connection.spliceStallsAt = nil }
    if connection.spliceStallsAt == nil || message?.isOfSplice == true {
      connection.spliceStallsAt = now + Self.spliceTimeout
    }
  }

  /// An unsigned splice ends with its connection.
  mutating func refuseNegotiation(_ sentence: String) -> [NodeDirective] {
    guard wantedSplice?.isBegun == true else { return [] }
    return refuseSplice(sentence)
  }

  /// Not if the step under way binds this side to the splice.
  mutating func refuseSplice(_ sentence: String) -> [NodeDirective] {
    guard wantedSplice != nil, !isBindingSplice else { return [] }
    wantedSplice = nil
    return [.spliceRefused(.because(sentence))]
  }

  var isBindingSplice: Bool {
    wantedSplice?.isBegun == true && step?.change.channel?.pendingSplice != nil
      && node.channel?.pendingSplice == nil
  }

  func givenUp(by facts: [ChannelFact]) -> String? {
    for case .spliceGivenUp(let why) in facts { return why }
    return nil
  }

  /// Disconnects: the channel stays quiescent until the connection ends.
  mutating func endNegotiation(_ why: String, at now: Instant) -> [NodeDirective] {
    refuseNegotiation("the splice failed: \(why); no money was moved")
      + redial("a splice failed: \(why)", at: now)
  }

  // MARK: Durable changes

  /// The answers to a durable change of the splice.
  mutating func answerSplice(since before: Channel?, isRestored: Bool) -> [NodeDirective] {
    let (old, new) = (before?.pendingSplice, node.channel?.pendingSplice)
    guard old?.id != new?.id else { return [] }
    var directives: [NodeDirective] = []
    if let old {
      let isDone = node.channel?.funding == old.funding
      directives.append(.spliceEnded(old.id, isDone ? .done : isRestored ? .lost : .forgotten))
      // Without a connection the activity is not reported otherwise.
      if new == nil, !isRunning { directives += sayNoSplice() }
    }
    guard let new else { return directives }
    // A splice out of a backup is not the requested one.
    guard wantedSplice?.isBegun == true else { return directives + refuseSplice(Self.spliceUnderWay) }
    wantedSplice = nil
    return directives + [.spliceBegun(new)]
  }

  private mutating func sayNoSplice() -> [NodeDirective] {
    var activity = saidActivity
    activity.isSplicing = false
    return say(activity)
  }

  // MARK: Time limits

  var spliceDeadline: Instant? {
    if let wanted = wantedSplice, !wanted.isBegun { return wanted.giveUpAt }
    return stage == .established ? connection.spliceStallsAt : nil
  }

  mutating func spliceLate(at now: Instant) -> [NodeDirective] {
    if let wanted = wantedSplice, !wanted.isBegun, wanted.giveUpAt <= now {
      return refuseSplice(Self.spliceTimedOut)
    }
    connection.spliceStallsAt = nil
    return refuseNegotiation(Self.spliceStalled) + redial("a splice made no progress in 30 s", at: now)
  }
}

extension Message {
  var isOfSplice: Bool {
    switch self {
    case .quiescence, .spliceInit, .spliceAck, .addInput, .addOutput, .transactionComplete,
      .transactionSignatures, .transactionAbort, .spliceLocked:
      true
    case .commitmentSigned(let body): body.funding != nil
    default: false
    }
  }
}
