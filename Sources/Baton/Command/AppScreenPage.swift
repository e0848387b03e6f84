import DaemonRuntime
import PhonePolicy
import Wallet

/// What the app shows, as `baton app screen` prints it.
struct AppScreenPage: Report {
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

  init(_ phone: Phone) throws {
    let facts = try phone.facts().app
    app = facts.state
    let said = app == "foreground" ? facts.screen : nil
    (screen, state, text) = (said?["name"], said?["state"], said?["text"])
    detail = said?["detail"]
    amountSat = said?["amount-sat"].flatMap { UInt64($0) }
    buttons = said?["buttons"]?.split(separator: " ").map(String.init) ?? []
  }

  var lines: [String] {
    guard app == "foreground" else {
      return ["the app is \(AppVerb.words(app)), so the user does not see its screen"]
    }
    guard let text else { return ["the app is in front, and has not named its screen yet"] }
    return [text] + [detail].compactMap { $0 } + buttons.map(Self.line)
  }

  /// A button with its title, and the command that presses it.
  private static func line(_ button: String) -> String {
    "[\(ScreenButton(rawValue: button)?.title ?? button)] baton app \(button)"
  }

  /// In front, and without a screen.
  var isEmpty: Bool { app == "foreground" && text == nil }

  func print(to output: Output) -> ExitCode {
    if output.isJSON {
      output.say(self)
    } else {
      for line in lines { output.say(line) }
    }
    return .done
  }
}
