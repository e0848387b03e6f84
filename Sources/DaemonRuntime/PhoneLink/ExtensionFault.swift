import Glibc
import Ground

/// A fault for the extension, set on the command line to test how the phone reacts.
public final class ExtensionFault {
  private let ballastBytes: Int
  private let hangs: Bool
  private let launchTime: TimeSpan
  private var ballast: UnsafeMutableRawPointer?

  /// nil without a fault.
  public init?(_ parsed: ParsedCommandLine) {
    ballastBytes = parsed.integer("--fault-ballast").flatMap { Int(exactly: $0) } ?? 0
    hangs = parsed.isGiven("--fault-hang")
    launchTime = parsed.span("--fault-slow-launch") ?? .zero
    if ballastBytes == 0 && !hangs && launchTime == .zero { return nil }
  }

  /// Before the phone's channel is used.
  public func delayLaunch() {
    guard launchTime > .zero else { return }
    let end = Clock.monotonicNow + launchTime
    while Clock.monotonicNow < end {
      _ = poll(nil, 0, Int32(clamping: (end - Clock.monotonicNow).wholeMilliseconds + 1))
    }
  }

  /// Fills each page, as unwritten memory does not count.
  public func trigger() {
    if ballast == nil && ballastBytes > 0 {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: ballastBytes, alignment: 4096)
      memory.initializeMemory(as: UInt8.self, repeating: 0xba, count: ballastBytes)
      ballast = memory
    }
    while hangs { pause() }
  }
}
