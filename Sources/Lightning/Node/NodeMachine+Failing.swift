import Ground
import LightningWire

// The peer reports an error. BOLT 1: about the channel, or about all of them, it fails the channel; about another one it
// means nothing here.
extension NodeMachine {
  mutating func errorReported(_ complaint: Complaint, at now: Instant) -> [NodeDirective] {
    let isForAll = complaint.channel == .zero
    // Hanging up, nothing is begun any more: a peer that has failed the channel says so again (BOLT 2).
    if case .draining = state { return redial("the peer reports an error: \(complaint.text)", at: now) }
    let backup = backupOfLaterState
    guard let id = node.channel?.id ?? channel?.id ?? backup?.channel.id,
      complaint.channel == id || isForAll && hasHeard(of: id)
    else {
      guard isForAll || node.channel == nil else {
        return [.report(.trouble("the peer reports an error about another channel: \(complaint.text)"))]
      }
      return redial("the peer reports an error: \(complaint.text)", at: now)
    }
    return channelFailed(ChannelFailure(channel: id, reason: complaint.text), backup)
  }

  /// A container that is new hears of its channel from the backup that its own seed has sealed, and one that the wallet has
  /// come back to what became of the channel elsewhere.
  private var backupOfLaterState: NodeBackup? {
    guard step?.change.channel == nil, case .backup(let backup)? = heardSoFar?.backup,
      backup.channel.isNewer(than: node.channel)
    else { return nil }
    return backup
  }

  private var heardSoFar: Heard? {
    switch state {
    case .initMessage(let heard, _), .reading(let heard), .readingAgain(let heard, _), .adopting(let heard),
      .awaitingBackup(let heard, _):
      heard
    default: nil
    }
  }

  /// A peer that has not spoken of this channel may be another node than the channel's: at a wrong address, or a stranger's.
  /// Its word about all channels is not about this one. The channel's own peer repeats its error with the channel's id.
  private func hasHeard(of id: Bytes32) -> Bool {
    if stage == .established { return true }
    if case .backup(let backup)? = heardSoFar?.backup, backup.channel.id == id { return true }
    return heardSoFar?.reestablish?.channel == id
  }

  /// Ends all that was under way. What is being made durable becomes so, and the failure behind it.
  private mutating func channelFailed(_ failure: ChannelFailure, _ backup: NodeBackup?) -> [NodeDirective] {
    let refusals = refuseInvoices(failure.sentence, besides: nil)
    let unpaid = refusePayments(failure.sentence) + refuseSplice(failure.sentence) + unanswered.giveUp()
    forgetConnection()
    state = .failed
    self.failure = failure
    var change = backup?.change(after: node.accepted) ?? NodeChange()
    change.failure = failure
    failureToStore = change
    return refusals + unpaid + [.cutOff, .report(.trouble(failure.sentence))] + storeFailure()
  }

  /// Behind the step that is under way. An owner that has stopped begins no write any more: the peer tells the next one.
  mutating func storeFailure() -> [NodeDirective] {
    guard stage == .failed, step == nil, let change = failureToStore else { return [] }
    failureToStore = nil
    step = Step(change: change)
    return write(change)
  }

  /// Another owner of the node has heard of it: nobody is dialled.
  mutating func restsFailed() -> [NodeDirective] {
    guard let failure = node.failure else { return [] }
    let refusals = refusePayments(failure.sentence) + refuseSplice(failure.sentence) + unanswered.giveUp()
    forgetConnection()
    self.failure = failure
    state = .failed
    return refusals + [.cutOff, .report(.trouble(failure.sentence))]
  }

  /// What somebody hears who wants something of a channel that has failed.
  var failedSentence: String? { stage == .failed ? failure?.sentence : nil }
}
