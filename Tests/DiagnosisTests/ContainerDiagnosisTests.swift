import Ground
import Heartbeat
import Testing

@testable import Baton

@Suite struct ContainerDiagnosisTests {
  private static func sound(_ change: (inout ContainerFacts) -> Void = { _ in }) -> ContainerFacts {
    var facts = ContainerFacts(directory: "DIR")
    facts.isInUse = true
    facts.schema = 9
    facts.knownSchema = 9
    facts.owner = .init(name: "mainappd 5", pid: 5, epoch: 3)
    facts.holder = .beating(.established, age: .seconds(1))
    facts.claims = (1...3).map { .init(epoch: $0, incarnation: $0 * 10, seen: $0 - 1, isRaised: false) }
    facts.lastWrite = .init(id: 9, epoch: 3, incarnation: 30)
    facts.locks = ["app.lock", "extension.lock", "app.intent"].map { .init(path: $0, exists: true) }
    facts.locks[0].holders = [5]
    facts.beats = [
      .init(
        name: "mainappd", epoch: 3, isReleased: false, age: .seconds(1), isAliveHere: true, holdsLock: true)
    ]
    change(&facts)
    return facts
  }

  private func kinds(_ change: (inout ContainerFacts) -> Void) -> [FindingKind] {
    Self.sound(change).findings.map(\.kind)
  }

  @Test func `A container whose holder beats has no finding`() {
    #expect(kinds { _ in } == [])
  }

  @Test func `Each verdict on a holder that needs attention has its finding, and no other has one`() {
    func found(_ verdict: HolderVerdict) -> [FindingKind] { kinds { $0.holder = verdict } }
    #expect(found(.stopped(age: .seconds(4))) == [], "others may not claim yet")
    #expect(found(.stopped(age: .seconds(5))) == [.holderStopped])
    #expect(found(.silent(age: .seconds(6))) == [.holderFrozen])
    #expect(found(.lockHeldByAnother(pid: 8)) == [.twoOwners])
    #expect(found(.beatingWithoutLock(.established)) == [.ownerWithoutLock])
    #expect(found(.withoutLock) == [.ownerWithoutLock])
    #expect(found(.gone) == [.holderDead])
    for verdict in [HolderVerdict.released, .goneWithoutBeat, .copied, .noBeat, .stopped(age: nil)] {
      #expect(found(verdict) == [], "\(verdict)")
    }
  }

  @Test func `A claim that has not seen the one before it, and a gap between epochs, are missing claims`() {
    #expect(kinds { $0.claims[1].seen = 0 } == [.claimsMissing])
    #expect(kinds { $0.claims.remove(at: 1) } == [.claimsMissing, .claimsMissing])
    #expect(
      kinds {
        $0.claims[2] = .init(epoch: 90, incarnation: 1, seen: 2, isRaised: true)
        $0.owner?.epoch = 90
        $0.lastWrite = nil
      } == [], "raised above the peer's epoch")
    #expect(
      kinds {
        $0.claims.removeFirst()
        $0.hasOlderClaims = true
      } == [], "older claims were not read")
  }

  @Test func `A write must be of a claimed epoch and of its claim's incarnation`() {
    #expect(kinds { $0.lastWrite?.epoch = 8 } == [.writeWithoutClaim])
    #expect(kinds { $0.lastWrite?.incarnation = 31 } == [.epochUsedTwice])
    #expect(
      kinds {
        $0.lastWrite?.epoch = 1
        $0.claims.removeFirst()
        $0.hasOlderClaims = true
      } == [], "its claim was not read")
  }

  @Test func `The peer's epoch above the highest claim is an older copy, an equal or lower one is none`() {
    #expect(kinds { $0.peerEpoch = 4 } == [.epochBehindPeer])
    #expect(kinds { $0.peerEpoch = 3 } == [])
    #expect(kinds { $0.peerEpoch = 2 } == [])
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
    #expect(found { _ in } == [.beatWithoutLock])
    #expect(found { $0.isReleased = true } == [])
    #expect(found { $0.age = .seconds(5) } == [])
    #expect(found { $0.age = nil } == [])
    #expect(found { $0.isAliveHere = false } == [])
    #expect(found { $0.holdsLock = true } == [], "it will notice at its next write")
    #expect(found { $0.epoch = 4 } == [.beatAboveClaims])
  }

  @Test func `A missing lock file can be created only where no process has the container open`() {
    let inUse = Self.sound { $0.locks[1].exists = false }.findings
    #expect(inUse.map(\.kind) == [.lockFileMissing] && inUse[0].fix == nil)
    let atRest = Self.sound {
      $0.locks[1].exists = false
      $0.isInUse = false
    }.findings
    #expect(atRest.map(\.fix) == [.createLock(path: "extension.lock")])
    #expect(kinds { for place in $0.locks.indices { $0.locks[place].exists = false } } == [.lockFileMissing])
    #expect(kinds { $0.locks[0].holders = [5, 6] } == [.lockHeldTwice])
  }

  @Test func `A stopped writer is a finding, a running one is none`() {
    #expect(kinds { $0.writer = .init(pid: 7, isStopped: true) } == [.stoppedInTransaction])
    #expect(kinds { $0.writer = .init(pid: 7, isStopped: false) } == [])
  }

  @Test func `A missing heartbeat counts once a node was written to or claimed twice`() {
    #expect(kinds { $0.hasHeartbeat = false } == [.heartbeatMissing])
    #expect(
      kinds {
        $0.hasHeartbeat = false
        $0.lastWrite = nil
        $0.claims = []
        $0.beats = []
        $0.owner?.epoch = 1
      } == [])
    #expect(kinds { $0.damagedBeats = ["mainappd"] } == [.heartbeatDamaged])
    #expect(kinds { $0.schema = 10 } == [.otherSchema])
  }

  @Test func `A file is judged by its name, owner, kind and rights`() {
    func found(_ change: (inout FileMark) -> Void) -> Finding? {
      var mark = FileMark(path: "DIR/x", kind: .plain, permissions: 0o600, isOurs: true, isKnown: true)
      change(&mark)
      return mark.finding
    }
    #expect(found { _ in } == nil)
    #expect(found { $0.permissions = 0o640 }?.fix == .narrow(path: "DIR/x", mode: 0o600))
    #expect(found { $0.permissions = 0o755 }?.kind == .readableByOthers)
    #expect(found { ($0.kind, $0.permissions) = (.socket, 0o755) } == nil, "its directory's rights count")
    #expect(found { $0.isKnown = false }?.kind == .foreignFile)
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
    #expect(found.worstFirst.map(\.what) == ["c", "b", "d", "a"])
    #expect(found.problems.map(\.what) == ["b", "c", "d"])
  }

  @Test func `Each kind has a meaning of its own, and the kinds are listed with the gravest first`() {
    #expect(Set(FindingKind.allCases.map(\.meaning)).count == FindingKind.allCases.count)
    let gravities = FindingKind.allCases.map(\.gravity)
    #expect(gravities == gravities.sorted())
  }
}
