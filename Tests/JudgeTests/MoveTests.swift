import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("The verdict on a wallet that the user moved to another container") struct MoveTests {
  private func verdict(
    of run: SampleRun, others: [String] = [], without: Set<EvidencePart> = []
  ) throws -> Verdict {
    try Judge.verdict(
      home: run.home, others: others.map { "\(run.home)/\($0)" }, requireSettled: true, without: without)
  }

  @Test func `After a move the run is sound if both containers are given, and a remark names the move`()
    throws
  {
    let verdict = try verdict(of: try SampleStory.tellOfMove(), others: ["AppGroup-before"])
    #expect(verdict.findings == [] && verdict.exitCode == 0, "\(verdict.text)")
    #expect(verdict.counts.paid == 1 && verdict.counts.received == 1 && verdict.counts.appClaims == 3)
    #expect(verdict.judged.map(\.rawValue).contains("other container"))
    #expect(
      verdict.remarks.contains {
        $0.hasPrefix("under epoch 2 the wallet was moved from container a1a2a3a4a5a6… ")
      })
  }

  @Test
  func `Without the former container there is no verdict, except with --without other`() throws {
    let run = try SampleStory.tellOfMove()
    let missing = try verdict(of: run)
    #expect(missing.findings == [] && missing.exitCode == 74, "\(missing.text)")
    #expect(missing.missing.map(\.part.rawValue) == ["other container"])
    #expect(missing.text.contains("the wallet moved into this container under epoch 2"))
    let waived = try verdict(of: run, without: [.other])
    #expect(waived.exitCode == 0, "\(waived.text)")
    #expect(waived.text.contains("in the parts that were judged"))
  }

  @Test func `Judged from the first container, with the second given, the run is sound`() throws {
    let run = try SampleStory.tellOfMove()
    try FileManager.default.moveItem(atPath: "\(run.home)/AppGroup", toPath: "\(run.home)/later")
    try FileManager.default.moveItem(atPath: "\(run.home)/AppGroup-before", toPath: "\(run.home)/AppGroup")
    let verdict = try verdict(of: run, others: ["later"])
    #expect(verdict.findings == [] && verdict.exitCode == 0, "\(verdict.text)")
    #expect(try self.verdict(of: run).text.contains("the wallet moved away from this container"))
  }

  @Test(
    arguments: [
      ("AppGroup-before", "DELETE FROM received_payments", 3, "the wallet has not received it"),
      ("AppGroup-before", "UPDATE claims SET incarnation = 5", 1, "has no claim of that epoch"),
      ("AppGroup", "UPDATE claims SET incarnation = 5 WHERE epoch = 2", 1, "has no claim of that epoch"),
      (
        "AppGroup", "UPDATE claims SET epoch = 4, seen_epoch = 1 WHERE epoch = 2", 1,
        "which the peer never reported"
      ),
      ("AppGroup", "UPDATE channels SET local_msat = local_msat + 1", 2, "local_msat is"),
      ("AppGroup-before", "UPDATE channels SET local_msat = local_msat + 1", 2, "local_msat is"),
      ("AppGroup", "INSERT INTO received_payments VALUES (1, x'05', 5, 2, 9)", 3, "no sender paid it"),
    ])
  func `A broken row in either container is reported`(
    container: String, change: String, invariant: Int, words: String
  ) throws {
    let run = try SampleStory.tellOfMove()
    try TestDatabase("\(run.home)/\(container)/node.sqlite").execute(change)
    let verdict = try verdict(of: run, others: ["AppGroup-before"])
    #expect(verdict.exitCode == 2)
    #expect(
      verdict.findings.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(verdict.text)")
  }

  @Test
  func `A move that the peer accepted although it replaces a claim other than the newest is reported`()
    throws
  {
    let verdict = try verdict(of: try SampleStory.tellOfMove(naming: 0), others: [])
    #expect(verdict.exitCode == 2)
    #expect(
      verdict.findings.contains {
        $0.sentence.contains("accepted where its rule says refused-other-container")
      },
      "\(verdict.text)")
  }

  @Test func `A container that the wallet never used is refused as the other container`() throws {
    let run = try SampleStory.tell()
    let other = try SampleStory.tellOfMove()
    #expect(throws: JudgeError.noOtherContainer(path: "\(other.home)/AppGroup-before")) {
      try Judge.verdict(home: run.home, others: ["\(other.home)/AppGroup-before"])
    }
  }
}
