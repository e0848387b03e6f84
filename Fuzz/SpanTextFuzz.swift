import Ground
import DaemonRuntime

@testable import Baton

/// A span of time, an amount and a step of the clock, as a user types them.
enum SpanTextFuzz: FuzzTarget {
  static let name = "span-text"
  static let longestInput = 64

  static var seeds: [[UInt8]] {
    ["0", "2s", "1.5ms", "365d", "+1h", "-90s", "5000", "1500msat", "21sat", "9223372036854775807ns"].map {
      Array($0.utf8)
    }
  }

  static func feed(_ bytes: [UInt8]) {
    let word = text(bytes)
    if let span = SpanText.parse(word) {
      promise(span >= .zero, "a span is negative")
      promise(SpanText.parse(SpanText.write(span)) == span, "a span does not round-trip")
      promise(!HumanText.span(span).isEmpty, "a span has no text")
    }
    do throws(CommandFailure) {
      let seconds = try DeviceVerb.stepSeconds(word)
      promise(abs(seconds) <= 315_360_000, "a step of the clock is out of its range")
    } catch { promiseOneLine(error.sentence) }
    do throws(CommandFailure) {
      let amount = try InvoiceVerb.amountMsat(word)
      promise((1...InvoiceVerb.amountMsatMax).contains(amount), "an amount is out of its range")
    } catch { promiseOneLine(error.sentence) }
  }
}
