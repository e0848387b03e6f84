import Ground
import Guardrails
import PhonePolicy
import Wallet

/// A run of a background task that an app has in hand.
struct TaskRun: Hashable, Sendable {
  var number: UInt64
  var heardAt: Instant
}

// What must never be with the app's work in the background: that a run is completed twice, or too late. The phone bears both, and
// gives such an app less time.
extension World {
  func noteRun(_ event: WalletEvent, _ life: inout Life) {
    guard case .background(.runBegan(_, let number)) = event else { return }
    life.taskRuns.append(TaskRun(number: number, heardAt: now))
  }

  mutating func checkCompletion(ofRun number: UInt64, _ life: inout Life) {
    guard let index = life.taskRuns.firstIndex(where: { $0.number == number }) else {
      return report(.tasksAreCompleted, "The app completes run \(number) of a task again.")
    }
    life.taskRuns.remove(at: index)
    tasksCompleted += 1
  }

  /// The phone's time for it is up: the app's own was, some seconds ago. Who was paused or heard of it late has an excuse.
  mutating func checkTime(of record: TaskRecord) {
    guard record.fate == .expires(.timeUp), let life = lives.app?.value, !life.isStopped,
      now - life.runningSince > Self.stepsWithin,
      let run = life.taskRuns.first(where: { $0.number == record.number }),
      now - run.heardAt > BackgroundWork.patience + Self.stepsWithin
    else { return }
    report(
      .tasksAreCompleted, "The time for run \(run.number) of a task is up, and the app has not completed it.")
  }

  /// The last step of a run, once it is due.
  private static let stepsWithin = TimeSpan.seconds(2)
}
