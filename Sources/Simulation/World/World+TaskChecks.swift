import Ground
import Guardrails
import PhonePolicy
import Wallet

/// A run of a background task that the app has not completed.
struct TaskRun: Hashable, Sendable {
  var number: UInt64
  var heardAt: Instant
}

// The app's background work: a run is completed once and in time (the phone tolerates both mistakes, and gives such
// an app less time); the app is awake exactly while it has a task for a payment.
extension World {
  func noteRun(_ event: WalletEvent, _ life: inout Life) {
    guard case .background(.runBegan(_, let number)) = event else { return }
    life.taskRuns.append(TaskRun(number: number, heardAt: now))
  }

  mutating func checkCompletion(ofRun number: UInt64, _ life: inout Life) {
    guard let index = life.taskRuns.firstIndex(where: { $0.number == number }) else {
      return report(.tasksAreCompleted, "The app completes run \(number) of a background task twice.")
    }
    life.taskRuns.remove(at: index)
    tasksCompleted += 1
  }

  /// The phone's time limit is reached; the app's own limit was some seconds earlier. A process that was paused or
  /// got the run late is excused.
  mutating func checkTime(of record: TaskRecord) {
    guard record.fate == .expires(.timeUp), let life = lives.app?.value, !life.isStopped,
      now - life.runningSince > Self.stepsWithin,
      let run = life.taskRuns.first(where: { $0.number == record.number }),
      now - run.heardAt > BackgroundWork.timeLimit + Self.stepsWithin
    else { return }
    report(
      .tasksAreCompleted,
      "Run \(run.number) of a background task has expired, and the app has not completed it.")
  }

  /// Time for the last step of a run.
  private static let stepsWithin = TimeSpan.seconds(2)

  // MARK: The app stays awake for payments

  /// The phone suspends the app: its tasks have ended or expired.
  mutating func checkPaymentsLetSleep(_ app: Life) {
    guard !app.isFrozen, now - app.runningSince > Self.healthyAfter else { return }
    for open in app.wallet.requests.open where open.task.map({ $0.generation > app.excusedTasks }) == true {
      guard case .payment(let hash)? = open.key,
        let send = sends.first(where: { $0.invoice.paymentHash == hash }),
        peerNow - send.askedAt < LongLivedTasks.longest
      else { continue }
      report(.awakeForPayments, "The app is suspended while an outgoing payment is pending.")
    }
  }

  /// Checked when the process is idle. A task without its request would keep the app awake for three minutes.
  mutating func checkTasksOfPayments(_ life: Life) {
    let requests = life.wallet.requests
    guard requests.generation > 0, life.isIdle, violation == nil else { return }
    let held = requests.open.compactMap(\.task?.name)
    // Other tasks: the node's own, and the one of `beginTask`.
    let others = [LongLivedTask.multiPartPayment, .named(Self.task)]
    let names = life.wallet.guardrail.taskNames
    if names.contains(where: { !held.contains($0) && !others.contains(.named($0)) }) {
      report(.awakeForPayments, "The app has a task for a request that has ended.")
    }
    guard container.value.isOwned(by: life.claim) else { return }
    // By the process's own state: after a write without an answer it learns the result at its next read.
    let pending = life.wallet.node.durableState.payments.pending.map(\.paymentHash)
    for open in requests.open where open.isBegun {
      if case .payment(let hash)? = open.key, !pending.contains(hash) {
        report(.awakeForPayments, "The app treats an ended payment as pending.")
      }
    }
  }
}
