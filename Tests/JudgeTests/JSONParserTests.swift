import Foundation
import Testing

@testable import Judge

@Suite("The judge's reader of JSON")
struct JSONParserTests {
  @Test(
    "refuses what is no JSON, and what two readers would read in two ways",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "[1 2]", "01", "-", "1.", ".5", "1e", "+1", "1-2",
      "0x1",
      "nul", "\"\\x\"", "\"\\u+041\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "\u{b}1",
      "{\"a\":1,\"a\":2}", "1 1", "\"a", "tru",
    ])
  func refused(text: String) { #expect(JSONParser.parse(Array(text.utf8)) == nil) }

  @Test("refuses bytes that are not UTF-8, and nests no deeper than the stack bears") func bytesAndDepth() {
    #expect(JSONParser.parse([34, 0xff, 34]) == nil)
    let nested = { (depth: Int) in
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(JSONParser.parse(Array(nested(64).utf8)) != nil)
    #expect(JSONParser.parse(Array(nested(100_000).utf8)) == nil)
  }

  @Test("keeps every number as it was written, and reads every escape") func values() {
    let text =
      #" {"n":[0,-0.5e+3,18446744073709551615],"s":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","b":[true,false,null]} "#
    let value = JSONParser.parse(Array(text.utf8))
    #expect(value?["n"] == .array([.number("0"), .number("-0.5e+3"), .number("18446744073709551615")]))
    #expect(value?["n"]?.items.last?.integer == -1)
    #expect(value?["s"]?.text == "\"\\/\u{8}\u{c}\n\r\té😀")
    #expect(value?["b"] == .array([.bool(true), .bool(false), .null]))
  }
}
