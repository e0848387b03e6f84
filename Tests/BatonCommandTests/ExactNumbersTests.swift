import Testing

@testable import Terminal

@Suite("Numbers of 64 bits in JSON")
struct ExactNumbersTests {
  @Test("are strings where the name says that they are such, whatever their size")
  func meant() {
    #expect(
      ExactNumbers.quoted(
        #"{"incarnation":9916856758503913208,"epoch":3,"begun_epoch":4,"wall_ns":-5,"n":6}"#)
        == #"{"incarnation":"9916856758503913208","epoch":"3","begun_epoch":"4","wall_ns":"-5","n":6}"#)
    #expect(
      ExactNumbers.quoted(#"{"a":[{"amount_msat":1},{"pid":2}]}"#)
        == #"{"a":[{"amount_msat":"1"},{"pid":2}]}"#)
    #expect(
      ExactNumbers.quoted(#"{"start_ns":[1,2,{"a":3},[4]],"b":[5]}"#)
        == #"{"start_ns":["1","2",{"a":3},["4"]],"b":[5]}"#)
  }

  @Test("stay as they are where they are strings, nothing, fractions, or inside a text")
  func others() {
    for same in [
      #"{"epoch":"3","wall_ns":null,"x_ns":1.5,"y_ns":1e3,"z_msat":true}"#,
      #"{"text":"\"epoch\":7","epochs":7}"#,
      #"["epoch",7,-1]"#, #"{"t":"a\\","epoch":null}"#, "{}", "[]", "", #"{"epoch"#, #"{"epoch":"#,
    ] { #expect(ExactNumbers.quoted(same) == same) }
  }

  @Test("are written in this way by every verb, as all of them speak through one output")
  func output() throws {
    let scratch = Scratch()
    let child = try scratch.start("baton", ["invoice", "--json", "--read", Self.invoice])
    #expect(scratch.end(child) == .exited(code: 0))
    #expect(scratch.text("said").contains(#""amount_msat":"2000000000""#), "\(scratch.text("said"))")
  }

  /// Of BOLT 11's examples: 20 mBTC.
  private static let invoice =
    "lnbc20m1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqs9qrsgq7ea976txfraylvgzuxs8kgcw23ezlrszfnh8r6qtfpr6cxga50aj6txm9rxrydzd06dfeawfk6swupvz4erwnyutnjq7x39ymw6j38gp7ynn44"
}
