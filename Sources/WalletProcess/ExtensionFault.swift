import DaemonRuntime
import Glibc

/// A misbehaviour that a user orders on the command line, to see what the phone does about it.
public final class ExtensionFault {
  private let ballastBytes: Int
  private let hangs: Bool
  private var ballast: UnsafeMutableRawPointer?

  public static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--fault-ballast", value: .integer(1...1_073_741_824),
      help: "fault injection: with the first push, take and fill so many bytes of memory, and keep them"),
    OptionDeclaration(
      "--fault-hang",
      help: "fault injection: with the first push, hang: live on, serve nothing and read nothing"),
  ]

  /// Nil when none is ordered.
  public init?(_ parsed: ParsedCommandLine) {
    ballastBytes = parsed.integer("--fault-ballast").flatMap { Int(exactly: $0) } ?? 0
    hangs = parsed.isGiven("--fault-hang")
    if ballastBytes == 0 && !hangs { return nil }
  }

  /// Memory that is not written to is not there: each page is filled.
  public func strike() {
    if ballast == nil && ballastBytes > 0 {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: ballastBytes, alignment: 4096)
      memory.initializeMemory(as: UInt8.self, repeating: 0xba, count: ballastBytes)
      ballast = memory
    }
    while hangs { pause() }
  }
}
