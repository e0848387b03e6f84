import Testing

@testable import Judge

@Suite("The judge's sequence of steps") struct StepSequenceTests {
  private typealias Entry = PeerReplay.SequenceEntry

  private func place(_ sequence: [Entry]) -> UnsafeRawPointer? {
    sequence.withUnsafeBufferPointer { $0.baseAddress.map { UnsafeRawPointer($0) } }
  }

  @Test
  func `Dropping the wallet's uncommitted updates at a disconnect changes the array in place`() {
    var sequence: [Entry] = []
    for frame in 0..<1000 {
      sequence.append(Entry(frame: Int64(frame), by: .wallet, step: .commit(htlcSignatures: 0, funding: nil)))
    }
    sequence.append(Entry(frame: 1000, by: .wallet, step: .fail(id: 1, code: 2)))
    sequence.append(Entry(frame: 1001, by: .peer, step: .fail(id: 2, code: 2)))
    sequence.append(Entry(frame: 1002, by: .wallet, step: .revoke(secret: [])))
    let before = place(sequence)
    sequence.forgetUnsigned()
    #expect(place(sequence) == before)
    #expect(sequence.map(\.frame) == Array(0..<1000) + [1001, 1002])
  }
}
