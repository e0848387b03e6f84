import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Heartbeat
import PhonePolicy

let phoneCommandLine = CommandLineDeclaration(
  name: "iosd", summary: "emulates the phone for the two wallet processes",
  options: SettingsTable.options(of: .iosd),
  examples: [
    (
      "iosd --home /tmp/phone --peer \"$(cat /tmp/phone/lsp/address)\"",
      "a phone whose wallet connects to that peer"
    ),
    ("iosd --app ./my-app --ext ./my-extension", "your own app and extension; see docs/protocols.md"),
  ])

/// iosd's parsed command line.
struct PhoneOptions {
  var home: String
  var app: String
  var serviceExtension: String
  /// Which programs the phone starts, and with which arguments.
  var wallet: WalletProfile
  var peer: String?
  var isDebugBuild: Bool
  var configuration: PhoneConfiguration
  var memoryMechanism: MemoryLimiter.Choice
  /// Arguments for app and extension, besides the phone's paths.
  private var passedOn: [Role: [String]] = [:]

  init(_ parsed: ParsedCommandLine) {
    home = absolutePath(parsed.text("--home") ?? "./.baton")
    app = parsed.text("--app").map(absolutePath) ?? Self.besideIOSd("mainappd")
    wallet = parsed.text("--wallet").flatMap { WalletProfile(named: $0) } ?? .phoenix
    serviceExtension = parsed.text("--ext").map(absolutePath) ?? Self.besideIOSd(wallet.extension.program)
    peer = parsed.text("--peer")
    isDebugBuild = parsed.text("--build") == "debug"
    configuration = PhoneConfiguration(parsed)
    if let task = wallet.pollTask, !parsed.isGiven("--permitted-task") {
      configuration.tasks.permitted.append(task)
    }
    let schemes = parsed.all("--url-scheme").map { $0.lowercased() } + [wallet.urlScheme].compactMap { $0 }
    configuration.linkSchemes = schemes.isEmpty ? nil : schemes
    // The children would reject it too, but their error would not reach the user.
    do throws(HeartbeatTimingError) {
      _ = try HeartbeatTiming(
        interval: parsed.time("--beat-interval"), staleAfter: parsed.time("--stale-after"))
    } catch { exitWithSentence(.wrongUsage, error.description) }
    if let problem = PingRule.problem(parsed) { exitWithSentence(.wrongUsage, problem) }
    memoryMechanism = parsed.word("--memory-mechanism", as: MemoryLimiter.Choice.self)
    for role in Role.allCases { passedOn[role] = arguments(parsed, for: role) }
    if let path = parsed.text("--entitlements-file") { takeEntitlements(of: path) }
  }

  private mutating func takeEntitlements(of path: String) {
    guard let bytes = SmallFile.read(path, limit: EntitlementsFile.sizeMax + 1) else {
      exitWithSentence(.badConfiguration, SystemError("read \(path)").description)
    }
    do throws(EntitlementsFault) {
      let file = try EntitlementsFile(bytes, name: path)
      configuration.appEntitlements = file.entitlements(of: .app)
      configuration.extensionEntitlements = file.entitlements(of: .extension)
    } catch { exitWithSentence(.badConfiguration, error.description) }
  }

  func program(of role: Role) -> String { role == .app ? app : serviceExtension }

  func childArguments(_ home: PhoneHome, _ role: Role) -> [String] {
    [
      "--container", home.container, "--keychain", home.keychain, "--journal", home.journal, "--clock",
      home.clock,
    ] + (wallet == .phoenix ? [] : ["--wallet", wallet.name]) + groupArguments(role) + (passedOn[role] ?? [])
  }

  private func arguments(_ parsed: ParsedCommandLine, for role: Role) -> [String] {
    // It has no peer, no beats and no seed.
    let isNotifier = role == .extension && !wallet.extension.hasNode
    let receiver: SettingsTable.Programs = isNotifier ? .notifier : role == .app ? .app : .extension
    var words = SettingsTable.arguments(
      parsed, from: .iosd, to: receiver, except: ["--wallet", "--peer-file"])
    if isNotifier { return words }
    if let file = parsed.text("--peer-file").map(absolutePath) { words += ["--peer-file", file] }
    if parsed.all("--fault-open-read").contains(role.rawValue) { words.append("--fault-open-read") }
    return words
  }

  /// A program without any access group asks for the default one, and gets the refusal from there.
  private func groupArguments(_ role: Role) -> [String] {
    ["--keychain-group", configuration.entitlements(of: role).accessGroups.first ?? Entitlements.accessGroup]
  }

  private static func besideIOSd(_ name: String) -> String {
    let own = ProcessTable.program() ?? ""
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
  }
}

/// The file of `--entitlements-file`: the entitlements of the two programs.
struct EntitlementsFile: Codable, Hashable {
  static let sizeMax = 64 * 1024

  private struct Signed: Codable, Hashable {
    var accessGroups: [String]?
    var appGroups: [String]?
    var filtersNotifications: Bool?

    enum CodingKeys: String, CodingKey {
      case accessGroups = "keychain-access-groups"
      case appGroups = "com.apple.security.application-groups"
      case filtersNotifications = "com.apple.developer.usernotifications.filtering"
    }

    /// A missing key means no groups, and no filtering.
    var entitlements: Entitlements {
      Entitlements(
        accessGroups: accessGroups ?? [], appGroups: appGroups ?? [],
        filtersNotifications: filtersNotifications ?? false)
    }
  }

  private var app: Signed?
  private var `extension`: Signed?

  /// A program missing in the file has no entitlements.
  func entitlements(of role: Role) -> Entitlements {
    (role == .app ? app : `extension`)?.entitlements ?? Entitlements(accessGroups: [], appGroups: [])
  }

  init(_ bytes: [UInt8], name: String) throws(EntitlementsFault) {
    guard bytes.count <= Self.sizeMax,
      let file = try? JSONLineDecoder().decode(EntitlementsFile.self, from: bytes)
    else {
      throw EntitlementsFault(
        description:
          "\(name.onOneLine) is not a valid entitlements file; write {\"app\": {\"keychain-access-groups\": […], \"com.apple.security.application-groups\": […]}, \"extension\": {…}}"
      )
    }
    self = file
    for role in Role.allCases {
      if let problem = entitlements(of: role).problem {
        throw EntitlementsFault(description: "\(name): \(problem)".onOneLine)
      }
    }
  }
}

struct EntitlementsFault: Error, Hashable, CustomStringConvertible { var description: String }
