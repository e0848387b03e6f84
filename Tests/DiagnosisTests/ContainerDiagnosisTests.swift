import Ground
import Guardrails
import Heartbeat
import TestKit

@testable import Baton
@testable import SharedContainer

@Suite struct ContainerDiagnosisTests {
  private static func sound(_ change: (inout ContainerFacts) -> Void = { _ in }) -> ContainerFacts {
    let process = ProcessIdentity(pid: 5, startTime: 1, boot: BootID(high: 1, low: 1))
    let claims = (1...3 as ClosedRange<Epoch>).map { epoch in
      ClaimRecord(
        row: ClaimRow(
          epoch: epoch, role: .app, process: process, incarnation: epoch * 10,
          container: ContainerID(high: 1, low: 1)),
        bootClock: Instant(nanoseconds: 0), wallClockNanoseconds: 0, seen: epoch - 1, reason: "holder-died")
    }
    let write = NodeWrite(id: 9, epoch: 3, incarnation: 30, what: "", atMonotonic: Instant(nanoseconds: 0))
    func lock(_ path: String, _ holders: [Int32] = []) -> LockFacts {
      LockFacts(path: path, exists: true, holders: holders, strays: [])
    }
    let snapshot = Snapshot(
      directory: "DIR", isLive: true, users: [5], schemaVersion: 9, container: nil, meta: [], claims: claims,
      hasOlderClaims: false, writes: NodeWrites(count: 9, last: write), appBeat: nil, extensionBeat: nil,
      hasHeartbeat: true, damagedBeats: [], appLock: lock("app.lock", [5]),
      extensionLock: lock("extension.lock"), appIntent: lock("app.intent"), writer: nil, tables: [],
      problems: [], hasCheckedPages: true, steps: 0)
    var facts = ContainerFacts(
      snapshot: snapshot, knownSchema: 9, holder: .beating(.established, age: .seconds(1)),
      beats: [
        .init(
          name: "mainappd", epoch: 3, isReleased: false, age: .seconds(1), isAliveHere: true, holdsLock: true)
      ])
    change(&facts)
    return facts
  }

  private func kinds(_ change: (inout ContainerFacts) -> Void) -> [FindingKind] {
    Self.sound(change).findings.map(\.kind)
  }

  @Test func `A container whose holder beats has no finding`() {
    expect(kinds { _ in }, is: [])
  }

  @Test func `Each verdict on a holder that needs attention has its finding, and no other has one`() {
    func found(_ verdict: HolderVerdict) -> [FindingKind] { kinds { $0.holder = verdict } }
    expect(found(.stopped(age: .seconds(4))), is: [], "others may not claim yet")
    expect(found(.stopped(age: .seconds(5))), is: [.holderStopped])
    expect(found(.silent(age: .seconds(6))), is: [.holderFrozen])
    expect(found(.lockHeldByAnother(pid: 8)), is: [.twoOwners])
    expect(found(.beatingWithoutLock(.established)), is: [.ownerWithoutLock])
    expect(found(.withoutLock), is: [.ownerWithoutLock])
    expect(found(.gone), is: [.holderDead])
    for verdict in [HolderVerdict.released, .goneWithoutBeat, .copied, .noBeat, .stopped(age: nil)] {
      expect(found(verdict), is: [], "\(verdict)")
    }
  }

  @Test func `A claim that has not seen the one before it, and a gap between epochs, are missing claims`() {
    expect(kinds { $0.snapshot.claims[1].seen = 0 }, is: [.claimsMissing])
    expect(kinds { $0.snapshot.claims.remove(at: 1) }, is: [.claimsMissing, .claimsMissing])
    expect(
      kinds {
        $0.snapshot.claims[2].row.epoch = 90
        $0.snapshot.claims[2].reason = ClaimReason.raised.rawValue
        $0.snapshot.writes.last = nil
      }, is: [], "raised above the peer's epoch")
    expect(
      kinds {
        $0.snapshot.claims.removeFirst()
        $0.snapshot.hasOlderClaims = true
      }, is: [], "older claims were not read")
  }

  @Test func `A write must be of a claimed epoch and of its claim's incarnation`() {
    expect(kinds { $0.snapshot.writes.last?.epoch = 8 }, is: [.writeWithoutClaim])
    expect(kinds { $0.snapshot.writes.last?.incarnation = 31 }, is: [.epochUsedTwice])
    expect(
      kinds {
        $0.snapshot.writes.last?.epoch = 1
        $0.snapshot.claims.removeFirst()
        $0.snapshot.hasOlderClaims = true
      }, is: [], "its claim was not read")
  }

  @Test func `The peer's epoch above the highest claim is an older copy, an equal or lower one is none`() {
    expect(kinds { $0.peerEpoch = 4 }, is: [.epochBehindPeer])
    expect(kinds { $0.peerEpoch = 3 }, is: [])
    expect(kinds { $0.peerEpoch = 2 }, is: [])
  }

