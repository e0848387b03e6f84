/// The kinds of findings, by code word, the gravest first.
package enum FindingKind: String, Hashable, Sendable, CaseIterable {
  case databaseLost = "database-lost"
  case databaseDamaged = "database-damaged"
  case databaseIncomplete = "database-incomplete"
  case twoOwners = "two-owners"
  case epochUsedTwice = "epoch-used-twice"
  case epochBehindPeer = "epoch-behind-peer"
  case beatAboveClaims = "beat-above-claims"
  case claimsMissing = "claims-missing"
  case writeWithoutClaim = "write-without-claim"
  case lockHeldTwice = "lock-held-twice"
  case secretInTheClear = "secret-in-the-clear"
  case openToOthers = "open-to-others"
  case notOurs = "not-ours"
  case rowInvalid = "row-invalid"
  case seedLost = "seed-lost"
  case peerLost = "peer-lost"

  case stoppedInTransaction = "stopped-in-transaction"
  case holderStopped = "holder-stopped"
  case holderFrozen = "holder-frozen"
  case ownerWithoutLock = "owner-without-lock"
  case beatWithoutLock = "beat-without-lock"
  case lockFileMissing = "lock-file-missing"
  case heartbeatMissing = "heartbeat-missing"
  case heartbeatDamaged = "heartbeat-damaged"
  case notAPlainFile = "not-a-plain-file"
  case readableByOthers = "readable-by-others"
  case otherSchema = "other-schema"
  case announcementsUnreadable = "announcements-unreadable"
  case unreadable
  case startRefused = "start-refused"
  case daemonMissing = "daemon-missing"
  case daemonStopped = "daemon-stopped"
  case daemonSilent = "daemon-silent"
  case processFailed = "process-failed"
  case processSilent = "process-silent"
  case paymentWaits = "payment-waits"
  case programMissing = "program-missing"
  case packageMissing = "package-missing"
  case locksInvisible = "locks-invisible"
  case noRoom = "no-room"
  case fewDescriptors = "few-descriptors"

  case holderDead = "holder-dead"
  case foreignFile = "foreign-file"
  case memoryInexact = "memory-inexact"
  case connectionsStayOpen = "connections-stay-open"
  case memoryUnlocked = "memory-unlocked"

  package var gravity: Gravity {
    switch self {
    case .databaseLost, .databaseDamaged, .databaseIncomplete, .twoOwners, .epochUsedTwice, .epochBehindPeer,
      .beatAboveClaims, .claimsMissing, .writeWithoutClaim, .lockHeldTwice, .secretInTheClear, .openToOthers,
      .notOurs, .rowInvalid, .seedLost, .peerLost:
      .broken
    case .stoppedInTransaction, .holderStopped, .holderFrozen, .ownerWithoutLock, .beatWithoutLock,
      .lockFileMissing, .heartbeatMissing, .heartbeatDamaged, .notAPlainFile, .readableByOthers, .otherSchema,
      .announcementsUnreadable, .unreadable, .startRefused, .daemonMissing, .daemonStopped,
      .daemonSilent,
      .processFailed, .processSilent, .paymentWaits, .programMissing, .packageMissing,
      .locksInvisible, .noRoom, .fewDescriptors:
      .wrong
    case .holderDead, .foreignFile, .memoryInexact, .connectionsStayOpen, .memoryUnlocked: .note
    }
  }

  /// Right between two steps of a healthy process: it counts only if it is still there at later looks.
  package var isOftenPassing: Bool {
    switch self {
    case .twoOwners, .lockHeldTwice, .ownerWithoutLock, .beatWithoutLock: true
    default: false
    }
  }
}
