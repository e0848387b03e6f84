import Ground

/// One violation, with the rows that show it.
public struct Finding: Hashable, Sendable {
  public let kind: FindingKind
  /// What the kind's sentence has places for.
  public let values: [String]
  public let rows: [EvidenceRow]
  /// When the peer got or sent the first named frame, on the monotonic clock; nil: no frame is named.
  public let atNs: Int64?
  /// Of another wallet than the phone's: its number in the ledger.
  private(set) var wallet: Int64?

  public init(_ kind: FindingKind, _ values: [String] = [], at rows: [EvidenceRow] = [], atNs: Int64? = nil) {
    self.kind = kind
    self.values = values
    self.rows = rows
    self.atNs = atNs
  }

  public var invariant: Invariant { kind.invariant }

  public var sentence: String {
    var rest = values[...]
    return kind.sentence.reduce(into: wallet.map { "Wallet \($0): " } ?? "") { sentence, character in
      if character == "%" { sentence += rest.popFirst() ?? "" } else { sentence.append(character) }
    }
  }

  func ofWallet(_ number: Int64) -> Finding {
    var finding = self
    finding.wallet = number
    return finding
  }
}

/// A row, line or file that shows a finding.
public enum EvidenceRow: Hashable, Sendable, CustomStringConvertible {
  /// A frame in the peer's ledger.
  case frame(Int64)
  /// A row of another table of the ledger, or the whole table.
  case ledger(_ table: String, _ id: Int64? = nil)
  /// The same of the wallet's database.
  case wallet(_ table: String, _ id: Int64? = nil)
  /// By its payment hash.
  case invoice([UInt8])
  /// A row of one of iosd's files.
  case phone(_ file: String, _ id: Int64)
  case journal(_ name: String, line: Int? = nil)
  case file(String)

  public var description: String {
    switch self {
    case .frame(let id): "ledger frames \(id)"
    case .ledger(let table, let id): "ledger \(table)" + (id.map { " \($0)" } ?? "")
    case .wallet(let table, let id): "node.sqlite \(table)" + (id.map { " \($0)" } ?? "")
    case .invoice(let hash): "node.sqlite invoices \(shortHex(hash))"
    case .phone(let file, let id): "os/\(file).jsonl \(id)"
    case .journal(let name, let line): "journal \(name)" + (line.map { " line \($0)" } ?? "")
    case .file(let name): name
    }
  }
}

/// Findings of one kind, shown together: a damaged table may give thousands.
public struct FindingGroup: Hashable, Sendable {
  public private(set) var findings: [Finding]

  /// In the order of each kind's first finding, without duplicates.
  public static func all(_ findings: [Finding]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    var places: [FindingKind: Int] = [:]
    for finding in findings.uniqued {
      if let place = places[finding.kind] {
        groups[place].findings.append(finding)
      } else {
        places[finding.kind] = groups.count
        groups.append(FindingGroup(findings: [finding]))
      }
    }
    return groups
  }
}

/// Also for the negative amounts of a damaged row.
func amountWords(_ msat: some BinaryInteger) -> String {
  (msat < 0 ? "-" : "") + AmountText.words(msat: UInt64(msat.magnitude))
}

/// The first bytes: enough to search for.
func shortHex(_ bytes: [UInt8]) -> String {
  bytes.count > 8 ? Hexadecimal.encode(bytes.prefix(6)) + "…" : Hexadecimal.encode(bytes)
}

