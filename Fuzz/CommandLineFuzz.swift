@testable import Baton
@testable import DaemonRuntime
@testable import IOSd
@testable import LSPd
import LightningIO
import WalletProcess

/// The arguments of a command line, separated by line feeds, the program's name first.
enum CommandLineFuzz: FuzzTarget {
  static let name = "command-line"
  static let longestInput = 512

  private static let declarations: [CommandLineDeclaration] = [
    phoneCommandLine, ProviderOptions.declaration, Program.declaration,
    CommandLineDeclaration(
      name: "notifyextd", summary: "the extension", options: SettingsTable.options(of: .extension)),
  ]

  static var seeds: [[UInt8]] {
    var lines = ["baton pay -h", "baton -- -1h", "baton device clock -1h"]
    for declaration in declarations {
      for command in [declaration] + declaration.subcommands { lines += command.examples.map(\.line) }
      for option in declaration.options {
        lines.append("\(declaration.name) \(option.names[0]) \(option.defaultValue ?? "1")")
      }
    }
    return lines.map { line in line.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "\n") : $0 } }
  }

  static func feed(_ bytes: [UInt8]) {
    var words = text(bytes).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let program = words.removeFirst()
    guard let declaration = declarations.first(where: { $0.name == program }) else { return }
    parse(words, declaration)
  }

  private static func parse(_ words: [String], _ declaration: CommandLineDeclaration) {
    do throws(UsageError) {
      switch try declaration.parse(words) {
      case .help(let text): promise(text.hasPrefix(declaration.name), "help names another program")
      case .run(let parsed): read(parsed, declaration)
      }
    } catch { promiseOneLine(error.description) }
  }

  /// Accepted options can be read in their declared type.
  private static func read(_ parsed: ParsedCommandLine, _ declaration: CommandLineDeclaration) {
    for option in declaration.options where parsed.isGiven(option.name) {
      switch option.value {
      case .integer(let range):
        promise(parsed.integer(option.name).map(range.contains) == true, "\(option.name) is no number")
      case .span: promise(parsed.span(option.name) != nil, "\(option.name) is no span")
      case .spanIn(let range):
        promise(parsed.span(option.name).map(range.contains) == true, "\(option.name) is no such span")
      case .hostAndPort: promise(parsed.hostAndPort(option.name) != nil, "\(option.name) is no address")
      case .nodeAddress:
        promise(parsed.text(option.name) != nil, "\(option.name) is lost")
        _ = parsed.text(option.name).flatMap { PeerAddress($0) }
      case .none, .text, .path, .choice, .list, .command:
        promise(parsed.text(option.name) != nil, "\(option.name) is lost")
      }
    }
    if declaration.name == "lspd" { _ = ProviderOptions(parsed) }
  }
}
