import Ground
import Lightning

// From the dial to the re-established channel.
extension NodeMachine {
  mutating func rowRead(_ row: ClaimRow?, at now: Instant) -> [NodeDirective] {
    guard stage == .checkingRow else { return [] }
    guard owns(row) else { return fenced() }
    state = .dialling(giveUpAt: now + pace.dialBound)
    return [.dial(attempt: pace.attempt)]
  }

  mutating func dialled(at now: Instant) -> [NodeDirective] {
    guard case .dialling = state, let claim else { return [] }
    state = .exchangingInit(Heard(), giveUpAt: now + pace.initBound)
    let initMessage = InitMessage(
      features: .ofWallet(splices: fundingKey != nil), fence: claim, replaces: replacing)
    return [.send([.message(.initMessage(initMessage))])]
  }

  mutating func closed(_ why: String, at now: Instant) -> [NodeDirective] {
    switch state {
    case .draining:
      state = .stopped
      return [.report(.stopped)]
    case .dialling, .exchangingInit, .reading, .readingAgain, .adopting, .awaitingBackup, .established, .mute:
      return redial(why, at: now)
    case .stopped, .preparing, .offline, .pausing, .checkingRow, .failed: return []
    }
  }

  /// Collects the peer's messages until `channel_reestablish`; none is answered from the state in memory.
  mutating func receivedInInit(
    _ message: Message, _ before: Heard, at now: Instant
  ) -> [NodeDirective] {
    guard case .exchangingInit(_, let giveUpAt) = state else { return [] }
    var heard = before
    switch message {
    case .initMessage(let initMessage):
      guard heard.initMessage == nil else { return redial("the peer sent init twice", at: now) }
      if let mismatch = initMessage.mismatch {
        return redial("the peer's init is incompatible: \(mismatch)", at: now)
      }
      heard.initMessage = initMessage
    case .fenceAnswer(let answer): if !answer.accepted { return refused(answer) }
    case .channelReestablish(let reestablish):
      guard heard.initMessage != nil, heard.reestablish == nil else {
        return redial("the peer sent channel_reestablish before init, or twice", at: now)
      }
      heard.reestablish = reestablish
    default:
      return redial("the peer sent message type \(message.type) before its channel_reestablish", at: now)
    }
    guard heard.reestablish != nil else {
      state = .exchangingInit(heard, giveUpAt: giveUpAt)
      return []
    }
    // The peer sends channel_reestablish only on the connection whose fence it has stored, so it had stored no later
    // owner's. The answer comes from the state that the container has from now on.
    state = .reading(heard)
    return [.checkAfterInit]
  }

  private mutating func refused(_ answer: FenceAnswer) -> [NodeDirective] {
    let refusals = giveUpWaitingWrites()
    forgetConnection()
    state = .stopped
    return refusals + [.cutOff, .report(.refused(highest: answer.highest, container: answer.container))]
  }

  /// The peer's storage may come before its channel_reestablish, or after it.
  mutating func backupReceived(_ reading: BackupReading, at now: Instant) -> [NodeDirective] {
    if isConnected, let excess = connection.excess(rules, at: now) {
      return redial("the peer sent \(excess)", at: now)
    }
    switch state {
    case .exchangingInit(var heard, let giveUpAt):
      heard.backup = reading
      state = .exchangingInit(heard, giveUpAt: giveUpAt)
    case .reading(var heard):
      heard.backup = reading
      state = .reading(heard)
    case .readingAgain(var heard, let instant):
      heard.backup = reading
      state = .readingAgain(heard, at: instant)
    case .awaitingBackup(var heard, _):
      heard.backup = reading
      return resume(heard, at: now)
    case .stopped, .preparing, .offline, .pausing, .checkingRow, .dialling, .adopting, .established, .mute,
      .draining, .failed:
      break
    }
    return []
  }

