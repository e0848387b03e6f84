import DaemonRuntime
import Ground
import PhonePolicy

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
