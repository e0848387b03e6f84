import Ground
import Crypto

@testable import Lightning

/// Several owners of one node, one after the other and some of them zombies, against the real peer machine: a
/// container that keeps what was committed, wires that keep what was sent, and deaths between any two directives.
struct NodeWorld {
  struct Owner {
    var id: Int
    var fence: Claim
    var machine: NodeMachine
    var connection: UInt64?
  }

  /// It goes on until nobody waits for anything: nobody pings for ever.
  static let rules = ConnectionRules(silence: nil)

  struct Wire {
    var toPeer: [Message] = []
    var toWallet: [Message] = []
    /// The wallet's end is closed: what it sent still arrives, then the end.
    var isClosedByWallet = false
    var isClosedByPeer = false
  }

  static let container = ContainerID(high: 7, low: 9)

  var generator: SeededGenerator
  var now = Instant(nanoseconds: 0)
  var faultsAreOn = true
  var owners: [Owner] = []
  var nextOwner = 0
  var wires: [UInt64: Wire] = [:]
  var nextConnection: UInt64 = 1
  var peer: PeerMachine
  var preimages: [Bytes32: Bytes32] = [:]
  var invoices: [Invoice] = []

  // What is durable.
  var epoch: UInt64 = 0
  var incarnation: UInt64 = 0
  var stored = NodeState()
  var past = PastPayments()
  /// Since when payments wait for parts, and in which boot of the phone that was.
  var waits: [Bytes32: (boot: Int, since: Instant)] = [:]
  var boot = 1
  var received: [Bytes32] = []
  var paid: [Bytes32] = []
  var failed = 0
  var failures: [UInt64: PaymentFailure] = [:]
  /// What each received payment came to.
  var amounts: [UInt64] = []
  var complaints: [String] = []
  /// What the owners said, troubles aside.
  var news: [NodeNews] = []
  /// What the wallet sends itself.
  var sent = SentPayments()
  var refusals: [String] = []
  /// Whether the wallet splices.
  var splices = false
  var splicesBegun: [TransactionID] = []
  var splicesEnded: [SpliceSaid] = []

  struct SpliceSaid: Hashable {
    var id: TransactionID
    var end: SpliceEnd
  }

