import DaemonRuntime
import Glibc

/// A fault for the extension, set on the command line to test how the phone reacts.
public final class ExtensionFault {
  private let ballastBytes: Int
  private let hangs: Bool
  private var ballast: UnsafeMutableRawPointer?

  public static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--fault-ballast", value: .integer(1...1_073_741_824),
      help: "fault injection: at the first push, allocate, fill and keep so many bytes of memory"),
    OptionDeclaration(
      "--fault-hang",
      help: "fault injection: at the first push, hang: keep running, but serve and read nothing"),
  ]

  /// nil without a fault.
  public init?(_ parsed: ParsedCommandLine) {
    ballastBytes = parsed.integer("--fault-ballast").flatMap { Int(exactly: $0) } ?? 0
    hangs = parsed.isGiven("--fault-hang")
    if ballastBytes == 0 && !hangs { return nil }
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
