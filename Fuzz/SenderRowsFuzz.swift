import JSON

@testable import Judge

/// A line of `senders.jsonl`, as the judge reads it.
enum SenderRowsFuzz: FuzzTarget {
  static let name = "sender-rows"
  static let longestInput = 1024

  private static let bytes = String(repeating: "01", count: 32)

  static var seeds: [[UInt8]] {
    [
      #"{"at_ns":1,"payment_hash":"\#(bytes)","payee":"02\#(bytes)","told":"settled","attempts":["\#(bytes)"]}"#,
      #"{"at_ns":9223372036854775807,"payment_hash":"","payee":"","told":"not-sent","attempts":[],"in_parts":true}"#,
      #"{"at_ns":1,"payment_hash":"0","payee":"02","told":"maybe","attempts":[1],"in_parts":1}"#,
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes),
      let row = SenderEntry(value, Boots(), evidence: "senders.jsonl line 1"),
      let fault = row.fault(in: [], hasOneClock: true)
    else { return }
    // Without payments only a word of success is wrong.
    promise(row.told == .settled, "a fault of \(row.told)")
    promiseOneLine(fault.words)
  }
}
