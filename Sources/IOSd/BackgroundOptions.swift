import Ground
import DaemonRuntime
import PhonePolicy

/// What iosd is told about work in the background.
enum BackgroundOptions {
  static let passedToApp = ["--keep-alive-audio", "--clean-journals"]

  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--permitted-task", value: .text("ID"), mayRepeat: true,
      help:
        "an identifier that the app may use for a background task (default \(standard.permitted.joined(separator: " and ")))"
    ),
    OptionDeclaration(
      "--time-scale", value: .integer(1...1_000_000), default: "1",
      help: "what an hour of background budgets is divided by: 60 makes minutes of hours"),
    OptionDeclaration(
      "--refresh-time", value: .span, default: "30s", help: "what a background refresh has"),
    OptionDeclaration(
      "--processing-time", value: .span, default: "180s", help: "what a processing task has"),
    OptionDeclaration(
      "--task-grace", value: .span, default: "1s",
      help: "from telling a background task to end to letting go of it"),
    OptionDeclaration(
      "--sufficient-battery", value: .integer(0...100), default: "20",
      help: "the percentage up to which nothing runs on battery"),
    OptionDeclaration(
      "--task-deferral", value: .integer(0...100), default: "20",
      help: "how often, of 100 times, a processing task is put off once"),
    OptionDeclaration(
      "--task-seed", value: .integer(0...Int64.max), default: "1",
      help: "what the scheduler draws its chances from"),
    OptionDeclaration(
      "--background-mode", value: .choice(["audio"]), help: "a background mode that the app has declared"),
    OptionDeclaration(
      "--keep-alive-audio", help: "passed on: the app plays inaudible audio to stay awake"),
    OptionDeclaration("--clean-journals", help: "passed on: the app removes journals older than a week"),
    OptionDeclaration(
      "--entitlements-file", value: .path("FILE"),
      help: "JSON with the access groups and app groups of app and extension (default: both have ours)"),
  ]

  private static let standard = TaskConfiguration()

  static func tasks(_ parsed: ParsedCommandLine) -> TaskConfiguration {
    TaskConfiguration(
      permitted: parsed.isGiven("--permitted-task") ? parsed.all("--permitted-task") : standard.permitted,
      refreshTime: parsed.span("--refresh-time") ?? standard.refreshTime,
      processingTime: parsed.span("--processing-time") ?? standard.processingTime,
      completionGrace: parsed.span("--task-grace") ?? standard.completionGrace,
      sufficientBatteryPercent: Int(parsed.integer("--sufficient-battery") ?? 20),
      deferralPercent: Int(parsed.integer("--task-deferral") ?? 20),
      timeScale: parsed.integer("--time-scale") ?? 1,
      seed: UInt64(clamping: parsed.integer("--task-seed") ?? 1))
  }
}
