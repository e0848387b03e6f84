import DaemonRuntime
import Glibc
import PhonePolicy
import SharedContainer

// The phone reboots; iosd keeps running.
extension ControlServer {
  /// Nil: the answer is sent when the phone is on again.
  func reboot(
    _ message: ControlMessage, _ connection: UnixConnection
  ) throws(ControlMessageError) -> ControlMessage? {
    let losingBeats = try message.flag("lose-beats", default: false)
    let unlocking = try message.flag("unlock", default: false)
    guard !shell.phone.isGoingDown else {
      return .error("the phone is powering off; start it again with `baton up`, which is also a boot")
    }
    // During a reboot a second one has no effect.
    if let why = shell.phone.refusalOfUserInput { return .error(why.description) }
    waitForBoot = connection
    shell.handle(.rebooted(losingBeats: losingBeats, unlocking: unlocking))
    return nil
  }

  /// Both processes are gone, so no process sees the clocks change.
  func booted(losingBeats: Bool) {
    if losingBeats { truncate(ContainerLayout(directory: shell.home.container).heartbeat, 0) }
    var answer: ControlMessage
    do throws(SystemError) {
      answer = ControlMessage("ok", ["boot": Journal.text(of: try clockKeeper.boot())])
    } catch { answer = .error("the phone has rebooted and still has its old boot id: \(error)") }
    shell.journal.note("the phone has rebooted: \(answer["boot"] ?? answer.errorSentence ?? "")")
    waitForBoot?.send(answer)
    waitForBoot = nil
  }
}
