import CoreShape
import PhonePolicy
import Scenario
import Simulation

// What the head of a story means for each stage.
extension Setting {
  /// What iosd is started with.
  var ofPhone: [String] {
    switch self {
    case .suspendsAfter(let span): ["--suspend-after", "\(span.wholeMilliseconds)ms"]
    case .debugBuild: ["--build", "debug"]
    case .silentTime(let span): ["--silent-time", "\(span.wholeMilliseconds)ms"]
    case .silentBudget(let count): ["--silent-budget", "\(count)"]
    case .holdsInLowPower: ["--silent-low-power", SilentPushRules.LowPower.hold.rawValue]
    case .sendsSilentPushes: []
    }
  }

  /// What lspd is started with.
  var ofPeer: [String] { self == .sendsSilentPushes ? ["--silent-pushes"] : [] }
}

extension WorldSettings {
  func with(_ settings: [Setting]) -> WorldSettings {
    var world = self
    for setting in settings {
      switch setting {
      case .suspendsAfter(let span): world.phone.suspendAfter = span
      case .debugBuild:
        world.phone.enforcesLimits = false
        world.phone.limitsBackground = false
      case .silentTime(let span): world.phone.silentPushes.completionTime = span
      case .silentBudget(let count): world.phone.silentPushes.budget = count
      case .holdsInLowPower: world.phone.silentPushes.lowPower = .hold
      case .sendsSilentPushes: world.sendsSilentPushes = true
      }
    }
    return world
  }
}
