import Ground
import Guardrails
import PhonePolicy

// What the app does in the background beside the node: the shell of `mainappd` that has no core of its own.
extension World {
  private static let refresh = "com.example.lightning.sync"
  private static let processing = "com.example.lightning.processing"
  /// Five seconds less than the phone gives.
  private static let patience = TimeSpan.seconds(25)
  private static let retryPause = TimeSpan.milliseconds(250)

  /// When the app hears what the phone says of its place on the screen.
  mutating func changeBackgroundWork(after event: GuardEvent) {
    guard let habits = settings.background else { return }
    switch event {
    case .enteredForeground:
      submit(Self.refresh)
      if habits.cleansUp { submit(Self.processing) }
      if habits.keepsAwakeByAudio { tellPhone(.audio(.stopped)) }
    case .enteredBackground:
      if habits.keepsAwakeByAudio { tellPhone(.audio(.startRequested(AudioSession()))) }
    default: break
    }
  }

  private mutating func submit(_ identifier: String) {
    let isRefresh = identifier == Self.refresh
    tellPhone(
      .task(
        .submitted(
          TaskRequest(
            identifier: identifier, kind: isRefresh ? .refresh : .processing,
            earliest: .seconds(isRefresh ? 14_400 : 1800)))))
  }

  mutating func hearOfTask(_ life: inout Life) {
    switch life.background.words.popFirst() {
    case .run(let identifier, let number, _):
      submit(identifier)
      life.background.runs.append(
        BackgroundWork.Run(
          identifier: identifier, number: number, endsBy: now + Self.patience, nextLook: now))
      workInBackground(&life)
    case .willExpire(_, let number):
      if let run = life.background.runs.first(where: { $0.number == number }) {
        complete(run, isSuccess: false, &life)
      }
    case .accepted, .refused, nil: break
    }
  }

  /// It looks at the container, and cannot while somebody is stopped inside a transaction.
  mutating func workInBackground(_ life: inout Life) {
    let isBlocked = container.part { $0.pointee.writer } != nil
    for run in life.background.runs where run.nextLook <= now {
      if !isBlocked {
        complete(run, isSuccess: true, &life)
      } else if run.endsBy <= now {
        complete(run, isSuccess: false, &life)
      } else if let index = life.background.runs.firstIndex(of: run) {
        life.background.runs[index].nextLook = min(now + Self.retryPause, run.endsBy)
      }
    }
  }

  private mutating func complete(_ run: BackgroundWork.Run, isSuccess: Bool, _ life: inout Life) {
    life.background.runs.removeAll { $0.number == run.number }
    tellPhone(.task(.completed(identifier: run.identifier, run: run.number, isSuccess: isSuccess)))
  }

  // MARK: By hand

  public mutating func launchTask(_ identifier: String) {
    hear(.task(.launchedByHand(identifier: identifier)))
  }
  public mutating func expireTask(_ identifier: String) {
    hear(.task(.expiredByHand(identifier: identifier)))
  }
}
