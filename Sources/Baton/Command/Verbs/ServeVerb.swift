import DaemonRuntime
import Glibc
import PhonePolicy

/// The phone in a browser.
enum ServeVerb: Verb {
  static let declaration = CommandLineDeclaration(
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

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.presentPhone
    let port = invocation.line.integer("--port")
    do throws(SystemError) {
      let loop = try EventLoop()
      // A server that is told to end has done its work.
      for interruption in Interruption.handled {
        try loop.onSignal(interruption.rawValue) { loop.stop() }
      }
      let server = try Serve(
        phone, port: UInt16(clamping: port ?? 0), isControlled: invocation.line.isGiven("--control"),
        loop: loop
      ) { exitWithSentence(.inputOutputError, $0.description) }
      let address = server.document
      invocation.output.isJSON
        ? invocation.output.say(address) : lines(address).forEach { invocation.output.say($0) }
      try loop.run()
      server.stop()
      return .done
    } catch {
      if error.code == EADDRINUSE, let port {
        throw CommandFailure(
          .wrongUsage, "port \(port) is in use; name another with --port, or leave it out")
      }
      throw CommandFailure(.cannotCreate, error.description)
    }
  }

  /// The address alone on its line, as it is copied.
  static func lines(_ document: ServeAddress) -> [String] {
    let more = document.control ? " and drives it" : "; with --control it also drives it"
    return [document.url, "The page shows the phone \(document.home)\(more). ^C ends it."]
  }
}
