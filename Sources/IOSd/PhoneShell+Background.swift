import Ground
import DaemonRuntime
import PhonePolicy

// Messages of the app about background work.
extension PhoneShell {
  func understandBackground(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    guard role == .app else {
      journal.note("the \(role.rawValue) sent \(message.verb), which only the app may send")
      return
    }
    if let event = try TaskMessages.event(of: message) { handle(.task(event)) }
    if let event = try AudioMessages.event(of: message) { handle(.audio(event)) }
  }
}

// Tasks that a developer starts or expires by hand.
extension ControlServer {
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

  var nowPlaying: NowPlaying? {
    guard let playing = shell.phone.audio.playing else { return nil }
    let session = playing.session
    return NowPlaying(
      sinceAtNs: playing.since.nanoseconds, volume: AudioMessages.volumeText(session.volumeThousandths),
      mixes: session.mixes, loops: session.loops, rateHz: session.rateHertz, channels: session.channels,
      frames: session.frames)
  }
}
