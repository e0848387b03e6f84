import Ground
import Guardrails
import PhonePolicy
import Wallet

/// A run of a background task that an app has in hand.
struct TaskRun: Hashable, Sendable {
  var number: UInt64
  var heardAt: Instant
}

// What must never be with the app's work in the background: that a run is completed twice, or too late, where the phone bears both
// and gives such an app less time; that the app sleeps while it has a task for a payment, or stays awake without.
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
      now - run.heardAt > BackgroundWork.timeLimit + Self.stepsWithin
    else { return }
    report(
      .tasksAreCompleted, "The time for run \(run.number) of a task is up, and the app has not completed it.")
  }

  /// The last step of a run, once it is due.
  private static let stepsWithin = TimeSpan.seconds(2)

  // MARK: The app stays awake for payments

  /// The phone suspends the app: its tasks are over, or were taken from it.
  mutating func checkPaymentsLetSleep(_ app: Life) {
    guard !app.isFrozen, now - app.runningSince > Self.healthyAfter else { return }
    for open in app.wallet.requests.open where open.task.map({ $0.generation > app.excusedTasks }) == true {
      guard case .payment(let hash)? = open.key,
        let send = sends.first(where: { $0.invoice.paymentHash == hash }),
        now - send.askedAt < LongLivedTasks.longest
      else { continue }
      report(.awakeForPayments, "The app is suspended while a payment of its own is under way.")
    }
  }

  /// When it has nothing more to think about. A task without its request would keep it awake for three minutes.
  mutating func checkTasksOfPayments(_ life: Life) {
    let requests = life.wallet.requests
    guard requests.generation > 0, life.isIdle, violation == nil else { return }
    let held = requests.open.compactMap(\.task?.name)
    // Beside the tasks of requests there are the node's, and one that the world begins itself.
    let others = [LongLivedTask.multiPartPayment, .named(Self.task)]
    let names = life.wallet.guardrail.taskNames
    if names.contains(where: { !held.contains($0) && !others.contains(.named($0)) }) {
      report(.awakeForPayments, "The app has a task for a request that is over.")
    }
    guard container.value.isOwned(by: life.claim) else { return }
    // By what the process knows: a write whose answer was lost it will know when it has read the container again.
    let pending = life.wallet.node.durableState.payments.pending.map(\.paymentHash)
    for open in requests.open where open.isBegun {
      if case .payment(let hash)? = open.key, !pending.contains(hash) {
        report(.awakeForPayments, "The app takes a payment that is over for one that is under way.")
      }
    }
  }
}
