import Crypto
import Ground
import Guardrails
import PhonePolicy

@testable import IOSd

/// Bitkit's visible pushes for one wallet, sound and corrupt in every way.
struct SealedPushes {
  let key: PrivateKey
  let keyBytes: [UInt8]
  private var generator: SeededGenerator

  init(seed: UInt64) {
    var fresh = SeededGenerator(seed: seed)
    keyBytes = (0..<32).map { _ in UInt8(truncatingIfNeeded: fresh.next()) }
    key = PrivateKey(Bytes32(keyBytes) ?? .zero)!
    generator = fresh
  }

  static let alert =
    #""alert":{"title":"Payment Incoming","body":"as it was sent"},"sound":"default","interruption-level":"time-sensitive","mutable-content":1"#

  mutating func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  mutating func announcement(isHeld: Bool = true) -> Announcement {
    Announcement(
      kind: .incomingHtlc, paymentHash: Bytes32(random(32)), amountMsat: 100_000, isHeld: isHeld,
      holdEndsAt: isHeld ? 1_800_000_000 : nil)
  }

  mutating func push(_ announcement: Announcement) -> String {
    push(
      String(decoding: OpenedPayload(announcement, createdAt: "2024-09-18T13:33:52.555Z").json, as: UTF8.self)
    )
  }

  mutating func push(_ plain: String) -> String { text(of: seal(plain)) }

  mutating func seal(_ plain: String) -> SealedMembers { seal(Array(plain.utf8)) }

  mutating func seal(_ plain: [UInt8]) -> SealedMembers {
    let sender = PrivateKey(Bytes32(random(32)) ?? .zero)!
    let sealed = PushSeal.seal(plain, to: key.publicKey, ephemeral: sender, iv: random(16))!
    return SealedMembers(
      cipher: sealed.cipherText, iv: sealed.ivText, publicKey: sealed.publicKey.hex, tag: sealed.tagText)
  }

  func text(of members: SealedMembers) -> String {
    #"{"aps":{\#(Self.alert)},"payload":{"cipher":"\#(members.cipher)","iv":"\#(members.iv)","publicKey":"\#(members.publicKey)","tag":"\#(members.tag)"}}"#
  }

  /// One for each way in which a payload can be corrupt, with its name. iosd refuses what is no push at all.
  mutating func corrupt() -> [(name: String, text: String)] {
    let plain = String(
      decoding: OpenedPayload(announcement(), createdAt: "2024-09-18T13:33:52.555Z").json, as: UTF8.self)
    let sound = seal(plain)
    func with(
      cipher: String? = nil, iv: String? = nil, publicKey: String? = nil, tag: String? = nil
    ) -> String {
      text(
        of: SealedMembers(
          cipher: cipher ?? sound.cipher, iv: iv ?? sound.iv, publicKey: publicKey ?? sound.publicKey,
          tag: tag ?? sound.tag))
    }
    var foreign = SealedPushes(seed: generator.next())
    return [
      ("cipher is no base64", with(cipher: "?" + sound.cipher.dropFirst())),
      ("cipher without its padding", with(cipher: String(sound.cipher.dropLast()))),
      ("cipher of another payload", with(cipher: seal(plain).cipher)),
      ("empty cipher", with(cipher: "")),
      ("iv is no hexadecimal", with(iv: "x" + sound.iv.dropFirst())),
      ("iv of 11 bytes", with(iv: String(sound.iv.prefix(22)))),
      ("iv of 15 bytes", with(iv: String(sound.iv.dropLast(2)))),
      ("iv of an odd number of digits", with(iv: String(sound.iv.dropLast()))),
      ("key that is no point", with(publicKey: "02" + String(repeating: "0", count: 63) + "5")),
      ("key of 65 digits", with(publicKey: String(sound.publicKey.dropLast()))),
      ("key of another sender", with(publicKey: seal(plain).publicKey)),
      ("wrong tag", with(tag: String(sound.tag.reversed()))),
      ("tag of 15 bytes", with(tag: String(sound.tag.dropLast(2)))),
      ("tag is no hexadecimal", with(tag: "zz" + sound.tag.dropFirst(2))),
      ("sealed for another wallet", foreign.push(plain)),
      ("plain text is no JSON", push("Hello")),
      ("plain text is no UTF-8", text(of: seal([0xFF]))),
      ("unknown type", push(#"{"type":"wakeToTimeout","payload":{}}"#)),
      ("no type", push(#"{"payload":{}}"#)),
      ("no payload inside", push(#"{"type":"incomingHtlc"}"#)),
      ("no sealed payload", #"{"aps":{\#(Self.alert)}}"#),
      ("a push of Phoenix", #"{"aps":{\#(Self.alert)},"reason":"IncomingPayment"}"#),
      ("a sealed payload of other types", #"{"aps":{\#(Self.alert)},"payload":{"cipher":1,"iv":2}}"#),
    ]
  }
}

extension PhoneProcess {
  /// As the app leaves it.
  func keepPushKey(_ key: [UInt8]) throws {
    let store = try KeychainStore(directory: "\(home)/Keychain/items", key: "\(home)/os/keychain.key")
    try store.write(key, Entitlements.accessGroup, "push-key", .afterFirstUnlock)
  }
}
