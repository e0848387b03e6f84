import LightningWire

@testable import Judge

/// One message from a peer, read by the node and by the judge. They share no code, so where both understand a frame
/// they must understand the same.
enum LightningMessageFuzz: FuzzTarget {
  static let name = "lightning-message"
  static let longestInput = 4096

  static var seeds: [[UInt8]] { SampleMessages.all.map { $0.encoded() } }

  static func feed(_ bytes: [UInt8]) {
    do throws(WireError) {
      let message = try Message(decoding: bytes)
      checkCoding(of: message, from: bytes)
      checkJudge(of: message, from: bytes)
      if case .error(let complaint) = message, !complaint.data.array.isEmpty {
        promiseOneLine(complaint.text)
      }
    } catch {
      promiseOneLine(error.description)
      checkJudge(refusesWhat: error, bytes)
    }
  }

  /// Records that nobody needs are dropped; everything else comes back byte for byte.
  private static func checkCoding(of message: Message, from bytes: [UInt8]) {
    let encoded = message.encoded()
    promise(bytes.starts(with: encoded), "a message is written otherwise than it was read: \(message)")
    let again = try? Message(decoding: encoded)
    promise(again == message, "a message is read otherwise than it was written: \(message)")
  }

  private static func checkJudge(of message: Message, from bytes: [UInt8]) {
    let judged = try? FrameReader.read(bytes)
    let expected = JudgedMessage.of(message, isWhole: message.encoded() == bytes)
    promise(judged?.message == expected, "the judge reads \(String(describing: judged)) for \(message)")
  }

  /// Of a type that it does not know the judge reads the type alone, and of text it takes what is there.
  private static func checkJudge(refusesWhat error: WireError, _ bytes: [UInt8]) {
    guard let judged = try? FrameReader.read(bytes) else { return }
    if case .other = judged.message { return }
    promise(false, "the judge reads \(judged.message) where the node says: \(error)")
  }
}
