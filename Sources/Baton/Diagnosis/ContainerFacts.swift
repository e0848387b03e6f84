import Ground

/// What a container shows at one moment.
package struct ContainerFacts: Hashable, Sendable {
  /// The owner by the highest claim.
  package struct Owner: Hashable, Sendable {
    /// Its program and pid.
    package var name: String
    package var pid: Int32
    package var epoch: Epoch

    package init(name: String, pid: Int32, epoch: Epoch) {
      self.name = name
      self.pid = pid
      self.epoch = epoch
    }
  }

  package struct ClaimMark: Hashable, Sendable {
    package var epoch: Epoch
    package var incarnation: UInt64
    /// The epoch that the claimant had read; 0 for none.
    package var seen: Epoch
    /// Raised above the peer's epoch, or moved here: epochs may be left out.
    package var isRaised: Bool

    package init(epoch: Epoch, incarnation: UInt64, seen: Epoch, isRaised: Bool) {
      self.epoch = epoch
      self.incarnation = incarnation
      self.seen = seen
      self.isRaised = isRaised
    }
  }

  package struct WriteMark: Hashable, Sendable {
    package var id: Int64
    package var epoch: Epoch
    package var incarnation: UInt64

    package init(id: Int64, epoch: Epoch, incarnation: UInt64) {
      self.id = id
      self.epoch = epoch
      self.incarnation = incarnation
    }
  }

  package struct LockMark: Hashable, Sendable {
    package var path: String
    package var exists: Bool
    package var holders: [Int32]

    package init(path: String, exists: Bool, holders: [Int32] = []) {
      self.path = path
      self.exists = exists
      self.holders = holders
    }
  }

  /// The process inside a transaction.
  package struct WriterMark: Hashable, Sendable {
    package var pid: Int32
    package var isStopped: Bool

    package init(pid: Int32, isStopped: Bool) {
      self.pid = pid
      self.isStopped = isStopped
    }
  }

  package struct BeatMark: Hashable, Sendable {
    /// Its process's program and pid.
    package var name: String
    package var epoch: Epoch
    package var isReleased: Bool
    /// nil in another boot.
    package var age: TimeSpan?
    /// Its process lives and has this container open.
    package var isAliveHere: Bool
    /// Its process holds the lock of its role.
    package var holdsLock: Bool

    package init(
      name: String, epoch: Epoch, isReleased: Bool, age: TimeSpan?, isAliveHere: Bool, holdsLock: Bool
    ) {
      self.name = name
      self.epoch = epoch
      self.isReleased = isReleased
      self.age = age
      self.isAliveHere = isAliveHere
      self.holdsLock = holdsLock
    }
  }

  package var directory: String
  package var isInUse = false
  package var schema: Int64 = 1
  package var knownSchema: Int64 = 1
  /// It is of Baton's own wallet: other wallets' schemas have their own numbers.
  package var hasChannelTable = false
  package var holder = HolderVerdict.neverClaimed
  package var owner: Owner?
  /// From the oldest to the newest.
  package var claims: [ClaimMark] = []
  package var hasOlderClaims = false
  package var lastWrite: WriteMark?
  package var locks: [LockMark] = []
  package var writer: WriterMark?
  package var beats: [BeatMark] = []
  /// The programs whose slot has no valid beat.
  package var damagedBeats: [String] = []
  package var hasHeartbeat = true
  /// The peer's highest epoch, read before the container; nil if unknown.
  package var peerEpoch: Epoch?
  package var files: [FileMark] = []

  package init(directory: String) { self.directory = directory }
}
