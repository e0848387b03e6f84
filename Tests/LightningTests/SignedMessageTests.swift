import Lightning

@testable import Crypto

@Suite("Signed messages") struct SignedMessageTests {
  /// Signatures of lnd and Core Lightning nodes, from Core Lightning's tests.
  private static let published = [
    (
      "is this compatible?",
      "rbgfioj114mh48d8egqx8o9qxqw4fmhe8jbeeabdioxnjk8z3t1ma1hu1fiswpakgucwwzwo6ofycffbsqusqdimugbh41n1g698hr9t",
      "02b80cabdf82638aac86948e4c06e82064f547768dcef977677b9ea931ea75bab5"
    ),
    (
      "hi",
      "rnrphcjswusbacjnmmmrynh9pqip7sy5cx695h6mfu64iac6qmcmsd8xnsyczwmpqp9shqkth3h4jmkgyqu5z47jfn1q7gpxtaqpx4xg",
      "02de60d194e1ca5947b59fe8e2efd6aadeabfb67f2e89e13ae1a799c1e08e4a43b"
    ),
    (
      "hi",
      "ry8bbsopmduhxy3dr5d9ekfeabdpimfx95kagdem7914wtca79jwamtbw4rxh69hg7n6x9ty8cqk33knbxaqftgxsfsaeprxkn1k48p3",
      "022b8ece90ee891cbcdac0c1cc6af46b73c47212d8defbce80265ac81a6b794931"
    ),
  ]

  @Test(arguments: published)
  func `The signatures of other nodes are read`(_ text: String, _ signature: String, _ node: String) {
    expect(SignedMessage.signer(of: text, signature)?.hex, is: node)
    #expect(SignedMessage.signer(of: text + " ", signature)?.hex != node)
  }

  /// LDK's vector for the private key 1.
  @Test func `A text is signed to the letter as LDK signs it`() throws {
    let one = try #require(Bytes32([UInt8](repeating: 0, count: 31) + [1]))
    let key = try #require(PrivateKey(one))
    let signature = SignedMessage.sign("test message", with: key)
    expect(
      signature,
      is:
        "d9tibmnic9t5y41hg7hkakdcra94akas9ku3rmmj4ag9mritc8ok4p5qzefs78c9pqfhpuftqqzhydbdwfg7u6w6wdxcqpqn4sj4e73e"
    )
    expect(SignedMessage.signer(of: "test message", signature), is: key.publicKey)
  }

  @Test func `A notification's signed text is bLIP-55's, byte for byte`() {
    let body = #"{"jsonrpc":"2.0","method":"lsps5.goodbye","params":{}}"#
    let text = WebhookNotification.signedText(of: body, at: "2023-05-04T10:52:58.395Z")
    expect(
      Hexadecimal.encode(Array(text.utf8)),
      is: """
        4c535053353a20444f204e4f54205349474e2054484953204d455353414745204d414e55414c4c593a204c53503a204174\
        20323032332d30352d30345431303a35323a35382e3339355a2049206e6f74696679207b226a736f6e727063223a22322e\
        30222c226d6574686f64223a226c737073352e676f6f64627965222c22706172616d73223a7b7d7d
        """)
  }

  @Test func `Zbase32 has one text for each value, and nothing else is read`() {
    for count in 0...70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      let text = Zbase32.encode(bytes)
      expect(text.count, is: (count * 8 + 4) / 5)
      expect(Zbase32.decode(text), is: bytes)
      #expect(Zbase32.decode(text + "y") != bytes)
    }
    expect(Zbase32.encode([0x10, 0x11, 0x10]), is: "nyety")
    for text in ["yb", "l", "Y", " ", "yy0", "yyy", "é"] { #expect(Zbase32.decode(text) == nil) }
  }

  @Test func `What is no signature names no signer`() {
    for text in ["", "y", String(repeating: "y", count: 104), String(repeating: "9", count: 104), "ö"] {
      #expect(SignedMessage.signer(of: "hi", text) == nil)
    }
  }
}
