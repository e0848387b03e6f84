import DaemonRuntime
import Glibc
import PhoneClient
import Terminal

/// The phone in a browser. Another program serves it, so that this one has no HTTP.
enum ServeVerb: Verb {
  private static let program = "baton-serve"

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "serve", summary: "show the phone live in a browser of this machine, and figures for Prometheus",
      options: [
        OptionDeclaration(
          "--port", value: .integer(1...65_535), help: "the port on 127.0.0.1; by default any free one"),
        OptionDeclaration(
          "--control", help: "the page also drives the phone; without it the page only shows it"),
      ],
      examples: [
        ("baton serve", "prints the page's address; ^C ends it"),
        ("baton serve --control --port 8080", "with buttons to open, pay, push, kill and freeze"),
        ("baton serve --json", "address and token, for a script"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try StatusVerb.requirePhone(phone)
    let path = "\(FilePath.ownDirectory)/\(program)"
    var words = [program, "--home", phone.home]
    if let port = invocation.line.integer("--port") { words += ["--port", "\(port)"] }
    if invocation.line.isGiven("--control") { words.append("--control") }
    if invocation.output.isJSON { words.append("--json") }
    // In this process's place: signals and the terminal are the server's.
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execv(path, &pointers)
    let trouble = errno
    for pointer in pointers { free(pointer) }
    throw CommandFailure(.badConfiguration, ChildProcess.failure(toStart: path, code: trouble).description)
  }
}
