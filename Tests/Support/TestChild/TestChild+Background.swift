import DaemonRuntime

// What a test app does with tasks and audio, by its name.
extension TestChild {
  /// Asked for when the person opens it.
  func submitTask() {
    let identifier = behaviour == "app-task-wrong" ? "com.example.other" : "com.example.lightning.sync"
    switch behaviour {
    case "app-task-processing":
      say(
        "task-submit",
        ["identifier": "com.example.lightning.processing", "kind": "processing", "requires-network": "yes"])
    case "app-task-garbage":
      say("task-submit", ["identifier": identifier, "kind": "lunch"])
      say("task-submit", ["identifier": identifier, "kind": "refresh", "earliest-seconds": "soon"])
      say("task-done", ["identifier": identifier, "run": "-1"])
      say("audio-start", ["volume": "loud"])
      say("status", ["text": "said it"])
    case let name where name.hasPrefix("app-task"):
      say("task-submit", ["identifier": identifier, "kind": "refresh"])
    default: break
    }
  }

  func playAudio() {
    guard behaviour.hasPrefix("app-audio") else { return }
    say(
      "audio-start",
      [
        "volume": behaviour == "app-audio-silent" ? "0" : "0.01",
        "mixes": behaviour == "app-audio-mixing" ? "yes" : "no", "loops": "-1",
      ])
  }

  func hearOfTask(_ message: ControlMessage) {
    let done = { (success: String) in
      self.say(
        "task-done",
        [
          "identifier": message["identifier"] ?? "", "run": message["run"] ?? "", "success": success,
        ])
    }
    switch (message.verb, behaviour) {
    case ("task", "app-task-twice"):
      done("yes")
      done("yes")
    case ("task-will-expire", "app-task-slow"): done("no")
    case ("task-refused", _), ("audio-refused", _): say("status", ["text": message["message"] ?? ""])
    case ("audio-interrupted", _): say("status", ["text": "interrupted"])
    default: break
    }
  }
}
