import Lightning

@testable import Judge

/// One message from a peer, read by the node and by the judge. They share no code, so frames that both accept must
/// be read as the same.
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

  /// Unknown odd records are dropped; everything else round-trips byte for byte.
  private static func checkCoding(of message: Message, from bytes: [UInt8]) {
    let encoded = message.encoded()
    promise(bytes.starts(with: encoded), "a message does not round-trip: \(message)")
    let again = try? Message(decoding: encoded)
    promise(again == message, "an encoded message is read as another: \(message)")
  }

  private static func checkJudge(of message: Message, from bytes: [UInt8]) {
    let judged = try? FrameReader.read(bytes)
    let expected = JudgedMessage.of(message, isWhole: message.encoded() == bytes)
    promise(judged?.message == expected, "the judge reads \(String(describing: judged)) for \(message)")
  }

  /// The judge must refuse it as well, unless it reads only the type (`.other`).
  private static func checkJudge(refusesWhat error: WireError, _ bytes: [UInt8]) {
    guard let judged = try? FrameReader.read(bytes) else { return }
    if case .other = judged.message { return }
    promise(false, "the judge reads \(judged.message), but the node reports: \(error)")
  }
}
