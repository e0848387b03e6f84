import JSON

@testable import Judge

/// A line of lspd's access log, as the judge reads it.
enum AccessRowsFuzz: FuzzTarget {
  static let name = "access-rows"
  static let longestInput = 1024

  private static let node = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

  static var seeds: [[UInt8]] {
    [
      #"{"at_ns":1,"status":200,"target":"/lsp/forwarding_hint?recipient=\#(node)&amount_msat=1","hint":"retry_now","reason":"unknown","recommended_delay_ms":1000}"#,
      #"{"at_ns":1,"status":400,"target":"/lsp/forwarding_hint?amount_msat=-1","error":"no amount"}"#,
      #"{"at_ns":9223372036854775807,"status":200,"target":"/lsp/forwarding_hint?recipient=&amount_msat=18446744073709551615","hint":"do_not_retry","reason":"unknown"}"#,
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes), let row = AccessEntry(value, evidence: "access.jsonl line 1")
    else { return }
    if let hint = row.hint { promiseOneLine(hint.words) }
  }
}
