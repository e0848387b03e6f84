import Ground
import Crypto
import DaemonRuntime
import Lightning

/// Costs of BOLT 8 for both ends together, in one process, in small batches alternating with the floor's.
struct WireCosts {
  let floor: FloorProgram
  private static let batch = 50
  /// Message sizes: a revocation, an HTLC with its onion, the maximum.
  private static let sizes = [100, 1452, 65_535]
  private static let greetingSize = 52

  func rows(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    let dialler = try key()
    let answerer = try key()
    var shakes: [Int64] = []
    var floorShakes: [Int64] = []
    var messages = [[Int64]](repeating: [], count: Self.sizes.count)
    var floorMessages = messages
    let initMessage = [UInt8](repeating: 1, count: Self.greetingSize)
    for done in stride(from: 0, to: rounds, by: Self.batch) {
      floorShakes += try floor.samples(["handshake", "\(Self.batch)"])
      var ends = try handshake(dialler, answerer)
      for _ in 0..<Self.batch {
        let start = Clock.monotonicNow
        ends = try handshake(dialler, answerer)
        try carry(initMessage, from: &ends.dialler, to: &ends.answerer)
        try carry(initMessage, from: &ends.answerer, to: &ends.dialler)
        shakes.append((Clock.monotonicNow - start).nanoseconds)
      }
      for (index, size) in Self.sizes.enumerated() {
        floorMessages[index] += try floor.samples(["messages", "\(Self.batch)", "\(size)"])
        let message = [UInt8](repeating: 1, count: size)
        for _ in 0..<Self.batch {
          let start = Clock.monotonicNow
          try carry(message, from: &ends.dialler, to: &ends.answerer)
          messages[index].append((Clock.monotonicNow - start).nanoseconds)
        }
      }
      progress(min(rounds, done + Self.batch))
    }
    var rows = [
      Row(name: "handshake and init, both ends", samples: Samples(shakes), floor: Samples(floorShakes))
    ]
    for (index, size) in Self.sizes.enumerated() {
      rows.append(
        Row(
          name: "message of \(size) bytes, both ends", samples: Samples(messages[index]),
          floor: Samples(floorMessages[index])))
    }
    return rows
  }

  private func key() throws -> PrivateKey {
    guard let key = Bytes32(randomBytes(Bytes32.size)).flatMap({ PrivateKey($0) }) else {
      throw BenchError("no key was drawn")
    }
    return key
  }

  private func handshake(
    _ dialler: PrivateKey, _ answerer: PrivateKey
  ) throws -> (dialler: SecureChannel, answerer: SecureChannel) {
    var actOne: [UInt8] = []
    var one = SecureChannel(
      dialling: answerer.publicKey, as: dialler, ephemeral: try key(), opening: &actOne)
    var other = SecureChannel(answeringAs: answerer, ephemeral: try key())
    other.append(actOne[...])
    guard case .handshake(let actTwo, _)? = try other.next() else { throw BenchError("act one failed") }
    one.append(actTwo[...])
    guard case .handshake(let actThree, _)? = try one.next() else { throw BenchError("act two failed") }
    other.append(actThree[...])
    guard case .handshake(_, dialler.publicKey)? = try other.next() else {
      throw BenchError("act three failed")
    }
    return (one, other)
  }

  private func carry(
    _ message: [UInt8], from sender: inout SecureChannel, to receiver: inout SecureChannel
  ) throws {
    guard let sealed = sender.seal(message) else { throw BenchError("a message was not sealed") }
    receiver.append(sealed[...])
    guard case .message(let heard)? = try receiver.next(), heard.count == message.count else {
      throw BenchError("a message was lost")
    }
  }
}
