import DaemonRuntime
import PhonePolicy
import Wallet

/// What the app shows, as `baton app screen` prints it.
struct AppScreenPage {
  struct Document: Report {
    /// The app's state; only in the foreground the user sees its screen.
    var app: String
    /// `main`, a page's name or `incoming`; missing if the app has named none.
    var screen: String?
    /// Of an incoming payment: `connecting`, `completing`, `completed` or `expired`.
    var state: String?
    var text: String?
    var detail: String?
    var amountSat: UInt64?
    var buttons: [String]
  }

  private let facts: WalletFacts

  init(_ phone: Phone) throws { facts = try phone.facts().app }

  var document: Document {
    let said = facts.state == "foreground" ? facts.screen : nil
    return Document(
      app: facts.state, screen: said?["name"], state: said?["state"], text: said?["text"],
      detail: said?["detail"], amountSat: said?["amount-sat"].flatMap { UInt64($0) },
      buttons: said?["buttons"]?.split(separator: " ").map(String.init) ?? [])
  }

  var lines: [String] {
    let document = document
    guard facts.state == "foreground" else {
      return ["the app is \(AppVerb.words(facts.state)), so the user does not see its screen"]
    }
    guard let text = document.text else { return ["the app is in front, and has not named its screen yet"] }
    return [text] + [document.detail].compactMap { $0 } + document.buttons.map(Self.line)
  }

  /// A button with its title, and the command that presses it.
  private static func line(_ button: String) -> String {
    "[\(ScreenButton(rawValue: button)?.title ?? button)] baton app \(button)"
  }

  /// In front, and without a screen.
  var isEmpty: Bool { facts.state == "foreground" && document.text == nil }

  func print(to output: Output) -> ExitCode {
    if output.isJSON {
      output.say(document)
    } else {
      for line in lines { output.say(line) }
    }
    return .done
  }
}
