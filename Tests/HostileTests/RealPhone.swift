@testable import Baton
@testable import DaemonRuntime

/// A phone that is up, with foreign clients.
final class RealPhone: BatonPhone {
  private var clients: [Process] = []

  init(_ upOptions: [String] = []) throws {
    super.init()
    let up = try baton(["up"] + upOptions)
    guard up.code == 0 else { throw Wait.Failure(description: up.errors) }
  }

  deinit { endClients() }

  enum Door: CaseIterable {
    case phone
    case provider
    case peer
  }

  func place(_ door: Door) throws -> String {
    switch door {
    case .phone: return "\(home)/os/iosd.sock"
    case .provider: return "\(home)/lsp/lspd.sock"
    case .peer:
      return try String(contentsOfFile: "\(home)/lsp/address", encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  func pid(behind door: Door) throws -> Int32 {
    let loop = try EventLoop()
    let path = try place(door == .phone ? .phone : .provider)
    guard let connection = UnixConnection.connect(path: path, loop: loop) else {
      throw SystemError("connect to \(path)")
    }
    defer { connection.close() }
    return connection.peer.pid
  }

  func ask(_ door: Door, _ message: ControlMessage) throws -> ControlMessage {
    try ControlClient(path: place(door), daemon: "\(door)").request(message, timeout: .seconds(60))
  }

  /// An invoice made by the app.
  func invoice(msat: UInt64 = 5_000) throws -> String {
    try phone.askApp(ControlMessage("invoice", ["amount-msat": "\(msat)"])).required("invoice")
  }

  func journal(of program: String = "iosd") -> String { Journals.text(of: home, program) }

  func driver() throws -> PhoneDriver { try PhoneDriver(phone) }

  // MARK: Foreign clients

  /// Opens connections from a foreign process and returns how many succeeded; they stay until `endClients`.
  func openConnections(_ way: String, _ count: Int, at door: Door) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(Started.directory)/TestForeignProcess")
    process.arguments = [way, "\(count)", try place(door)]
    let output = Pipe()
    let input = Pipe()
    process.standardOutput = output
    process.standardInput = input
    try process.start()
    clients.append(process)
    held.append(input)
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return Int(line.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0
  }

  /// The limit of a process's descriptors.
  static var descriptorsAllowed: UInt {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_max
  }

  private var held: [Pipe] = []

  func endClients() {
    for pipe in held { try? pipe.fileHandleForWriting.close() }
    for process in clients { process.waitUntilExit() }
    held = []
    clients = []
  }

  // MARK: Figures

  /// Throws for an ended process, whose closed descriptors would look like a success.
  static func descriptors(of pid: Int32) throws -> Int {
    let count = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    _ = try memory(of: pid)
    return count
  }

  /// 0 under a sanitizer, whose own memory makes limits meaningless.
  static func footprint(of pid: Int32) throws -> UInt64 {
    let figures = try memory(of: pid)
    return RealPhone.isSanitized ? 0 : figures.footprintBytes
  }

  /// A zombie still has its directory in /proc, but no memory.
  private static func memory(of pid: Int32) throws -> MemoryFigures {
    guard let figures = MemoryFigures(of: pid) else {
      throw Wait.Failure(description: "process \(pid) has ended")
    }
    return figures
  }

  /// Waits until the process was found asleep ten times in a row, which a process in a busy loop never is.
  static func waitUntilAsleep(_ pid: Int32) throws {
    var looksAsleep = 0
    try Wait.until("process \(pid) to sleep") {
      looksAsleep = ProcessTable.status(of: pid)?.state == UInt8(ascii: "S") ? looksAsleep + 1 : 0
      return looksAsleep == 10
    }
  }
}
