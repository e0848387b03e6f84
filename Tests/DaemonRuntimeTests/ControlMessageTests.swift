@testable import DaemonRuntime

@Suite struct ControlMessageTests {
  @Test func `A message is encoded as text and decoded to itself`() throws {
    let message = ControlMessage("pay", ["amount-msat": "5000", "wait": "yes"], body: [0, 255, 10, 10])
    let bytes = try message.encoded()
    expect(bytes, is: Array("pay\namount-msat: 5000\nwait: yes\n\n".utf8) + [0, 255, 10, 10])
    expect(try ControlMessage(decoding: bytes), is: message)
  }

  @Test(arguments: ["", " ", "a: b", "line\nbreak", "\\n", "\\", "\r\n", "ünïcode 🥕", "ends with \\"])
  func `Every field value is decoded to itself`(_ value: String) throws {
    let message = ControlMessage("say", ["text": value])
    expect(try ControlMessage(decoding: message.encoded()), is: message)
  }

  @Test(arguments: [
    ("", ControlMessageError.noHeaderEnd), ("pay", .noHeaderEnd), ("pay\n", .noHeaderEnd), ("\n\n", .badVerb),
    ("Pay\n\n", .badVerb), ("pay me\n\n", .badVerb), ("pay\nx\n\n", .badLine(number: 2)),
    ("pay\nx:1\n\n", .badLine(number: 2)), ("pay\nX: 1\n\n", .badName("X")), ("pay\n: 1\n\n", .badName("")),
    ("pay\nx: 1\nx: 2\n\n", .duplicateField("x")), ("pay\nx: \\q\n\n", .badEscape(name: "x")),
    ("pay\nx: \\\n\n", .badEscape(name: "x")), ("pay\nx: a\rb\n\n", .badEscape(name: "x")),
  ])
  func `A malformed message is refused with its error`(_ text: String, _ error: ControlMessageError) {
    #expect(throws: error) { try ControlMessage(decoding: Array(text.utf8)) }
  }

  @Test func `Headers that are not UTF-8 are refused`() {
    #expect(throws: ControlMessageError.notUTF8) { try ControlMessage(decoding: [0xff, 10, 10]) }
    #expect(throws: ControlMessageError.notUTF8) {
      try ControlMessage(decoding: Array("x\ny: ".utf8) + [0xc0, 10, 10])
    }
  }

  @Test func `Too many fields and too many bytes are refused in encoding and decoding`() throws {
    let many = ControlMessage(
      "x", fields: (0...ControlMessage.maximumFields).map { .init(name: name($0), value: "") })
    #expect(throws: ControlMessageError.tooManyFields) { try many.encoded() }
    let lines = (0...ControlMessage.maximumFields).map { "\(name($0)): \n" }.joined()
    #expect(throws: ControlMessageError.tooManyFields) {
      try ControlMessage(decoding: Array("x\n\(lines)\n".utf8))
    }
    let big = [UInt8](repeating: 0, count: ControlMessage.maximumSize)
    #expect(throws: ControlMessageError.tooLarge(bytes: big.count + 3)) {
      try ControlMessage("x", body: big).encoded()
    }
    #expect(throws: ControlMessageError.tooLarge(bytes: big.count + 1)) {
      try ControlMessage(decoding: big + [0])
    }
    #expect(throws: ControlMessageError.badName("a b")) { try ControlMessage("x", ["a b": ""]).encoded() }
  }

  @Test func `A refused field name is quoted short and on one line`() throws {
    let name = "\u{1b}[2J\r" + String(repeating: "A", count: ControlMessage.maximumSize - 200)
    let refusal = #expect(throws: ControlMessageError.badName(name)) {
      try ControlMessage(decoding: Array("x\n\(name): 1\n\n".utf8))
    }
    let sentence = try #require(refusal?.description)
    #expect(sentence.hasPrefix("the field name `.[2J.AAA"))
    #expect(sentence.utf8.count < 250)
    #expect(try !ControlMessage.error(sentence).encoded().isEmpty)
  }

  private func name(_ index: Int) -> String { String(repeating: "a", count: 1 + index % 26) + letters(index) }
  private func letters(_ index: Int) -> String {
    String("\(index)".map { Character(UnicodeScalar($0.asciiValue! + 49)) })
  }

  @Test func `Random bytes do not trap and decode only in canonical form`() {
    var random = SystemRandomNumberGenerator()
    let alphabet: [UInt8] = Array("ab-: \\\nnr".utf8) + [0, 0xff, 0xc3]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        alphabet.randomElement(using: &random)!
      }
      guard let message = try? ControlMessage(decoding: bytes) else { continue }
      // Only the canonical encoding is accepted.
      #expect((try? message.encoded()) == bytes)
    }
  }

  @Test func `A field is read as the requested type, or refused`() throws {
    let message = ControlMessage("x", ["n": "300", "yes": "yes", "bad": "1e3"])
    expect(try message.integer("n", in: UInt16.min...UInt16.max), is: 300)
    #expect(try message.flag("yes", default: false))
    #expect(try message.integerIfPresent("none", in: 0...9) == nil)
    #expect(throws: ControlMessageError.badValue(name: "n", expected: "a whole number from 0 to 255")) {
      try message.integer("n", in: UInt8.min...UInt8.max)
    }
    #expect(throws: ControlMessageError.missingField(verb: "x", name: "none")) {
      try message.required("none")
    }
    #expect(throws: ControlMessageError.self) { try message.integer("bad", in: 0...Int.max) }
    #expect(throws: ControlMessageError.self) { try message.flag("n", default: true) }
  }
}