  init(seed: UInt64, payments: Int) throws {
    let terms = ChannelTerms.standard
    let channel = try Channel(
      id: SHA256.hash([1]), localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    peer = PeerMachine(
      configuration: .init(rules: Self.rules, startedAt: now, state: PeerState(channel: channel)))
    generator = SeededGenerator(seed: seed)
    for number in 0..<payments {
      let preimage = SHA256.hash([UInt8(number), UInt8(truncatingIfNeeded: seed)])
      let invoice = Invoice(
        paymentHash: SHA256.hash(preimage.bytes), amountMsat: UInt64(1000 + number), text: "",
        tweak: preimage,
        expiresAt: 0, paymentSecret: SHA256.hash(Array("secret".utf8) + preimage.bytes))
      preimages[invoice.paymentHash] = preimage
      invoices.append(invoice)
    }
    stored.invoices = invoices
  }

  // MARK: What may happen

  /// A new owner claims; the one before may live on without knowing it.
  mutating func claim(leavingZombie: Bool) {
    if !leavingZombie { owners = owners.filter { $0.fence.epoch != epoch || !kill($0.id) } }
    epoch += 1
    incarnation &+= 0x1234_5678_9ABC_DEF1
    let fence = Claim(
      epoch: epoch, incarnation: incarnation, container: Self.container)
    nextOwner += 1
    owners.append(
      Owner(
        id: nextOwner, fence: fence,
        machine: NodeMachine(
          configuration: .init(rules: Self.rules, fundingKey: splices ? walletSide.key : nil))))
    handle(.started(fence, readState()), by: nextOwner)
  }

  @discardableResult
  mutating func kill(_ id: Int) -> Bool {
    guard let index = owners.firstIndex(where: { $0.id == id }) else { return false }
    if let connection = owners[index].connection { wires[connection]?.isClosedByWallet = true }
    owners.remove(at: index)
    return true
  }

  mutating func handle(_ event: NodeEvent, by id: Int) {
    var events = [event]
    while !events.isEmpty {
      guard let index = owners.firstIndex(where: { $0.id == id }) else { return }
      let directives = owners[index].machine.handle(events.removeFirst(), at: now)
      for directive in directives {
        if faultsAreOn, generator.below(60) == 0 {
          kill(id)
          return
        }
        guard let answer = carryOut(directive, for: id) else { continue }
        events.append(answer)
      }
    }
  }

  private mutating func carryOut(_ directive: NodeDirective, for id: Int) -> NodeEvent? {
    guard let index = owners.firstIndex(where: { $0.id == id }) else { return nil }
    switch directive {
    case .checkRow: return .rowRead(row(epoch, incarnation: incarnation))
    case .checkGreeting: return .greetingChecked(row(epoch, incarnation: incarnation), readState())
    case .write(let change, let claim):
      if faultsAreOn, generator.below(40) == 0 { return .storeBlocked }
      guard claim.epoch == epoch, claim.incarnation == incarnation else { return .fenced }
      store(change)
      return .written
    case .dial:
      let connection = nextConnection
      nextConnection += 1
      wires[connection] = Wire()
      owners[index].connection = connection
      tellPeer(.connected(connection: connection))
      return .dialled
    case .send(let messages):
      for message in messages { send(message, by: index) }
      return nil
    case .hangUp, .cutOff:
      if let connection = owners[index].connection { wires[connection]?.isClosedByWallet = true }
      owners[index].connection = nil
      return directive == .hangUp ? .closed("hung up") : nil
    case .report(.trouble(let sentence)):
      complaints.append(sentence)
      return nil
    case .report(let said):
      news.append(said)
      return nil
    case .paymentRefused(_, let why), .spliceRefused(let why):
      refusals.append(why.words)
      return nil
    case .spliceBegun(let splice):
      splicesBegun.append(splice.id)
      return nil
    case .spliceEnded(let id, let end):
      splicesEnded.append(SpliceSaid(id: id, end: end))
      return nil
    case .invoiceStored, .invoiceRefused, .paymentOffered, .paymentEnded: return nil
    }
  }

  private func readState() -> NodeState {
    var state = stored
    state.waiting = waits.keys.sorted().map { hash in
      WaitingParts(paymentHash: hash, waited: waits[hash].flatMap { $0.boot == boot ? now - $0.since : nil })
    }
    return state
  }

  private mutating func store(_ change: NodeChange) {
    if let waiting = change.waiting {
      waits = waits.filter { waiting.contains($0.key) && $0.value.boot == boot }
      for hash in waiting where waits[hash] == nil { waits[hash] = (boot, now) }
    }
    if let channel = change.channel {
      precondition(channel.revision > (stored.channel?.revision ?? 0) || stored.channel == nil)
      stored.channel = channel
    }
    if change.restored != nil, let channel = change.channel { past.follow(channel, &stored.payments) }
    stored.followInvoices(change)
    if let payments = change.payments {
      stored.payments.apply(payments)
      past.apply(payments)
      sent.note(payments)
    }
    for receipt in change.received {
      received.append(receipt.invoice.paymentHash)
      amounts.append(receipt.amountMsat)
    }
  }

  private mutating func send(_ outgoing: NodeOutgoing, by index: Int) {
    guard let connection = owners[index].connection, wires[connection]?.isClosedByPeer == false else {
      return
    }
    let message: Message
    switch outgoing {
    case .message(let plain), .channel(.message(let plain)): message = plain
    case .backup(let backup): message = .peerStorage(Bytes(backup.encoded()))
    case .channel(.fulfill(let id, let hash)):
      guard let channel = owners[index].machine.durableChannel, let preimage = preimages[hash] else { return }
      message = channel.fulfilMessage(id, preimage: preimage)
    }
    wires[connection]?.toPeer.append(message)
  }

  // MARK: The peer

  /// From a sender that says nothing of parts.
  mutating func pay(_ number: Int) {
    pay(number, part: 0, amountMsat: invoices[number].amountMsat, nil)
  }

  /// Each part is a request of its own.
  mutating func pay(_ number: Int, part: Int, amountMsat: UInt64, _ data: PaymentData?) {
    tellPeer(
      .payRequested(
        PaymentRequest(
          id: UInt64(number + part * Self.partNumbers), paymentHash: invoices[number].paymentHash,
          amountMsat: amountMsat, holdUntil: Instant(nanoseconds: .max), paymentData: data)))
  }

  static let partNumbers = 100

  /// What the invoice's sender shows with each part.
  func data(_ number: Int, totalMsat: UInt64? = nil) -> PaymentData {
    PaymentData(
      secret: invoices[number].paymentSecret ?? .zero, totalMsat: totalMsat ?? invoices[number].amountMsat)
  }

  mutating func tellPeer(_ event: PeerEvent) {
    for directive in peer.handle(event, at: now) {
      switch directive {
      case .store(let changes):
        for change in changes {
          if case .paymentPaid(let id, let preimage) = change {
            let hash = invoices[Int(id) % Self.partNumbers].paymentHash
            precondition(preimage == preimages[hash])
            paid.append(hash)
          }
          if case .paymentFailed(let id, let failure) = change {
            failed += 1
            failures[id] = failure
          }
          sent.note(change)
          if case .dataLoss(_, let side) = change { complaints.append("data loss of the \(side)") }
        }
      case .send(let connection, let message):
        if wires[connection]?.isClosedByWallet == false { wires[connection]?.toWallet.append(message) }
      case .close(let connection, _), .evict(let connection, _):
        wires[connection]?.isClosedByPeer = true
        if case .evict = directive { wires[connection]?.toPeer = [] }
      case .requestPush, .answer: break
      }
    }
  }

  // MARK: The wires

  /// One step of one wire, in either direction; false if there was nothing to do.
  mutating func moveSomething() -> Bool {
    let busy = wires.keys.sorted().filter { isBusy($0) }
    guard !busy.isEmpty else { return false }
    let connection = busy[generator.below(busy.count)]
    guard var wire = wires[connection] else { return false }
    let owner = owners.first { $0.connection == connection }?.id
    let towardsPeer = !wire.toPeer.isEmpty && (wire.toWallet.isEmpty || generator.below(2) == 0)
    if towardsPeer {
      let message = wire.toPeer.removeFirst()
      wires[connection] = wire
      tellPeer(.received(connection: connection, message))
    } else if let owner, !wire.toWallet.isEmpty {
      let message = wire.toWallet.removeFirst()
      wires[connection] = wire
      if case .peerStorageRetrieval(let blob) = message {
        handle(.backupReceived(opened(blob)), by: owner)
      } else {
        handle(.received(message), by: owner)
      }
    } else if wire.isClosedByWallet {
      wires[connection] = nil
      tellPeer(.closed(connection: connection, "the wallet hung up"))
    } else if let owner {
      wires[connection] = nil
      if let index = owners.firstIndex(where: { $0.id == owner }) { owners[index].connection = nil }
      tellPeer(.closed(connection: connection, "closed"))
      handle(.closed("the peer hung up"), by: owner)
    }
    return true
  }

  /// With the payment secrets, which no backup has.
  private func opened(_ blob: Bytes) -> BackupReading {
    guard case .backup(var backup) = NodeBackup.read(blob.array) else { return NodeBackup.read(blob.array) }
    for index in backup.invoices.indices {
      let hash = backup.invoices[index].paymentHash
      backup.invoices[index].paymentSecret = invoices.first { $0.paymentHash == hash }?.paymentSecret
    }
    return .backup(backup)
  }

  private func isBusy(_ connection: UInt64) -> Bool {
    guard let wire = wires[connection] else { return false }
    let hasReader = owners.contains { $0.connection == connection }
    return !wire.toPeer.isEmpty || (hasReader && !wire.toWallet.isEmpty) || wire.isClosedByWallet
      || (wire.isClosedByPeer && hasReader)
  }

  /// To the next deadline of anybody; false if nobody waits for the time.
  mutating func letTimePass() -> Bool {
    let deadlines = owners.compactMap { $0.machine.deadline } + [peer.deadline].compactMap { $0 }
    guard let next = deadlines.min(), next.nanoseconds < .max else { return false }
    now = max(now, next)
    tellPeer(.deadlineReached)
    for id in owners.map(\.id) { handle(.deadlineReached, by: id) }
    return true
  }
}
