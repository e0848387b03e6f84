import Ground
import DaemonRuntime
import Heartbeat

/// The age of a container's timestamps by the clock that made them: the phone's, or this machine's for a pair started
/// by hand.
struct StampClock: Sendable {
  private let known: [BootMoment]
  private let knowsPhone: Bool

  private struct BootMoment: Sendable {
    var boot: BootID
    var now: Instant
  }

  init(phone: Clock) {
    let machine = Clock()
    knowsPhone = phone.boot != machine.boot
    known = [phone, machine].map { BootMoment(boot: $0.boot, now: $0.bootClock) }
  }

  /// Nil for a boot whose clock cannot be read here.
  func age(of stamp: Instant, in boot: BootID) -> TimeSpan? {
    known.first { $0.boot == boot }.map { max(.zero, $0.now - stamp) }
  }

  func age(of beat: Beat) -> TimeSpan? { age(of: beat.bootClock, in: beat.process.boot) }

  func words(_ beat: Beat) -> String {
    if let age = age(of: beat) { return "\(HumanText.span(age)) ago" }
    let moment = "at \(WallClockText.write(beat.wallClockNanoseconds))"
    // Without the phone's clock file its boots cannot be told apart.
    return knowsPhone ? "in another boot, \(moment)" : "\(moment) by the clock of its phone"
  }
}
