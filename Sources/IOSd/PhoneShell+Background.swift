import Ground
import JSON
import DaemonRuntime
import PhonePolicy

// What the app says about its work in the background.
extension PhoneShell {
  func understandBackground(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    guard role == .app else {
      journal.note("the \(role.rawValue) sent \(message.verb), which only the app may")
      return
    }
    if let event = try TaskMessages.event(of: message) { handle(.task(event)) }
    if let event = try AudioMessages.event(of: message) { handle(.audio(event)) }
  }
}

// What a developer does to tasks by hand.
extension ControlDesk {
  func taskByHand(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    let identifier = try TaskMessages.identifier(message)
    let isLaunch = message.verb == "task-launch"
    let refusal =
      isLaunch
      ? shell.phone.refusalToLaunchByHand(identifier) : shell.phone.refusalToExpireByHand(identifier)
    if let refusal { return .error(refusal.description) }
    shell.handle(
      .task(isLaunch ? .launchedByHand(identifier: identifier) : .expiredByHand(identifier: identifier)))
    return ControlMessage("ok")
  }
}

extension PhoneReport {
  var tasks: String { rows(shell.tasks.rows) }

  var nowPlaying: JSONObject? {
    guard let playing = shell.phone.audio.playing else { return nil }
    var object = JSONObject()
    object.set("by", "app")
    object.set("since_at_ns", playing.since.nanoseconds)
    object.set("volume", AudioMessages.volumeText(playing.session.volumeThousandths))
    object.set("mixes", playing.session.mixes)
    object.set("loops", playing.session.loops)
    object.set("rate_hz", playing.session.rateHertz)
    object.set("channels", playing.session.channels)
    object.set("frames", playing.session.frames)
    return object
  }
}
