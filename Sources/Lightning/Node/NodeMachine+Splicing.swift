import Ground
import LightningWire
import LightningChannel

// Money that leaves the channel for the chain. The wallet begins a splice when a user wants one; from the first
// signature on it is the channel's, and whoever owns the node brings it to its end.
extension NodeMachine {
  /// A splice that gets no further for so long gives the connection up: the next one begins where this one is.
  static let splicePatience = TimeSpan.seconds(30)

  static let spliceGivenUp =
    "the node was given up before anything was signed; nothing has moved; open the app and try again"
  static let spliceInVain = "the wallet did not reach its peer within 5 s; nothing has moved; try again"
  static let spliceLost = "the connection ended before anything was signed; nothing has moved; try again"
  static let spliceUnderWay = "money is being taken out of the channel already; wait until that is over"
  static let spliceStalled = "the peer did not answer for 30 s; nothing has moved; try again"
  static let doesNotSplice = "the peer does not splice, so no money can be taken out of the channel on chain"

  mutating func spliceRequested(_ request: SpliceRequest, at now: Instant) -> [NodeDirective] {
    switch state {
    case .stopped, .draining: return [.spliceRefused(.notHeld)]
    default: break
    }
    if let failedSentence { return [.spliceRefused(.because(failedSentence))] }
    guard wantedSplice == nil, node.channel?.pendingSplice == nil, channel?.pendingSplice == nil else {
      return [.spliceRefused(.because(Self.spliceUnderWay))]
    }
    wantedSplice = WantedSplice(request: request, giveUpAt: now + Self.payPatience)
    return advance(mustStore: false, at: now) + hurry()
  }

  /// Asks the channel for rest. What was wanted before is in it already.
  mutating func beginWanted(_ channel: inout Channel, at now: Instant) -> [NodeDirective] {
    guard var wanted = wantedSplice, !wanted.isBegun, stage == .established, acceptsPayments,
      channel.isReestablished
    else { return [] }
    do throws(ChannelError) {
      try channel.beginSplice(wanted.request)
    } catch {
      wantedSplice = nil
      return [.spliceRefused(.because(Self.sentence(error)))]
    }
    wanted.isBegun = true
    wantedSplice = wanted
    connection.spliceStallsAt = now + Self.splicePatience
    return []
  }

  private static func sentence(_ error: ChannelError) -> String {
    switch error {
    case .doesNotSplice: doesNotSplice
    case .spliceUnderWay: spliceUnderWay
    case .belowDust(let least):
      "the amount is below what an output may be: take at least \(AmountText.words(sat: least))"
    case .spliceAboveBalance(let available):
      "the wallet can send \(AmountText.words(sat: available)) on chain now, beside the fee; take less, or receive some first"
    default: "the channel does not take the splice: \(error)"
    }
  }

  var isSplicing: Bool { channel?.pendingSplice != nil || channel?.isTalkingOfSplice == true }

  /// With every message of it there is more patience.
  mutating func watchSplice(_ message: Message? = nil, at now: Instant) {
    guard isSplicing else { return connection.spliceStallsAt = nil }
    if connection.spliceStallsAt == nil || message?.isOfSplice == true {
      connection.spliceStallsAt = now + Self.splicePatience
    }
  }

  /// What was said on this connection is gone with it.
  mutating func refuseTalk(_ sentence: String) -> [NodeDirective] {
    guard wantedSplice?.isBegun == true else { return [] }
    return refuseSplice(sentence)
  }

  /// Unless the step under way is about to bind this side to it.
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

  /// The channel rests until the connection ends, so it ends now.
  mutating func endTalk(_ why: String, at now: Instant) -> [NodeDirective] {
    refuseTalk("the peer does not go along: \(why); nothing has moved")
      + redial("nothing came of a splice: \(why)", at: now)
  }

  // MARK: What is durable

  /// For whoever asked. Only what is durable is told.
  mutating func tellOfSplice(since before: Channel?, isRestored: Bool) -> [NodeDirective] {
    let (old, new) = (before?.pendingSplice, node.channel?.pendingSplice)
    guard old?.id != new?.id else { return [] }
    var directives: [NodeDirective] = []
    if let old {
      let isDone = node.channel?.funding == old.funding
      directives.append(.spliceEnded(old.id, isDone ? .done : isRestored ? .lost : .forgotten))
      // There may be no connection on which it would be said.
      if new == nil, !isRunning { directives += sayNoSplice() }
    }
    guard let new else { return directives }
    // One that comes out of a backup is not the one that a user waits for now.
    guard wantedSplice?.isBegun == true else { return directives + refuseSplice(Self.spliceUnderWay) }
    wantedSplice = nil
    return directives + [.spliceBegun(new)]
  }

  private mutating func sayNoSplice() -> [NodeDirective] {
    var activity = saidActivity
    activity.isSplicing = false
    return say(activity)
  }

  // MARK: Patience

  var spliceDeadline: Instant? {
    if let wanted = wantedSplice, !wanted.isBegun { return wanted.giveUpAt }
    return stage == .established ? connection.spliceStallsAt : nil
  }

  mutating func spliceLate(at now: Instant) -> [NodeDirective] {
    if let wanted = wantedSplice, !wanted.isBegun, wanted.giveUpAt <= now { return refuseSplice(Self.spliceInVain) }
    connection.spliceStallsAt = nil
    return refuseTalk(Self.spliceStalled) + redial("the peer got no further with a splice in 30 s", at: now)
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
