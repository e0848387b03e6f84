import Ground
import Heartbeat

let thisBoot = BootID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
let otherBoot = BootID(high: 7, low: 8)

func seconds(_ count: Double) -> Instant { Instant(nanoseconds: Int64((count * 1000).rounded()) * 1_000_000) }

func beat(
  epoch: UInt64 = 7, counter: UInt64, phase: Phase = .established, role: Role = .extension,
  stamp: Instant = seconds(0), boot: BootID = thisBoot
) -> Beat {
  Beat(
    role: role, epoch: epoch, phase: phase, counter: counter,
    process: ProcessIdentity(pid: 4242, startTime: 99, boot: boot), bootClock: stamp,
    wallClockNanoseconds: 1_700_000_000_000_000_000)
}