/// What the judge can find. The raw value is the number of the broken invariant and the sentence, with `%` for each of
/// the finding's values.
public enum FindingKind: String, Hashable, Sendable, CaseIterable {
  // exclusion
  case connectionMisjudged = "1 The peer judged connection % (epoch %) % where its rule says %%"
  case connectionClaimDiffers = "1 The ledger has another claim for connection % than its init (frame %)"
  case otherNodeAccepted = "1 The peer judged connection % %, but the node is not the wallet's"
  case processedUnregistered = "1 The peer processed % (frame %) of connection %, %"
  case containerID = "1 The container's id is missing or has not 16 bytes"
  case claimedAgainst = "1 Epoch % was claimed against epoch %, but the one before it is %"
  case raisedUnreported = "1 Epoch % was raised above %, which the peer never reported"
  case epochGap = "1 Epoch % follows epoch %: there is a gap"
  case claimedEarlier = "1 Epoch % was claimed % ns before epoch %"
  case claimInOtherJournal =
    "1 Epoch % was claimed by process % (started at %), which has no journal, but another process's journal has the claim"
  case claimRole = "1 Epoch % was claimed as % by %"
  case raisedByOther = "1 Epoch % was raised by another process than the owner"
  case claimNotInJournal = "1 Epoch % is in the database, but the journal of its process has no such claim"
  case claimDiffers = "1 Epoch %: %"
  case processedBeforeDurable =
    "1 The peer processed % (frame %) of epoch %, which needs % of that epoch, when the wallet had made %"
  case fenceUnknown = "1 The peer's fence history has epoch %, which no init brought"
  case fenceDiffers =
    "1 The peer's fence % (epoch %) differs from the one that an init raised (epoch %), in epoch, incarnation, container or time"
  case olderEpochAccepted = "1 The peer accepted connection % of epoch % after it had accepted epoch %"
  case connectionUnclaimed =
    "1 Connection % used epoch %, and the wallet's database has no claim of that epoch with the connection's incarnation and container"
  case connectionBeforeClaim = "1 Connection % used epoch % before that epoch was claimed"
  case writeUnclaimed = "1 Node write % was made under epoch % with an incarnation that never claimed it"
  case writeOfOlderEpoch = "1 Node write % was made under epoch % after a write under epoch %"
  case writeStampedEarlier = "1 Node write % is stamped % ns before the write ahead of it"
  case writeBeforeClaim = "1 Node write % is older than the claim it was made under"
  case writeAfterNextClaim =
    "1 Node write % under epoch % was begun after epoch % had been claimed: two processes used the node"
  // noStateGoesBack
  case namesOtherChannel = "2 Frame % names another channel"
  case illegalStep = "2 % sent % in frame %: %"
  case reestablishNumber =
    "2 The wallet's channel_reestablish (frame %) says next commitment %, revocation %, but % commitments and % revocations were sent to it, and its own messages acknowledge % and %: a number is %"
  case reestablishSecret = "2 The wallet's channel_reestablish (frame %) shows a wrong secret or channel"
  case reestablishRefused = "2 The peer refused the wallet's channel_reestablish: %"
  case reestablishFundings =
    "2 The wallet's channel_reestablish (frame %) names fundings that do not follow from the messages: next %, locked %"
  case walletsFrameUnreadable = "2 The wallet sent frame %, which is no message: %"
  case frameUnreadable = "2 Frame % is no message of this version: %"
  case walletReportedError = "2 The wallet reported an error on connection %: %"
  case secondInit = "2 The wallet sent a second init on connection %"
  case stepRefused = "2 The peer refused % (frame %) of the wallet: %"
  case peerReportedError = "2 The peer % on connection %: %"
  case stateLost = "2 On connection % the state of %"
  case channelCount = "2 The wallet's database has % channels"
  case channelDiffers =
    "2 The wallet's channel row does not follow from the messages at the peer, even with messages in flight: %"
  case revisionDiffers = "2 The wallet's channel is at revision %, but its last write made it %"
  // paymentsOnce
  case revealedBeforeWhole = "3 The wallet revealed the preimage for HTLC % when it had % of % of its payment"
  case paidWithOtherPreimage = "3 % is paid with a preimage of another hash"
  case paidUnfulfilled = "3 % is paid, but no update_fulfill_htlc for it was received"
  case paidTwice = "3 % was paid % times"
  case paidNotReceived = "3 % is paid, but the wallet has not received it"
  case receivedTwice = "3 % is in the wallet % times"
  case receivedOtherAmount = "3 % is paid, but the wallet received %%"
  case failedThoughFulfilled = "3 % failed although its preimage was received"
  case paymentState = "3 Payment % has the unknown state %"
  case paymentColumns = "3 Payment % is %, but another column of its row contradicts that state"
  case outcomeNotTold = "3 The peer received the outcome of %, but did not notify the sender"
  case failedWithOtherCode = "3 % failed with code %, but the wallet sent %"
  case failedThoughReceived = "3 % failed, but the wallet has received it"
  case htlcWithoutPayment = "3 HTLC % of % does not belong to exactly one payment"
  case htlcsFulfilledTwice = "3 HTLCs % and % of one payment hash were both fulfilled"
  case invoiceAsksMore = "3 The invoice of % asks for %"
  case invoiceMissing = "3 There is no invoice for %"
  case receivedCancelled = "3 The invoice of % is cancelled"
  case preimageBeforeReceipt = "3 The preimage of % was sent before the receipt was durable"
  case receivedUnclaimed = "3 The % was accepted under epoch %, which no process claimed"
  case receivedUnpaid = "3 The wallet lists %, but no sender paid it"
  case receivedDiffers = "3 The wallet lists %, but its sender paid %"
  case receivedHeld = "3 The wallet lists %, but the peer still holds it"
  case receivedCount = "3 Epoch % has % rows of received payments, but the writes under it count %"
  case offerGone = "3 The app reported payment %… as offered, but the wallet has no row of it"
  case paymentEndDiffers = "3 The wallet reported payment %… as %, but its row differs"
  case spliceEndDiffers = "3 The wallet reported splice %… as %, but its row differs"
  case sentColumns = "3 The wallet's % is %, but another column of its row contradicts that state"
  case sentWithOtherPreimage = "3 The wallet marks % as paid with a preimage of another hash"
  case sentUnsigned = "3 The wallet marks % as paid, but the peer never signed for its fulfilment"
  case sentUnpaid = "3 The wallet marks % as paid, but its recipient was not paid"
  case sentFailedThoughPaid = "3 The wallet marks % as failed, but its recipient was paid"
  case sentFailedUnsigned = "3 The wallet marks % as failed with code %, which the peer never signed for"
  case sentTwice = "3 The wallet has paid one invoice % times: %"
  case externalUnsent = "3 External invoice % was paid, but the wallet has % payments of it"
  case moneyLeftTwice = "3 Money left the wallet twice for one hash: HTLCs % and %"
  case sentHTLCWithoutPayment = "3 HTLC % of % left the wallet, but does not belong to exactly one payment"
  case sentHTLCDiffers = "3 HTLC % left the wallet with another secret or total than those of %"
  case spliceID = "3 The transaction of % has another id"
  case spliceColumns = "3 The % is %, but its % contradicts that state"
  case spliceEnds = "3 The wallet has % as %, but the peer as %"
  case spliceUnknown = "3 The wallet has % as %, but the peer has no such splice"
  case spliceCount = "3 The peer has % as done, but the wallet has it % times"
  case spliceUnrequested =
    "3 No request of the user has amount and address of %, or the splice was made twice"
  // nothingIsGone
  case fenceMissing = "4 The peer accepted epoch %, and its fence history lacks it"
  case cancelledCount = "4 node_writes counts % cancelled invoices, but the table cancelled_invoices has %"
  case invoiceCount = "4 node_writes counts % new invoices, and the table invoices has %"
  case recordGone = "4 The record of the announced payment % was stored, but is gone"
  case claimGone = "4 Epoch % was claimed, but is not in the database"
  case invoiceGone = "4 The invoice %… was stored, but is gone"
  case cancellationGone =
    "4 The node reported invoice %… as cancelled, but the wallet's database lacks the cancellation"
  case sentCount =
    "4 The wallet's writes began % payments and ended %, but its table has % rows, % of them ended"
  case backupsDiffer = "4 The peer's backups are not those that the wallet stored"
  case backupOnlyHash = "4 The peer keeps only the hash of the newest backup"
  case channelRowMissing = "4 The wallet has used the channel, but its database has no row of the channel"
  case writeUnknown = "4 Node write % has an unknown text in `what`: \"%\""
  case writeUnannounced = "4 Node write % is not announced in the journal of its process"
  case rowMissing = "4 A row is missing before row % of %"
  // notifications
  case pushNotifications = "5 The visible push % ended with % notifications"
  case notificationOfBadge = "5 Push % has no alert, but a notification belongs to it"
  case toldTwice = "5 Notification % tells of the same payment as notification %, which is still there"
  // progress
  case paymentPending = "6 % is % at the peer and % by the wallet"
  case sentPending = "6 outgoing % is pending"
  case splicePending = "6 % is pending"
  // limits
  case memory = "7 The extension process % used % bytes and was not killed for it"
  case time = "7 The extension worked on push % for more than 30 s and was not killed"
  // secrets
  case seedReadable = "8 The wallet's seed is in %"
  case pushKeyReadable = "8 The wallet's push key is in %"
  case preimageReadable = "8 The preimage of payment % is in %"
  case preimageInJournal = "8 The preimage of payment % is in a journal before the peer received it"
  case keyInJournal = "8 The wallet's % is in journal %"
  // tellingExtension
  case extensionUsedNode = "9 The extension's process % used the node"
  case claimByExtension = "9 Epoch % was claimed by the %"
  case claimByExtensionProcess = "9 Epoch % was claimed by process %, which is an extension"
  case connectionWithoutEpoch = "9 Connection % names no epoch: nothing shows that the app opened it"
  case openedByExtension = "9 Connection % was opened by the %, under epoch %"
  case preimageByOther = "9 The preimage of HTLC % came over connection %, which no claim of the app opened"

  public var invariant: Invariant {
    rawValue.first?.wholeNumberValue.flatMap(Invariant.init(rawValue:)) ?? .exclusion
  }

  var sentence: Substring { rawValue.dropFirst(2) }
}

/// The invariants, by their numbers in docs/judge.md.
public enum Invariant: Int, Hashable, Codable, Sendable, CaseIterable {
  case exclusion = 1
  case noStateGoesBack
  case paymentsOnce
  case nothingIsGone
  case notifications
  case progress
  case limits
  case secrets
  case tellingExtension

  public var name: String {
    switch self {
    case .exclusion: "one process holds the node at a time"
    case .noStateGoesBack: "no channel state goes back"
    case .paymentsOnce: "each payment settles once, equal on both sides"
    case .nothingIsGone: "nothing acknowledged is gone"
    case .notifications: "one notification for each visible push"
    case .progress: "all settles in the end"
    case .limits: "the extension keeps its limits"
    case .secrets: "no secret is readable"
    case .tellingExtension: "an extension that only notifies has no node"
    }
  }

  /// `invariant 4 (nothing acknowledged is gone)`.
  public var title: String { "invariant \(rawValue) (\(name))" }
}
