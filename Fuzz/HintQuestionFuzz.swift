import Crypto
import LightningProvider

@testable import LSPd

/// A sender's question for a hint: the target of a request over HTTP; also lspd's file with its own URL.
enum HintQuestionFuzz: FuzzTarget {
  static let name = "hint-question"
  static let longestInput = 1200

  private static let node = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

  static var seeds: [[UInt8]] {
    [
      "\(HintQuestion.path)?recipient=\(node)&amount_msat=5000",
      "\(HintQuestion.path)?amount_msat=9223372036854775807&recipient=\(node)",
      "\(HintQuestion.path)?recipient=\(node)&recipient=\(node)", "\(HintQuestion.path)?amount_msat=-1",
      "/other", "http://127.0.0.1:40123",
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let target = text(bytes)
    do throws(HintRefusal) {
      let question = try HintQuestion(method: "GET", target: target)
      promise(question.amountMsat > 0 && question.amountMsat <= .max / 2, "an amount is out of range")
      let again =
        "\(HintQuestion.path)?amount_msat=\(question.amountMsat)&recipient=\(question.recipient.hex)"
      promise(
        (try? HintQuestion(method: "GET", target: again)) == question,
        "a question is read back as another")
    } catch {
      promiseOneLine(error.description)
      promise((400..<500).contains(error.status), "a bad question is not the sender's fault")
    }
    if let place = HTTPAddressFile.parse(bytes) {
      promise(
        HTTPAddressFile.parse(Array(HTTPAddressFile.url(place).utf8)) == place, "a URL does not round-trip")
    }
  }
}
