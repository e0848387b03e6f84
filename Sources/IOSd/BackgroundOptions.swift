import Ground
import DaemonRuntime
import PhonePolicy

/// iosd's options for background work.
enum BackgroundOptions {
  static let passedToApp = ["--keep-alive-audio", "--clean-journals"]

  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--after-content", value: .choice(AfterContent.allCases.map(\.rawValue)),
      default: AfterContent.suspend.rawValue,
      help:
        "what happens to the extension when it has delivered its content: run (until it has finished the push), suspend or kill"
    ),
    OptionDeclaration(
      "--extension-reuse", value: .choice(["yes", "no"]), default: "yes",
      help: "whether the next push resumes a suspended extension, or starts another process"),
    OptionDeclaration(
      "--extension-start-time", value: .span, default: "10s",
      help: "how long the extension may take from its launch to hello"),
    OptionDeclaration(
      "--activity-time", value: .span, default: "10s",
      help: "how long an expiring activity keeps a process from being suspended"),
    OptionDeclaration(
      "--suspended-with-lock", value: .choice(["kill", "spare"]), default: "kill",
      help: "what happens to a process that is suspended with a lock in the container"),
    OptionDeclaration(
      "--permitted-task", value: .text("ID"), mayRepeat: true,
      help:
        "a task identifier that the app may submit (default \(standard.permitted.joined(separator: " and ")))"
    ),
    OptionDeclaration(
      "--time-scale", value: .integer(1...1_000_000), default: "1",
      help:
        "divides the times until background work may start, never its time limits: 60 turns hours into minutes"
    ),
    OptionDeclaration(
      "--refresh-time", value: .span, default: "30s", help: "time limit of an app refresh task"),
    OptionDeclaration(
      "--processing-time", value: .span, default: "180s", help: "time limit of a processing task"),
    OptionDeclaration(
      "--task-grace", value: .span, default: "1s",
      help: "how long after its expiration a scheduled task may still complete"),
    OptionDeclaration(
      "--sufficient-battery", value: .integer(0...100), default: "20",
      help: "at or below this percentage no scheduled task runs on battery"),
    OptionDeclaration(
      "--task-deferral", value: .integer(0...100), default: "20",
      help: "percentage of processing tasks that the scheduler defers once"),
    OptionDeclaration(
      "--task-seed", value: .integer(0...Int64.max), default: "1",
      help: "seed of the scheduler's random decisions"),
    OptionDeclaration(
      "--background-mode", value: .choice(["audio"]), help: "a background mode that the app declares"),
    OptionDeclaration(
      "--keep-alive-audio", help: "for the app: in the background it plays inaudible audio to stay awake"),
    OptionDeclaration(
      "--clean-journals", help: "for the app: a processing task removes journals older than a week"),
    OptionDeclaration(
      "--entitlements-file", value: .path("FILE"),
      help: "JSON with the access groups and app groups of app and extension (default: the wallet's for both)"
    ),
  ]

  private static let standard = TaskConfiguration()

  static func tasks(_ parsed: ParsedCommandLine) -> TaskConfiguration {
    TaskConfiguration(
      permitted: parsed.isGiven("--permitted-task") ? parsed.all("--permitted-task") : standard.permitted,
      refreshTime: parsed.span("--refresh-time") ?? standard.refreshTime,
      processingTime: parsed.span("--processing-time") ?? standard.processingTime,
      completionGrace: parsed.span("--task-grace") ?? standard.completionGrace,
      sufficientBatteryPercent: parsed.integer("--sufficient-battery").map { Int($0) }
        ?? standard.sufficientBatteryPercent,
      deferralPercent: parsed.integer("--task-deferral").map { Int($0) } ?? standard.deferralPercent,
      timeScale: parsed.integer("--time-scale") ?? standard.timeScale,
      seed: parsed.integer("--task-seed").map { UInt64(clamping: $0) } ?? standard.seed)
  }
}
