import DaemonRuntime
import Glibc
import PhonePolicy
import SharedContainer

// The phone reboots, and iosd with it stays: it is the phone.
extension ControlDesk {
  /// Nil: the answer comes when the phone is on again.
  func reboot(
    _ message: ControlMessage, _ connection: UnixConnection
  ) throws(ControlMessageError) -> ControlMessage? {
    let losingBeats = try message.flag("lose-beats", default: false)
    let unlocking = try message.flag("unlock", default: false)
    guard !shell.phone.isGoingDown else {
      return .error("the phone is powering off; start it again with `baton up`, which is a boot too")
    }
    // It would come to nothing, and its answer would be that of another reboot.
    if let why = shell.phone.refusalOfUserInput { return .error(why.description) }
    waitForBoot = connection
    shell.handle(.rebooted(losingBeats: losingBeats, unlocking: unlocking))
    return nil
  }

  /// Both processes are gone, so nobody sees the clocks change.
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
