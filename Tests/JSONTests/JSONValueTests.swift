import Foundation
import Ground
import TestKit

@Suite("JSON values")
struct JSONValueTests {
  @Test(
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "[1 2]", "01", "-", "1.", ".5", "1e", "+1", "1-2",
      "0x1",
      "nul", "\"\\x\"", "\"\\u+041\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "\u{b}1",
      "{\"a\":1,\"a\":2}", "1 1", "\"a", "tru",
    ])
  func `Malformed JSON and duplicate keys are refused`(text: String) {
    #expect(JSONValue(parsing: Array(text.utf8)) == nil)
  }

  @Test func `Bytes that are not UTF-8 and nesting that is too deep are refused`() {
    #expect(JSONValue(parsing: [34, 0xff, 34]) == nil)
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(JSONValue(parsing: Array(nested(64).utf8)) != nil)
    #expect(JSONValue(parsing: Array(nested(100_000).utf8)) == nil)
  }

  @Test func `JSON numbers keep their spelling, and every escape is decoded`() {
    let text =
      #" {"n":[0,-0.5e+3,18446744073709551615],"s":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","b":[true,false,null]} "#
    let value = JSONValue(parsing: Array(text.utf8))
    expect(value?["n"], is: .array([.number("0"), .number("-0.5e+3"), .number("18446744073709551615")]))
    expect(value?["n"]?.elements?.last?.uint, is: .max)
    #expect(value?["n"]?.elements?.last?.int == nil)
    expect(value?["n"]?.elements?[1].double, is: -500)
    expect(value?["s"]?.text, is: "\"\\/\u{8}\u{c}\n\r\té😀")
    expect(value?["b"], is: .array([.bool(true), .bool(false), .null]))
  }

  @Test func `A JSON value is written as it was read, and a null member reads as absent`() {
    let text = #"{"n":[0,-0.5e+3],"s":"\"é","b":[true,false,null],"o":{}}"#
    let value = JSONValue(parsing: Array(text.utf8))
    expect(value?.json, is: text)
    #expect(JSONValue(parsing: Array(#"{"a":null}"#.utf8))?["a"] == nil)
  }
}

@Suite struct JSONLineDecoderTests {
  struct Row: Codable, Equatable {
    var id: UInt8
    var name: String?
    var share: Double?
    var inner: [Row]?
  }

  private func row(_ text: String) throws -> Row {
    try JSONLineDecoder().decode(Row.self, from: Array(text.utf8))
  }

  @Test func `Unknown JSON members are ignored`() throws {
    expect(try row(#"{"x":[1,{}],"id":7,"name":null,"share":1}"#), is: Row(id: 7, share: 1))
    expect(try row(#"{"id":1,"inner":[{"id":2}]}"#), is: Row(id: 1, inner: [Row(id: 2)]))
  }

  @Test(
    arguments: [
      #"{"id":256}"#, #"{"id":-1}"#, #"{"id":1.0}"#, #"{"id":"1"}"#, #"{"id":true}"#, #"{"id":null}"#, "{}",
      "[]", "1", "", #"{"id":1,"id":1}"#, #"{"id":1,"name":2}"#, #"{"id":1,"share":1e999}"#,
      #"{"id":1,"inner":{}}"#,
    ]) func `A value of another type or range, a missing member and a duplicate key are refused`(text: String)
  {
    #expect(throws: DecodingError.self) { try row(text) }
  }

  @Test func `A decoding error has the coding path`() throws {
    let error = #expect(throws: DecodingError.self) { try row(#"{"id":1,"inner":[{"id":1},{"id":[]}]}"#) }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(context.codingPath.map(\.stringValue), is: ["inner", "1", "id"])
  }

  @Test func `Dictionaries, empty lists and null elements are decoded`() throws {
    let bytes = Array(#"{"a":[1,null],"b":[]}"#.utf8)
    expect(try JSONLineDecoder().decode([String: [Int?]].self, from: bytes), is: ["a": [1, nil], "b": []])
  }

  @Test func `Nested containers and a super decoder are decoded`() throws {
    final class Derived: Decodable {
      enum Keys: String, CodingKey { case list, inner }
      let found: String
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        let first = try list.decode(Int.self)
        var deeper = try list.nestedUnkeyedContainer()
        let isNull = try deeper.decodeNil()
        let inner = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        let base = try [String: Int](from: container.superDecoder())
        found = "\(first) \(isNull && deeper.isAtEnd) \(inner.allKeys.count) \(base)"
      }
    }
    let text = #"{"list":[1,[null]],"inner":{"list":true,"x":1},"super":{"base":1}}"#
    let derived = try JSONLineDecoder().decode(Derived.self, from: Array(text.utf8))
    expect(derived.found, is: #"1 true 1 ["base": 1]"#)
  }
}

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
    expect(try encode(Fact.plain), is: #"{"plain":{}}"#)
    expect(try encode(Fact.one(.max)), is: #"{"one":{"_0":18446744073709551615}}"#)
    expect(try encode(Fact.labelled(first: "a", second: nil)), is: #"{"labelled":{"first":"a"}}"#)
    expect(try encode(Fact.nested([.plain], .other)), is: #"{"nested":{"_0":[{"plain":{}}],"_1":"other"}}"#)
    expect(try encode([Fact]()), is: "[]")
  }

  @Test func `JSON keys keep their order of encoding`() throws {
    struct Zebra: Encodable {
      var z = 1
      var a = 2
    }
    expect(try encode(Zebra()), is: #"{"z":1,"a":2}"#)
  }

  @Test func `Strings are escaped as JSON requires`() throws {
    expect(try encode("a\"b\\c\n\r\t\u{1}\u{7f}é🥕/"), is: #""a\"b\\c\n\r\t\u0001\u007fé🥕/""#)
  }

  @Test func `A decoded value is encoded to the same bytes`() throws {
    let value = Everything(
      text: "\"\\\u{0}\u{1f} é \u{2028} 🥕", big: .max, small: .min, list: [[], [0, 255]], absent: nil,
      present: false,
      facts: [.plain, .one(0), .one(.max), .labelled(first: "", second: .max), .nested([.one(1)], .app)],
      number: 0.1)
    let first = try encode(value)
    let decoded = try JSONLineDecoder().decode(Everything.self, from: Array(first.utf8))
    expect(decoded, is: value)
    expect(try encode(decoded), is: first)
    expect(try JSONDecoder().decode(Everything.self, from: Data(first.utf8)), is: value)
  }

  @Test(arguments: [UInt64.max, 1 << 53 + 1, UInt64(Int64.max) + 1, 0] as [UInt64])
  func `Integers up to UInt64.max are exact`(_ number: UInt64) throws {
    let text = try encode(["n": number])
    expect(text, is: "{\"n\":\(number)}")
    expect(try JSONLineDecoder().decode([String: UInt64].self, from: Array(text.utf8)), is: ["n": number])
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
    expect(try encode(Derived()), is: #"{"list":[1,[null]],"inner":{"list":true},"super":{"base":1}}"#)
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
    expect(try encode(Flat()), is: flat)
    expect(try encode([Flat(), Flat()]), is: "[\(flat),\(flat)]")
    expect(try encode(Nothing()), is: "{}")
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
    expect(text, is: #"{"amount_msat":1,"story_sha256":"a","wall_ns":2,"x":{"over":true}}"#)
    expect(try JSONLineDecoder(names: .snakeCase).decode(Report.self, from: Array(text.utf8)), is: Report())
    #expect(throws: DecodingError.self) { try JSONLineDecoder().decode(Report.self, from: Array(text.utf8)) }
  }
}
