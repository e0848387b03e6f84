// Baton/Diagnosis: what is wrong with a container, a phone and a machine, decided from facts. Pure: another module gathers the
// facts and prints the findings, and `inspect --check`, `status` and `doctor` all show what is decided here.

import Ground
import PhonePolicy

/// One thing that is wrong, what it means, and what to do.
package struct Finding: Hashable, Sendable {
  package let kind: FindingKind
  /// What is wrong: a sentence without its full stop, with the path or process.
  package let what: String
  /// What to do; empty if there is nothing to do.
  package let remedy: String
  /// What `doctor --fix` can do.
  package let fix: Fix?

  package init(_ kind: FindingKind, _ what: String, remedy: String = "", fix: Fix? = nil) {
    self.kind = kind
    self.what = what
    self.remedy = remedy
    self.fix = fix
  }

  package var gravity: Gravity { kind.gravity }
  package var sentence: String { remedy.isEmpty ? what : "\(what); \(remedy)" }

  package struct Document: Report {
    /// A code word.
    var kind: String
    /// `broken`, `wrong` or `note`.
    var gravity: String
    var what: String
    var means: String
    var remedy: String?
    /// What `doctor --fix` would do, or has done.
    var fix: String?
  }

  package var document: Document {
    Document(
      kind: kind.word, gravity: gravity.rawValue, what: what, means: kind.meaning,
      remedy: remedy.isEmpty ? nil : remedy, fix: fix?.sentence)
  }
}

/// How grave a finding is: the gravest first.
package enum Gravity: String, Hashable, Sendable, CaseIterable {
  /// Exclusive use of the node, money, a secret or the stored state is at stake.
  case broken
  /// Something does not work as it should, and nothing is lost by it.
  case wrong
  /// Nothing needs to be done.
  case note
}

/// A change that cannot lose anything.
package enum Fix: Hashable, Sendable {
  /// Takes rights away from other users.
  case narrow(path: String, mode: UInt32)
  /// Creates a lock file that no process has open.
  case createLock(path: String)

  package var sentence: String {
    switch self {
    case .narrow(let path, let mode): "chmod \(String(mode, radix: 8)) \(path)"
    case .createLock(let path): "create the empty lock file \(path)"
    }
  }
}

extension Sequence<Finding> {
  /// The gravest first; those of one gravity in the order in which they were found.
  package var worstFirst: [Finding] {
    Gravity.allCases.flatMap { gravity in filter { $0.gravity == gravity } }
  }

  /// All but notes: what `inspect` and `status` call problems.
  package var problems: [Finding] { filter { $0.gravity != .note } }
}

/// The kinds of findings, by code word, the gravest first.
package enum FindingKind: String, Hashable, Sendable, CaseIterable {
  case databaseLost =
    "the claims and the channel's state are gone from here; a new database would look to the peer like another device"
  case databaseDamaged =
    "the channel's state cannot be trusted: a process that goes on with it could act on a wrong state"
  case databaseIncomplete = "the newest writes are missing: the state is older than what the peer knows"
  case twoOwners =
    "two processes may run the node at once; the fence refuses the writes of one, and the peer closes its connection"
  case epochUsedTwice =
    "two owners cannot be told apart by their epoch: one acted on a state that the other did not know"
  case epochBehindPeer =
    "this state is older than the peer's, as after a restored copy; the next owner raises its epoch and takes the peer's backup"
  case beatAboveClaims =
    "a newer owner than the database knows has been here: this database is older than the heartbeat"
  case claimsMissing = "the history of owners has a gap: the database was put together from different copies"
  case writeWithoutClaim = "a process wrote without owning the node, or its claim is missing from this copy"
  case lockHeldTwice = "while one of the processes lives, the death of the other is not noticed: no takeover"
  case secretInTheClear = "who can read this file can spend the wallet's money or read its pushes"
  case openToOthers =
    "another user can replace the state or the locks; the wallet's processes refuse to start"
  case notOurs = "its owner can change it under the running processes; they refuse to start with it"
  case rowInvalid = "what this row said is lost; a process that needs it fails"
  case seedLost = "without its seed the wallet can neither start nor be restored"
  case peerLost =
    "the peer's side of the channel is in this file alone: without it the peer does not know the wallet"

  case stoppedInTransaction = "no process can claim the node or write, and no payment moves"
  case holderStopped = "the other process may claim the node; the stopped one is refused when it goes on"
  case holderFrozen = "the other process may claim the node; payments wait until then"
  case ownerWithoutLock =
    "the other process takes it for dead and may claim the node; this costs time, as the fence refuses one of them"
  case beatWithoutLock =
    "a process that does not own the node beats: it has not noticed its loss, or its lock file was replaced"
  case lockFileMissing = "whether the holder lives cannot be seen; a missing lock counts as busy"
  case heartbeatMissing = "a live holder looks frozen after 5 s, and a release looks like a death"
  case heartbeatDamaged = "its process looks frozen after 5 s, and its release like a death"
  case notAPlainFile = "the wallet's processes refuse to start with it"
  case readableByOthers = "other users of this machine can read amounts, peers and payment secrets"
  case otherSchema =
    "another version wrote this; this one can show it, and its processes refuse to start with it"
  case announcementsUnreadable =
    "news of payments are lost, and no payment is: the peer offers them all the same"
  case unreadable = "this part could not be checked"
  case startRefused = "`baton up` ends with an error"
  case daemonMissing = "the phone or the peer does nothing until it is started"
  case daemonStopped = "the phone or the peer does nothing until it goes on"
  case daemonSilent = "the phone or the peer does not answer"
  case processFailed = "the next start may end alike, and payments wait until one does not"
  case processStopped = "it receives and answers nothing until it goes on"
  case processSilent =
    "it may hang: it receives no payment, and the phone does not end it while it is in front"
  case notConnected = "the wallet receives no payment until it connects"
  case paymentWaits = "its sender waits, and it fails when the peer gives it up"
  case programMissing = "a phone cannot start, or one of its processes cannot"
  case packageMissing = "the program ends before its first line"
  case locksInvisible = "neither holders nor processes that are suspended with a lock can be named"
  case noRoom = "a copy of a database cannot be made, and the wallet's writes fail when the disk is full"
  case fewDescriptors = "a program with many connections ends with 73 or 74"

  case holderDead =
    "the holder ended without a release; the next process finds its lock free and claims at once"
  case foreignFile = "Baton does not read it; it may belong to the wallet's own code"
  case memoryInexact = "the extension's limit is watched by samples, and not held by the kernel"
  case connectionsStayOpen = "a suspended process keeps its connection, which iOS would end"
  case memoryUnlocked = "keys may be swapped out"

  /// The code word, such as `database-lost`.
  package var word: String {
    self == .notAPlainFile
      ? "not-a-plain-file" : JSONNames.snakeCase.name("\(self)").replacing("_", with: "-")
  }

  package var meaning: String { rawValue }

  /// By its place: the kinds are listed with the gravest first.
  package var gravity: Gravity {
    func isFrom(_ first: FindingKind) -> Bool { Self.allCases.drop { $0 != first }.contains(self) }
    return isFrom(.holderDead) ? .note : isFrom(.stoppedInTransaction) ? .wrong : .broken
  }

  /// Right between two steps of a healthy process: it counts only if it is still there at later looks.
  package var isOftenPassing: Bool {
    switch self {
    case .twoOwners, .lockHeldTwice, .ownerWithoutLock, .beatWithoutLock: true
    default: false
    }
  }
}
