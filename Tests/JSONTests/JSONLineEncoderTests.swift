import Foundation
import Ground
import Testing

@Suite struct JSONLineEncoderTests {
  enum Fact: Codable, Hashable {
    case plain
    case one(UInt64)
    case labelled(first: String, second: Int64?)
    indirect case nested([Fact], Kind)
  }
  enum Kind: String, Codable { case app, other }
  struct Everything: Codable, Hashable {
    var text: String
    var big: UInt64
    var small: Int64
    var list: [[UInt8]]
    var absent: String?
    var present: Bool?
    var facts: [Fact]
    var number: Double
  }

  private func encode(_ value: some Encodable) throws -> String { try JSONLineEncoder().encode(value) }

  @Test func `Enums are encoded in the compiler's synthesized form`() throws {
    #expect(try encode(Fact.plain) == #"{"plain":{}}"#)
    #expect(try encode(Fact.one(.max)) == #"{"one":{"_0":18446744073709551615}}"#)
    #expect(try encode(Fact.labelled(first: "a", second: nil)) == #"{"labelled":{"first":"a"}}"#)
    #expect(
      try encode(Fact.nested([.plain], .other)) == #"{"nested":{"_0":[{"plain":{}}],"_1":"other"}}"#)
    #expect(try encode([Fact]()) == "[]")
  }

  @Test func `JSON keys keep their order of encoding`() throws {
    struct Zebra: Encodable {
      var z = 1
      var a = 2
    }
    #expect(try encode(Zebra()) == #"{"z":1,"a":2}"#)
  }

  @Test func `Strings are escaped as JSON requires`() throws {
    #expect(try encode("a\"b\\c\n\r\t\u{1}\u{7f}é🥕/") == #""a\"b\\c\n\r\t\u0001\u007fé🥕/""#)
  }

  @Test func `A decoded value is encoded to the same bytes`() throws {
    let value = Everything(
      text: "\"\\\u{0}\u{1f} é \u{2028} 🥕", big: .max, small: .min, list: [[], [0, 255]], absent: nil,
      present: false,
      facts: [.plain, .one(0), .one(.max), .labelled(first: "", second: .max), .nested([.one(1)], .app)],
      number: 0.1)
    let first = try encode(value)
    let decoded = try JSONLineDecoder().decode(Everything.self, from: Array(first.utf8))
    #expect(decoded == value)
    #expect(try encode(decoded) == first)
    #expect(try JSONDecoder().decode(Everything.self, from: Data(first.utf8)) == value)
  }

  @Test(arguments: [UInt64.max, 1 << 53 + 1, UInt64(Int64.max) + 1, 0] as [UInt64])
  func `Integers up to UInt64.max are exact`(_ number: UInt64) throws {
    let text = try encode(["n": number])
    #expect(text == "{\"n\":\(number)}")
    #expect(try JSONLineDecoder().decode([String: UInt64].self, from: Array(text.utf8)) == ["n": number])
  }

  @Test func `Encoding NaN is an error`() {
    #expect(throws: JSONEncodingError.notANumber(path: "number")) {
      try encode(
        Everything(
          text: "", big: 0, small: 0, list: [], absent: nil, present: nil, facts: [],
          number: .nan))
    }
  }

  @Test func `Nested containers and a super encoder are encoded in place`() throws {
    class Base: Encodable { var base = 1 }
    final class Derived: Base {
      enum Keys: String, CodingKey { case list, inner }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1)
        var deeper = list.nestedUnkeyedContainer()
        try deeper.encodeNil()
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        try inner.encode(true, forKey: .list)
        try super.encode(to: container.superEncoder())
      }
    }
    #expect(try encode(Derived()) == #"{"list":[1,[null]],"inner":{"list":true},"super":{"base":1}}"#)
  }

  @Test func `An object is gone on with by a second container, and what encodes nothing is an empty object`()
    throws
  {
    struct Nothing: Encodable { func encode(to _: any Encoder) {} }
    struct Flat: Encodable {
      enum Keys: String, CodingKey { case a, b, c }
      func encode(to encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: Keys.self)
        try first.encode([1], forKey: .a)
        var second = encoder.container(keyedBy: Keys.self)
        try second.encode(Nothing(), forKey: .b)
        try first.encode([Nothing(), Nothing()], forKey: .c)
      }
    }
    let flat = #"{"a":[1],"b":{},"c":[{},{}]}"#
    #expect(try encode(Flat()) == flat)
    #expect(try encode([Flat(), Flat()]) == "[\(flat),\(flat)]")
    #expect(try encode(Nothing()) == "{}")
  }

  @Test func `Snake-case names are encoded and decoded`() throws {
    struct Report: Codable, Equatable {
      var amountMsat = 1
      var storySHA256 = "a"
      var wallNs = 2
      var x = Inner()
      struct Inner: Codable, Equatable { var isOver: Bool? = true }
    }
    let text = try JSONLineEncoder(names: .snakeCase).encode(Report())
    #expect(text == #"{"amount_msat":1,"story_sha256":"a","wall_ns":2,"x":{"is_over":true}}"#)
    #expect(try JSONLineDecoder(names: .snakeCase).decode(Report.self, from: Array(text.utf8)) == Report())
    #expect(throws: DecodingError.self) {
      try JSONLineDecoder().decode(Report.self, from: Array(text.utf8))
    }
  }
}
