import DaemonRuntime
import Live

/// baton-serve's command line; `baton serve` passes its own on.
package enum ServeOptions {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "baton-serve", summary: "A running phone in a browser of this machine.",
      options: [
        OptionDeclaration("--home", value: .path("DIR"), default: "./.baton", help: "the phone's directory"),
        OptionDeclaration("--json", help: "print the address as JSON"),
        OptionDeclaration(
          "--port", value: .integer(1...65_535), help: "the port on 127.0.0.1; by default any free one"),
        OptionDeclaration(
          "--control", help: "the page also drives the phone; without it the page only shows it"),
      ])
  }

  /// The address alone on its line, as it is copied.
  package static func lines(_ document: ServeAddress) -> [String] {
    let more = document.isControlled ? " and drives it" : "; with --control it also drives it"
    return [document.url, "The page shows the phone \(document.home)\(more). ^C ends it."]
  }
}
