import DaemonRuntime
import PhonePolicy

enum EntitlementsFileError: Error, Hashable, CustomStringConvertible {
  case unreadable(String)
  case problem(String, EntitlementProblem)

  var description: String {
    switch self {
    case .unreadable(let name):
      "\(name.onOneLine) is not a valid entitlements file; write {\"app\": {\"keychain-access-groups\": […], \"com.apple.security.application-groups\": […]}, \"extension\": {…}}"
    case .problem(let name, let problem): "\(name): \(problem)".onOneLine
    }
  }
}
