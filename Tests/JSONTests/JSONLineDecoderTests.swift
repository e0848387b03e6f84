import Ground
import Testing

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
    #expect(try row(#"{"x":[1,{}],"id":7,"name":null,"share":1}"#) == Row(id: 7, share: 1))
    #expect(try row(#"{"id":1,"inner":[{"id":2}]}"#) == Row(id: 1, inner: [Row(id: 2)]))
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
    #expect(context.codingPath.map(\.stringValue) == ["inner", "1", "id"])
  }

  @Test func `Dictionaries, empty lists and null elements are decoded`() throws {
    let bytes = Array(#"{"a":[1,null],"b":[]}"#.utf8)
    #expect(try JSONLineDecoder().decode([String: [Int?]].self, from: bytes) == ["a": [1, nil], "b": []])
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
    #expect(derived.found == #"1 true 1 ["base": 1]"#)
  }
}
