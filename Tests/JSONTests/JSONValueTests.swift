import Ground
import Testing

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
    let nested = { (depth: Int) in
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(JSONValue(parsing: Array(nested(64).utf8)) != nil)
    #expect(JSONValue(parsing: Array(nested(100_000).utf8)) == nil)
  }

  @Test func `JSON numbers keep their spelling, and every escape is decoded`() {
    let text =
      #" {"n":[0,-0.5e+3,18446744073709551615],"s":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","b":[true,false,null]} "#
    let value = JSONValue(parsing: Array(text.utf8))
    #expect(value?["n"] == .array([.number("0"), .number("-0.5e+3"), .number("18446744073709551615")]))
    #expect(value?["n"]?.elements?.last?.uint == .max)
    #expect(value?["n"]?.elements?.last?.int == nil)
    #expect(value?["n"]?.elements?[1].double == -500)
    #expect(value?["s"]?.text == "\"\\/\u{8}\u{c}\n\r\té😀")
    #expect(value?["b"] == .array([.bool(true), .bool(false), .null]))
  }

  @Test func `A JSON value is written as it was read, and a null member reads as absent`() {
    let text = #"{"n":[0,-0.5e+3],"s":"\"é","b":[true,false,null],"o":{}}"#
    let value = JSONValue(parsing: Array(text.utf8))
    #expect(value?.json == text)
    #expect(JSONValue(parsing: Array(#"{"a":null}"#.utf8))?["a"] == nil)
  }
}
