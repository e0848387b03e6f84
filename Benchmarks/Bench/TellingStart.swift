import Crypto
import DaemonRuntime
import Glibc
import Ground
import Guardrails
import ProcessSupport

/// Time from a push's start of the extension without a node until its text is delivered, with the record stored before,
/// and its memory for one push.
struct TellingStart {
  let stage: Stage

  func rows(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    let key = SecretFile(path: "\(stage.home)/Keychain/push-key", size: Bytes32.size)
    guard let kept = Bytes32(try key.keep(randomBytes(Bytes32.size))), let receiver = PrivateKey(kept) else {
      throw BenchError("the key for pushes cannot be made")
    }
    var told: [Int64] = []
    var resident: [Int64] = []
    for round in 0...rounds {
      let run = try stage.startTellingExtension()
      stage.push(run, try Self.payload(receiver.publicKey))
      try stage.wait("the push's text") { run.count("content") > 0 }
      let peak = run.kilobytes("VmHWM")
      run.send(ControlMessage("terminate"))
      try stage.wait("the extension to end") { run.hasEnded }
      // The first makes the store.
      guard round > 0 else { continue }
      told.append((try stage.instant(of: "\"incomingStored\"", in: run) - run.startedAt).nanoseconds)
      resident += peak.map { [$0] } ?? []
      progress(round)
    }
    return [
      Row(name: "telling extension: spawn → text delivered", samples: Samples(told)),
      Row(
        name: "telling extension: peak resident, one push", samples: Samples(resident), unit: .kilobytes,
        aims: [.megabytes(10)]),
    ]
  }

  private static func payload(_ receiver: PublicKey) throws -> String {
    let news = OpenedPayload(
      Announcement(
        kind: .incomingHtlc, paymentHash: Bytes32(randomBytes(Bytes32.size)), amountMsat: 1000, isHeld: true,
        holdEndsAt: 1_800_000_000), createdAt: "2026-01-18T13:33:52.555Z")
    guard let sender = Bytes32(randomBytes(Bytes32.size)).flatMap({ PrivateKey($0) }),
      let sealed = PushSeal.seal(news.json, to: receiver, ephemeral: sender, iv: randomBytes(16))
    else { throw BenchError("a push cannot be sealed") }
    return
      #"{"aps":{"alert":"pay"},"payload":{"cipher":"\#(sealed.cipherText)","iv":"\#(sealed.ivText)","publicKey":"\#(sealed.publicKey.hex)","tag":"\#(sealed.tagText)"}}"#
  }
}
