import Foundation
import Guardrails

@testable import Baton

/// A push payload as its two parsers read it: that of `baton push` and iosd, and the extension's.
enum PushPayloadFuzz: FuzzTarget {
  static let name = "push-payload"
  static let longestInput = 1024

  static var seeds: [[UInt8]] {
    [
      #"{"aps":{"alert":"Hello","mutable-content":1}}"#,
      #"{"aps":{"alert":{"title":"a","body":"b"}},"reason":"IncomingPayment","payment_hash":"\#(SampleMessages.preimage.hex)"}"#,
      #"{"aps":{"content-available":1},"reason":"PendingSettlement$","Simulator Target Bundle":"com.example.lightning"}"#,
      #"{{"aps":{"alert":""}}:"IncomingPayment","payment_hash":"102"}"#,
      #"{"aps":{"badge":5,"sound":{"name":"coin","critical":1},"mutable-content":1}}"#,
      #"{"reason":"IncomingOnionMessage"}"#, #"[1,-2.5e3,true,null,"\u00e9\ud83d\ude00"]"#,
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let push = PushReader.read(bytes, id: 7, as: .phoenix)
    promise(push.id == 7, "a push changed its number")
    do throws(CommandFailure) { try PushVerb.check(bytes, name: "stdin") } catch {
      promiseOneLine(error.sentence)
    }
  }
}
