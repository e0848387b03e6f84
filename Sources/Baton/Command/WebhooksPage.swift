import DaemonRuntime
import PhonePolicy

/// The wallet's webhooks at the peer, from its ledger.
struct WebhooksPage {
  private let list: WebhookList

  init(_ phone: Phone) throws {
    let answer = try phone.ask(.lspd, ControlMessage("webhooks"))
    guard let list = WebhookList(json: answer.body) else {
      throw CommandFailure(.bugOfOurs, "lspd answered `webhooks` with another document")
    }
    self.list = list
  }

  func print(to output: Output) -> ExitCode {
    guard !output.isJSON else {
      output.say(list)
      return .done
    }
    if list.webhooks.isEmpty {
      output.say("the wallet has no webhook; register one with `baton webhook set`")
    }
    for webhook in list.webhooks { output.say("\(webhook.appName.onOneLine): \(webhook.url)") }
    for call in list.calls {
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
