import Ground
import DaemonRuntime

/// What the app does when the phone starts it for a task. It decides nothing about the node, and never opens it.
///
/// The next refresh is asked for before the work begins, so that one failure does not end the chain. Each run is
/// completed once, on every path: when it is done, when its time is over, and when the phone says so.
final class BackgroundWork {
  /// Identifiers as the app declares them.
  static let refresh = "com.example.lightning.sync"
  static let processing = "com.example.lightning.processing"
  /// Phoenix looks after its channels every four hours.
  static let refreshSeconds: Int64 = 14_400
  static let processingSeconds: Int64 = 1800
  /// Five seconds less than the phone gives.
  static let patience = TimeSpan.seconds(25)
  static let retryPause = TimeSpan.milliseconds(250)

  /// One step of the work.
  enum Step {
    case done(String)
    case failed(String)
    /// Look again soon.
    case busy(String)
    /// There is more to do.
    case goesOn
  }

  private struct Run {
    var identifier: String
    var number: String
    var endsBy: Instant
    var lastObstacle = "it took too long"
    var timer: LoopTimer?
  }

  private let loop: EventLoop
  private let patience: TimeSpan
  private let send: (ControlMessage) -> Void
  private let note: (String) -> Void
  private let lookAtWallet: () -> Step
  /// Nil: no processing task is wanted.
  private let cleanUp: (() -> Step)?
  private var runs: [Run] = []

  init(
    loop: EventLoop, patience: TimeSpan = BackgroundWork.patience, send: @escaping (ControlMessage) -> Void,
    note: @escaping (String) -> Void, lookAtWallet: @escaping () -> Step, cleanUp: (() -> Step)?
  ) {
    self.loop = loop
    self.patience = patience
    self.send = send
    self.note = note
    self.lookAtWallet = lookAtWallet
    self.cleanUp = cleanUp
  }

  /// When the person opens the app: what waits from before is replaced.
  func schedule() {
    schedule(Self.refresh)
    if cleanUp != nil { schedule(Self.processing) }
  }

  private func schedule(_ identifier: String) {
    let isRefresh = identifier == Self.refresh
    send(
      ControlMessage(
        "task-submit",
        [
          "identifier": identifier, "kind": isRefresh ? "refresh" : "processing",
          "earliest-seconds": "\(isRefresh ? Self.refreshSeconds : Self.processingSeconds)",
          "requires-network": "no", "requires-external-power": "yes",
        ]))
  }

  /// What the phone says about tasks.
  func told(_ message: ControlMessage) throws(ControlMessageError) {
    let identifier = try message.required("identifier")
    switch message.verb {
    case "task": begin(identifier, try message.required("run"))
    case "task-will-expire": expire(identifier, try message.required("run"))
    case "task-refused":
      note("Failed to schedule background task: \(message["message"] ?? "the phone does not say why")")
    default: break
    }
  }

  // MARK: A run

  private func begin(_ identifier: String, _ number: String) {
    guard !runs.contains(where: { $0.number == number }) else { return }
    schedule(identifier)
    runs.append(Run(identifier: identifier, number: number, endsBy: loop.now + patience))
    step(number)
  }

  private func step(_ number: String) {
    guard let index = runs.firstIndex(where: { $0.number == number }) else { return }
    switch runs[index].identifier == Self.refresh ? lookAtWallet() : cleanUp?() ?? .done("nothing to do") {
    case .done(let what): complete(number, isSuccess: true, what)
    case .failed(let why): complete(number, isSuccess: false, why)
    case .goesOn: again(index, after: .zero)
    case .busy(let why):
      runs[index].lastObstacle = why
      again(index, after: Self.retryPause)
    }
  }

  /// Later, so that the phone can be heard in between.
  private func again(_ index: Int, after pause: TimeSpan) {
    let (number, endsBy) = (runs[index].number, runs[index].endsBy)
    guard loop.now < endsBy else {
      return complete(number, isSuccess: false, "\(runs[index].lastObstacle), until its time was up")
    }
    runs[index].timer = loop.at(min(loop.now + pause, endsBy)) { [weak self] in self?.step(number) }
  }

  /// The work is cancelled before the phone is told, so that nothing of it can complete the run again.
  private func expire(_ identifier: String, _ number: String) {
    complete(number, isSuccess: false, "the phone wants its time back")
  }

  private func complete(_ number: String, isSuccess: Bool, _ sentence: String) {
    guard let index = runs.firstIndex(where: { $0.number == number }) else { return }
    let run = runs.remove(at: index)
    run.timer?.cancel()
    note("the task \(run.identifier) is \(isSuccess ? "done" : "not done"): \(sentence)")
    send(
      ControlMessage(
        "task-done",
        ["identifier": run.identifier, "run": run.number, "success": isSuccess ? "yes" : "no"]))
  }
}
