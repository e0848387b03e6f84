import DaemonRuntime

// Tasks, audio and keychain of a test app, by its name.
extension TestChild {
  /// Called when the user opens the app.
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
    case "app-keychain":
      phone.send(
        ControlMessage(
          "keychain-write",
          [
            "request": "1", "group": Self.group, "account": "mnemonic",
            "protection": "after-first-unlock",
          ], body: Array("abandon ability able".utf8)))
    case "app-keychain-twice":
      for (request, value) in [("1", "first"), ("2", "second")] {
        phone.send(
          ControlMessage(
            "keychain-write",
            [
              "request": request, "group": Self.group, "account": "mnemonic",
              "protection": "after-first-unlock", "only-new": "yes",
            ], body: Array(value.utf8)))
      }
    case "app-ballast": growInPages()
    case "app-keychain-socket": askOnSocket()
    case "app-container": say("container", ["request": "2", "id": "group.com.example.other"])
    default: break
    }
  }

  static let group = "A1B2C3D4E5.com.example.lightning"

  /// On the control socket, as any program on the machine may, and not on its own channel.
  private func askOnSocket() {
    let words = CommandLine.arguments
    guard let place = words.firstIndex(of: "--container"), place + 1 < words.count else { return }
    let socket = words[place + 1].dropLast("AppGroup".count) + "os/iosd.sock"
    let request = ControlMessage("container", ["id": "group.com.example.lightning"])
    do throws(ControlClientError) {
      let answer = try ControlClient(path: String(socket), daemon: "iosd").request(request)
      say("status", ["text": "on the socket: \(answer["path"] ?? "nothing")"])
    } catch { say("status", ["text": error.description]) }
  }

  func hearOfKeychain(_ message: ControlMessage) {
    let words = message["message"] ?? message["path"] ?? (message.body.isEmpty ? "written" : message.bodyText)
    if behaviour == "ext-shrinks" { shrink() }
    guard ["ext-keychain", "ext-shrinks"].contains(behaviour), let push = message["request"] else {
      return say("status", ["text": words])
    }
    content(push, words)
    say("finished", ["id": push, "reason": "done"])
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
    case ("keychain-answer", _), ("keychain-refused", _): hearOfKeychain(message)
    case ("memory-warning", _): giveBack()
    case ("audio-interrupted", _): say("status", ["text": "interrupted"])
    default: break
    }
  }
}
