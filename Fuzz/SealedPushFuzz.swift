import Crypto
import Ground
import Guardrails

/// A push in Bitkit's form as the extension without a node reads it: the members of the sealed payload, and the text
/// inside. A tag would stop every guess, so the input is also sealed for the wallet and opened.
enum SealedPushFuzz: FuzzTarget {
  static let name = "sealed-push"
  static let longestInput = 1024

  private static let key = PrivateKey(SampleMessages.preimage)
  private static let sender = PrivateKey(SHA256.hash(SampleMessages.preimage.bytes))
  private static let iv = [UInt8](0..<16)

  static var seeds: [[UInt8]] {
    let announcements = Announcement.Kind.allCases.map {
      Announcement(
        kind: $0, paymentHash: SampleMessages.preimage, amountMsat: 100_000, isHeld: true, holdEndsAt: 60)
    }
    let plain = announcements.map { OpenedPayload($0, createdAt: "2024-09-18T13:33:52.555Z").json }
    let sealed = plain.compactMap { seal($0) }.map { payload in
      #"{"cipher":"\#(payload.cipherText)","iv":"\#(payload.ivText)","publicKey":"\#(payload.publicKey.hex)","tag":"\#(payload.tagText)"}"#
    }
    return plain
      + sealed.map { Array(#"{"aps":{"alert":"x","mutable-content":1},"payload":\#($0)}"#.utf8) }
      + sealed.prefix(1).map { Array(#"{"aps":{"alert":{"title":"x","payload":\#($0)}}}"#.utf8) }
      + [
        #"{"aps":{"content-available":1},"payment_hash":"\#(SampleMessages.preimage.hex)","amount_msat":100000,"type":"incoming_htlc_wake"}"#,
        #"{"type":"incomingHtlc","payload":{"secretMessage":"hello"}}"#,
        #"{"aps":{},"payload":{"cipher":"AA==","iv":"00","publicKey":"02","tag":""}}"#,
      ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let push = PushReader.read(bytes, id: 7, as: .bitkit) { members in
      do throws(SealError) {
        let sealed = try SealedPayload(
          cipher: members.cipher, iv: members.iv, publicKey: members.publicKey, tag: members.tag)
        // The readers are strict: each value has one text, but for the case of its digits.
        promise(sealed.cipherText == members.cipher, "base64 was read that is written differently")
        return try key.map { key throws(SealError) in try PushSeal.open(sealed, with: key) } ?? nil
      } catch {
        promiseOneLine(error.description)
        return nil
      }
    }
    promise(push.id == 7, "a push changed its number")
    promise((push.announcement == nil) == (push.reason == .unreadable), "an unreadable push announces")
    guard let key, let sealed = seal(bytes) else { return }
    let opened = try? PushSeal.open(sealed, with: key)
    promise(opened == bytes, "a sealed text opens as another")
    guard let announcement = PushReader.readOpened(bytes) else { return }
    let again = OpenedPayload(announcement, createdAt: "").json
    promise(
      PushReader.readOpened(again).map { normal($0) } == normal(announcement), "news are read back as others")
  }

  /// A server says only of a payment that it is held.
  private static func normal(_ announcement: Announcement) -> Announcement {
    var normal = announcement
    if normal.kind != .incomingHtlc { normal.isHeld = false }
    return normal
  }

  private static func seal(_ plain: [UInt8]) -> SealedPayload? {
    guard let key, let sender else { return nil }
    return PushSeal.seal(plain, to: key.publicKey, ephemeral: sender, iv: iv)
  }
}
