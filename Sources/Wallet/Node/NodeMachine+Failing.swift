import Ground
import Lightning

// The peer sends `error`. BOLT 1: with the channel's id, or zero for all channels, it fails the channel; with
// another id it has no effect.
extension NodeMachine {
  mutating func errorReported(_ error: ErrorOrWarning, at now: Instant) -> [NodeDirective] {
    let isForAll = error.channel == .zero
    // No write is begun while disconnecting: a peer that has failed the channel repeats the error (BOLT 2).
    if case .draining = state { return redial("the peer reports an error: \(error.text)", at: now) }
    let backup = backupOfLaterState
    guard let id = node.channel?.id ?? channel?.id ?? backup?.channel.id,
      error.channel == id || isForAll && peerKnows(id)
    else {
      guard isForAll || node.channel == nil else {
        return [.report(.trouble("the peer reports an error about another channel: \(error.text)"))]
      }
      return redial("the peer reports an error: \(error.text)", at: now)
    }
    return channelFailed(ChannelFailure(channel: id, reason: error.text), backup)
  }

  /// A backup newer than the container: the container is new, or another container of this wallet has used the
  /// channel since.
  private var backupOfLaterState: NodeBackup? {
    guard step?.change.channel == nil, case .backup(let backup)? = earlyMessages?.backup,
      backup.channel.isNewer(than: node.channel)
    else { return nil }
    return backup
  }

  private var earlyMessages: Heard? {
    switch state {
    case .exchangingInit(let heard, _), .reading(let heard), .readingAgain(let heard, _),
      .adopting(let heard),
      .awaitingBackup(let heard, _):
      heard
    default: nil
    }
  }

  /// Whether the peer has shown that it knows this channel. A peer that has not may be another node, at a wrong
  /// address: its error about all channels is not about this one. The channel's own peer repeats its error with the
  /// channel's id.
  private func peerKnows(_ id: Bytes32) -> Bool {
    if stage == .established { return true }
    if case .backup(let backup)? = earlyMessages?.backup, backup.channel.id == id { return true }
    return earlyMessages?.reestablish?.channel == id
  }

  /// Refuses all pending requests. The step that is being stored goes on, and the failure is stored after it.
  private mutating func channelFailed(_ failure: ChannelFailure, _ backup: NodeBackup?) -> [NodeDirective] {
    let refusals = refuseInvoices(failure.sentence, besides: nil)
    let unpaid = refusePayments(failure.sentence) + refuseSplice(failure.sentence) + unanswered.giveUp()
    forgetConnection()
    state = .failed
    self.failure = failure
    var change = backup.map(adoption) ?? NodeChange()
    change.failure = failure
    failureToStore = change
    return refusals + unpaid + [.cutOff, .report(.trouble(failure.sentence))] + storeFailure()
  }

  /// After the step under way. A stopped owner begins no write: the peer sends the error to the next one.
  mutating func storeFailure() -> [NodeDirective] {
    guard stage == .failed, step == nil, let change = failureToStore else { return [] }
    failureToStore = nil
    step = Step(change: change)
    return write(change)
  }

  /// Another owner has stored the channel's failure: the peer is not dialled.
  mutating func stayFailed() -> [NodeDirective] {
    guard let failure = node.failure else { return [] }
    let refusals = refusePayments(failure.sentence) + refuseSplice(failure.sentence) + unanswered.giveUp()
    forgetConnection()
    self.failure = failure
    state = .failed
    return refusals + [.cutOff, .report(.trouble(failure.sentence))]
  }

  /// The answer to a request for a failed channel.
  var failedSentence: String? { stage == .failed ? failure?.sentence : nil }
}