  mutating func checkedAfterInit(
    _ row: ClaimRow?, _ state: NodeState?, at now: Instant
  ) -> [NodeDirective] {
    guard case .reading(let heard) = self.state else { return [] }
    guard owns(row) else { return fenced() }
    learn(state ?? node, at: now)
    if node.failure != nil { return stayFailed() }
    return unanswered.answer(from: node) + resume(heard, at: now)
  }

  /// Chooses between the container's state and the backup, and sends `channel_reestablish` from it.
  private mutating func resume(_ heard: Heard, at now: Instant) -> [NodeDirective] {
    guard let theirs = heard.reestablish else { return [] }
    switch heard.backup {
    case .otherVersion(let found, let known)?:
      return mute(
        "the backup at the peer has version \(found), this program knows \(known): use the version of the program that wrote it"
      )
    case .backup(let backup)? where mustAdopt(backup, theirs): return adopt(adoption(of: backup), heard)
    case .backup(let backup)? where provesOwnStateOld(backup, theirs): return awaitBackup(heard, at: now)
    case .backup?, .unreadable?, nil: break
    }
    guard var channel = node.channel else {
      guard theirs.isOfNewChannel else { return awaitBackup(heard, at: now) }
      return adoptNew(theirs, heard)
    }
    if channel.isBehind(theirs) { return awaitBackup(heard, at: now) }
    channel.disconnected()
    let ours = channel.reestablish(splicing: splicingSide(heard))
    do throws(ChannelError) { _ = try channel.receiveReestablish(theirs) } catch {
      return mute("the channel cannot be used: \(error)")
    }
    if channel.history < ownHistory { channel.beginHistory(ownHistory) }
    self.channel = channel
    state = .established
    // The peer answers messages in order: its next message, at the latest the pong, shows that it accepts our
    // channel_reestablish.
    let registration = pushKey.map { [NodeOutgoing.message(.pushKey($0))] } ?? []
    let sends: [NodeDirective] = [
      .send(missingBackup(heard) + [.message(ours)] + registration + [.message(Silence.ping)])
    ]
    watchSplice(at: now)
    // The peer's channel_reestablish may end a splice, and no later message would make that durable. After a move to
    // this container its revisions are to be above the other device's from now on.
    let mustStore = channel.pendingSplice != node.channel?.pendingSplice || replacing != nil
    return sends + advance(mustStore: mustStore, at: now)
  }

  /// A backup behind the peer's state is one that the peer stored before it processed later steps. Of two states that
  /// are not behind it, the newer one counts.
  private func mustAdopt(_ backup: NodeBackup, _ theirs: ChannelReestablish) -> Bool {
    guard !backup.channel.isBehind(theirs) else { return false }
    if backup.channel.isNewer(than: node.channel) { return true }
    return node.channel.map { $0.id == backup.channel.id && $0.isBehind(theirs) } ?? true
  }

  /// The peer has stored the backup late, so this one is not the newest, and shows all the same that another container
  /// was ahead of the own state. The peer may take a commitment of the own state, which never arrived, for another one.
  private func provesOwnStateOld(_ backup: NodeBackup, _ theirs: ChannelReestablish) -> Bool {
    backup.channel.isNewer(than: node.channel) && backup.channel.isBehind(theirs)
  }

  func adoption(of backup: NodeBackup) -> NodeChange {
    let history = max(ownHistory, backup.channel.history + 1, (node.channel?.history ?? 0) + 1)
    return backup.change(after: node.accepted, history: history)
  }

  /// The peer's epochs increase from owner to owner, also from device to device.
  private var ownHistory: UInt64 { min(max(claim?.epoch ?? 1, 1) - 1, Channel.historiesMax) }

  /// Whether the channel is in use: the peer has accepted our `channel_reestablish`.
  var isRunning: Bool { stage == .established && connection.isEstablished }

  /// The peer's first message after our `channel_reestablish` that is no error or warning.
  mutating func taken(by message: Message, at now: Instant) -> [NodeDirective] {
    guard stage == .established, !isRunning, message.showsThatChannelRuns else { return [] }
    connection.establish(at: now)
    return [.report(.established)] + say(activity) + sendWebhookRequests()
  }