  @Test
  func `A fresh beat of a live process without its lock, under an epoch that lost the node, is a finding`() {
    func found(_ change: (inout ContainerFacts.BeatMark) -> Void) -> [FindingKind] {
      kinds { facts in
        var beat = ContainerFacts.BeatMark(
          name: "notifyextd", epoch: 2, isReleased: false, age: .seconds(1), isAliveHere: true,
          holdsLock: false)
        change(&beat)
        facts.beats.append(beat)
      }
    }
    expect(found { _ in }, is: [.beatWithoutLock])
    expect(found { $0.isReleased = true }, is: [])
    expect(found { $0.age = .seconds(5) }, is: [])
    expect(found { $0.age = nil }, is: [])
    expect(found { $0.isAliveHere = false }, is: [])
    expect(found { $0.holdsLock = true }, is: [], "it will notice at its next write")
    expect(found { $0.epoch = 4 }, is: [.beatAboveClaims])
  }

  @Test func `A missing lock file can be created only where no process has the container open`() {
    let inUse = Self.sound { $0.snapshot.extensionLock.exists = false }.findings
    #expect(inUse.map(\.kind) == [.lockFileMissing] && inUse[0].fix == nil)
    let atRest = Self.sound {
      $0.snapshot.extensionLock.exists = false
      $0.snapshot.isLive = false
    }.findings
    expect(atRest.map(\.fix), is: [.createLock(path: "extension.lock")])
    let locks = [\Snapshot.appLock, \.extensionLock, \.appIntent]
    expect(kinds { for lock in locks { $0.snapshot[keyPath: lock].exists = false } }, is: [.lockFileMissing])
    expect(kinds { $0.snapshot.appLock.holders = [5, 6] }, is: [.lockHeldTwice])
  }

  @Test func `A stopped writer is a finding, a running one is none`() {
    expect(kinds { $0.snapshot.writer = .init(pid: 7, isStopped: true) }, is: [.stoppedInTransaction])
    expect(kinds { $0.snapshot.writer = .init(pid: 7, isStopped: false) }, is: [])
  }

  @Test func `A missing heartbeat counts once a node was written to or claimed twice`() {
    expect(kinds { $0.snapshot.hasHeartbeat = false }, is: [.heartbeatMissing])
    expect(
      kinds {
        $0.snapshot.hasHeartbeat = false
        $0.snapshot.writes.last = nil
        $0.snapshot.claims.removeLast(2)
        $0.beats = []
      }, is: [])
    expect(kinds { $0.snapshot.damagedBeats = [.app] }, is: [.heartbeatDamaged])
    expect(kinds { $0.snapshot.schemaVersion = 10 }, is: [.otherSchema])
  }

  @Test func `A file is judged by its name, owner, kind and rights`() {
    func found(_ change: (inout FileMark) -> Void) -> Finding? {
      var mark = FileMark(path: "DIR/x", kind: .plain, permissions: 0o600, isOurs: true, isKnown: true)
      change(&mark)
      return mark.finding
    }
    #expect(found { _ in } == nil)
    expect(found { $0.permissions = 0o640 }?.fix, is: .narrow(path: "DIR/x", mode: 0o600))
    expect(found { $0.permissions = 0o755 }?.kind, is: .readableByOthers)
    #expect(found { ($0.kind, $0.permissions) = (.socket, 0o755) } == nil, "its directory's rights count")
    expect(found { $0.isKnown = false }?.kind, is: .foreignFile)
    let foreign = found { ($0.isKnown, $0.isOurs) = (false, false) }
    #expect(foreign?.kind == .foreignFile && foreign?.what.hasSuffix("belongs to another user") == true)
    let link = found { ($0.isKnown, $0.kind) = (false, .link) }
    #expect(link?.kind == .foreignFile && link?.what.contains("a symbolic link") == true)
  }

  @Test func `The gravest findings come first, those of one gravity in the order in which they were found`() {
    let found: [Finding] = [
      Finding(.foreignFile, "a"), Finding(.holderFrozen, "b"), Finding(.twoOwners, "c"),
      Finding(.noRoom, "d"),
    ]
    expect(found.worstFirst.map(\.what), is: ["c", "b", "d", "a"])
    expect(found.problems.map(\.what), is: ["b", "c", "d"])
  }

  @Test func `Each kind has a meaning of its own, and the kinds are listed with the gravest first`() {
    expect(Set(FindingKind.allCases.map(\.meaning)).count, is: FindingKind.allCases.count)
    let ranks = FindingKind.allCases.map { Gravity.allCases.firstIndex(of: $0.gravity) ?? .max }
    expect(ranks, is: ranks.sorted())
  }
}
