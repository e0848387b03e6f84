import Ground
import DaemonRuntime
import Guardrails
import Heartbeat
import PhonePolicy
import SharedContainer

/// The report as JSON.
extension ContainerReport {
  struct Document: Report {
    var directory: String
    /// A process has the container open.
    var inUse: Bool
    var container: String?
    var schema: Int64
    var holder: Holder
    var appWantsNode: Bool
    /// The process inside a transaction.
    var writer: Int32?
    var writes: Int64
    /// There are older claims than those listed.
    var olderClaims: Bool
    var claims: [Claim]
    var locks: Locks
    var heartbeat: Beats
    var channels: [WalletView.ChannelFacts]
    var invoices: [WalletView.InvoiceFacts]
    var paymentsCount: Int64
    var paymentsCountIsExact: Bool
    var payments: [WalletView.PaymentFacts]
    var sent: [WalletView.SentFacts]
    var splices: [WalletView.SpliceFacts]
    var announced: [Announced]
    var everyPageChecked: Bool
    /// The findings that are no notes, as sentences.
    var problems: [String]
    /// The gravest first.
    var findings: [Finding.Document]
  }

  /// The node's holder, or its last one.
  package struct Holder: Report {
    var verdict: String
    var sentence: String
    var epoch: UInt64?
    var role: String?
    var pid: Int32?
    var reason: String?
    /// `reason` as a sentence.
    var because: String?
    var claimedWallNs: Int64?
    var claimedAgoMs: Int64?
    var lockHeld: Bool?
    var phase: String?
    var beatCounter: UInt64?
  }

  /// A payment that a push announced.
  struct Announced: Report {
    var paymentHash: String
    var amountMsat: UInt64
    /// The push's type.
    var kind: String
    var held: Bool
    /// In seconds since 1970; missing if the push did not name it.
    var holdEndsAt: Int64?
    /// `incoming`.
    var state: String
    /// In seconds since 1970: the first push for this payment.
    var arrivedAt: Int64

    init(_ entry: IncomingEntry) {
      paymentHash = entry.record.paymentHash.hex
      amountMsat = entry.record.amountMsat
      kind = entry.record.kind.rawValue
      held = entry.record.isHeld
      holdEndsAt = entry.record.holdEndsAt
      state = entry.record.state.rawValue
      arrivedAt = entry.arrivedAt
    }
  }

  struct Claim: Report {
    var epoch: UInt64
    var role: String
    var pid: Int32
    var startTime: UInt64
    /// 16 hexadecimal digits.
    var incarnation: String
    /// The epoch that the claimant had read; 0 for none.
    var seenEpoch: UInt64
    var reason: String
    var because: String
    var claimedWallNs: Int64
  }

  struct Lock: Report {
    var exists: Bool
    /// The pids that hold the lock.
    var holders: [Int32]

    init(_ facts: LockFacts) { (exists, holders) = (facts.exists, facts.holders) }
  }

  struct Locks: Report {
    var app: Lock
    var `extension`: Lock
    var appIntent: Lock
  }

  struct BeatFacts: Report {
    var epoch: UInt64
    var phase: String
    var counter: UInt64
    var pid: Int32
    var wallNs: Int64

    init(_ beat: Beat) {
      epoch = beat.epoch
      phase = beat.phase.word
      counter = beat.counter
      pid = beat.process.pid
      wallNs = beat.wallClockNanoseconds
    }
  }

  struct Beats: Report {
    var app: BeatFacts?
    var `extension`: BeatFacts?
  }

  var document: Document {
    let count = wallet.count(of: "received_payments")
    return Document(
      directory: snapshot.directory, inUse: snapshot.isLive, container: snapshot.container.map(Self.hex),
      schema: snapshot.schemaVersion, holder: holder, appWantsNode: snapshot.appWantsNode,
      writer: snapshot.writer?.pid, writes: snapshot.writes.count, olderClaims: snapshot.hasOlderClaims,
      claims: snapshot.claims.map(claim),
      locks: Locks(
        app: Lock(snapshot.appLock), extension: Lock(snapshot.extensionLock),
        appIntent: Lock(snapshot.appIntent)),
      heartbeat: Beats(
        app: snapshot.appBeat.map(BeatFacts.init), extension: snapshot.extensionBeat.map(BeatFacts.init)),
      channels: wallet.channels, invoices: wallet.invoices, paymentsCount: count.number,
      paymentsCountIsExact: count.isExact, payments: wallet.payments, sent: wallet.sent,
      splices: wallet.splices, announced: announced.map(Announced.init),
      everyPageChecked: snapshot.hasCheckedPages, problems: problems,
      findings: findings.worstFirst.map(\.document))
  }

  package var holder: Holder {
    var holder = Holder(verdict: verdict.word, sentence: holderSentence)
    guard let claim = snapshot.claims.last else { return holder }
    holder.epoch = claim.row.epoch
    holder.role = claim.row.role.rawValue
    holder.pid = claim.row.process.pid
    holder.reason = ClaimReason(rawValue: claim.reason)?.rawValue ?? claim.reason
    holder.because = words(claim)
    holder.claimedWallNs = claim.wallClockNanoseconds
    holder.claimedAgoMs = heldFor?.wholeMilliseconds
    holder.lockHeld = !snapshot.lock(of: claim.row.role).holders.isEmpty
    holder.phase = ownerBeat?.phase.word
    holder.beatCounter = ownerBeat?.counter
    return holder
  }

  private func claim(_ claim: ClaimRecord) -> Claim {
    Claim(
      epoch: claim.row.epoch, role: claim.row.role.rawValue, pid: claim.row.process.pid,
      startTime: claim.row.process.startTime, incarnation: Hexadecimal.encode(word: claim.row.incarnation),
      seenEpoch: claim.seen, reason: ClaimReason(rawValue: claim.reason)?.rawValue ?? claim.reason,
      because: words(claim), claimedWallNs: claim.wallClockNanoseconds)
  }
}
