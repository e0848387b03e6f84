import DaemonRuntime
import PhonePolicy

/// The wallet's webhooks at the peer, from its ledger.
extension WebhookList {
  func print(to output: Output) -> ExitCode {
    guard !output.isJSON else {
      output.say(self)
      return .done
    }
    if webhooks.isEmpty {
      output.say("the wallet has no webhook; register one with `baton webhook set`")
    }
    for webhook in webhooks { output.say("\(webhook.appName.onOneLine): \(webhook.url)") }
    for call in calls {
      let height = call.timeout.map { " at block \($0)" } ?? ""
      let status = call.status.map { " (HTTP \($0))" } ?? ""
      output.say(
        "\(call.timestamp) \(call.method)\(height) to \(call.appName.onOneLine): \(words(call.outcome))\(status), \(HumanText.count(Int(clamping: call.attempts), "attempt"))"
      )
    }
    return .done
  }

  private func words(_ outcome: String) -> String {
    switch outcome {
    case "asked": "under way"
    case "answered-otherwise": "answered, but not with 200"
    case "forbidden-address": "not called, for its address"
    default: outcome.replacing("-", with: " ")
    }
  }
}
