import JSON
import DaemonRuntime
import Scenario

/// The language, for somebody who writes a story.
enum ScenarioCommands {
  static func print(_ output: Output) {
    if output.isJSON {
      output.say("[\(Phrase.all.map { json($0).text }.joined(separator: ","))]")
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

  private static func json(_ phrase: Phrase) -> JSONObject {
    var object = JSONObject()
    object.set("form", phrase.form)
    object.set("meaning", phrase.meaning)
    switch phrase.place {
    case .everywhere: object.set("played", "everywhere")
    case .simulated: object.set("played", "simulated")
    case .real: object.set("played", "real")
    }
    return object
  }
}