  private func splicingSide(_ heard: Heard) -> SplicingSide? {
    guard let fundingKey, heard.initMessage?.offersSplices == true else { return nil }
    return SplicingSide(role: .begins, key: fundingKey)
  }

  /// A backup that was lost with an earlier connection. It is sent before `channel_reestablish`: otherwise the peer
  /// could know of a state without a backup, and a database restored later could not be brought up to date.
  private func missingBackup(_ heard: Heard) -> [NodeOutgoing] {
    guard let channel = node.channel, channel.revision > 0 else { return [] }
    let ownHashes = Set((node.invoices + node.accepted).map(\.paymentHash))
    // A backup with any other invoice has a cancelled one, and would bring it back.
    if case .backup(let backup)? = heard.backup, channel.revision == backup.channel.revision,
      backup.invoices.allSatisfy({ ownHashes.contains($0.paymentHash) })
    {
      return []
    }
    return [.backup(of: channel, open: node.invoices, accepted: node.accepted)]
  }

  private mutating func awaitBackup(_ heard: Heard, at now: Instant) -> [NodeDirective] {
    // A peer may store backups late (BOLT 1): it may return the newest on a later connection.
    switch heard.backup {
    case .unreadable?: return redial(Self.backupIsUnreadable, at: now)
    case .some: return redial(Self.backupIsLate, at: now)
    case nil: break
    }
    state = .awaitingBackup(heard, giveUpAt: now + Self.backupBound)
    return []
  }

  static let backupIsLate = "the peer knows a newer state of the channel than the database and its backup"
  static let backupIsUnreadable =
    "the peer knows a newer state of the channel, and its backup cannot be read with this wallet's seed"

  private mutating func adoptNew(_ theirs: ChannelReestablish, _ heard: Heard) -> [NodeDirective] {
    do throws(ChannelError) {
      var channel = try Channel(
        id: theirs.channel, localMsat: terms.walletMsat, remoteMsat: terms.providerMsat, isOpener: false)
      // Another device may have begun from here too, under an earlier epoch.
      channel.beginHistory(ownHistory)
      return adopt(NodeChange(channel: channel), heard)
    } catch { return mute("the channel cannot be opened: \(error)") }
  }

  private mutating func adopt(_ change: NodeChange, _ heard: Heard) -> [NodeDirective] {
    state = .adopting(heard)
    // An invoice change that the container blocked is stored later: the user waits for its answer.
    if let blocked = step?.change, blocked.isOfInvoice { invoiceChanges.insert(blocked, at: 0) }
    step = Step(change: change)
    return write(change)
  }

  /// Reads the container again: it stores a backup without the invoices that it knows as cancelled.
  mutating func adopted(_ heard: Heard, at now: Instant) -> [NodeDirective] {
    guard heard.backup != nil else { return resume(heard, at: now) }
    var settled = heard
    settled.backup = nil
    state = .reading(settled)
    return [.checkAfterInit]
  }
}

extension Message {
  /// A peer that refuses our `channel_reestablish` sends neither a pong nor a message of a channel.
  fileprivate var showsThatChannelRuns: Bool {
    switch self {
    case .pong: true
    case .error, .warning: false
    default: channel != nil
    }
  }
}

// A connection on which no message arrives any more.
extension NodeMachine {
  mutating func heard(at now: Instant) {
    connection.heard(at: rules.silence != nil && isConnected ? now : nil)
  }

  /// Only after `channel_reestablish`: before, the peer has other time limits, and the wallet sends no ping.
  var silenceEndsAt: Instant? {
    switch state {
    case .established, .mute: connection.silenceEndsAt(rules)
    default: nil
    }
  }

  mutating func silenceEnded(at now: Instant) -> [NodeDirective] {
    guard let end = silenceEndsAt, now >= end else { return [] }
    guard connection.ping(at: now, due: end) else {
      // Without an error message: the peer does not read.
      return redial("disconnected from the peer: \(Silence.reason)", at: now)
    }
    return [.send([.message(Silence.ping)])]
  }
}
