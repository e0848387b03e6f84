import DaemonRuntime
import PhonePolicy

/// Prints the language of stories.
enum ScenarioCommands {
  static func print(_ output: Output) {
    if output.isJSON {
      output.say(Phrase.all.map(Document.init))
      return
    }
    for phrase in Phrase.all {
      output.say(output.paint(phrase.form, .bold))
      output.say("    \(phrase.meaning)\(note(phrase.place))")
    }
  }

  private static func note(_ place: Scenario.Place) -> String {
    switch place {
    case .everywhere: ""
    case .simulated(let because): " In the simulation only, as \(because)."
    case .real(let because): " On real processes only, as \(because)."
    }
  }

  struct Document: Report {
    var form: String
    var meaning: String
    /// everywhere, simulated or real.
    var played: String

    init(_ phrase: Phrase) {
      (form, meaning) = (phrase.form, phrase.meaning)
      played =
        switch phrase.place {
        case .everywhere: "everywhere"
        case .simulated: "simulated"
        case .real: "real"
        }
    }
  }
}
