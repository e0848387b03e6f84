import Heartbeat
import PhonePolicy

@testable import Baton

@Suite("Answers about the phone", .waits) struct PhoneWordsTests {
  private let story = Scenario(title: "x", steps: [], payments: [], place: .everywhere, lines: [])

  private func scene(
    _ app: Scene.Process, notifications: [Scene.Notification] = [], _ phone: PhoneScene = PhoneScene()
  ) -> Scene {
    Scene(
      holder: nil, newestClaim: .app, epoch: 1, app: app, notifier: Scene.Process(place: .notStarted),
      payments: [], receivedTimes: [], notifications: notifications, isChannelEven: true, phone: phone)
  }

  private func answer(_ question: Question, _ scene: Scene) -> [String] {
    question.answer(in: scene, of: story)
  }

  @Test func `A process suspended by the phone counts as suspended, not as frozen`() {
    let scene = scene(Scene.Process(place: .suspended, isFrozen: true))
    #expect(answer(.howIs(.app), scene) == ["the app is suspended"])
    #expect(Condition.suspended(.app).holds(in: scene) && !Condition.frozen(.app).holds(in: scene))
    #expect(Condition.runs(.app).holds(in: scene) && !Condition.inFront.holds(in: scene))
    #expect(ScenarioWords.place(AppState.suspended.word, .app) == .suspended)
    let awake = self.scene(Scene.Process(place: .inBackground))
    #expect(!Condition.suspended(.app).holds(in: awake))
  }

  @Test
  func `The reason of a process's end is the one that iosd gave, also when another process runs by now`() {
    let held = EndReason.killed(.lockHeldWhileSuspended("app.lock")).description
    let gone = scene(Scene.Process(place: .ended(held), lastEnd: held))
    #expect(
      answer(.whyEnded(.app), gone) == ["killed: 0xdead10cc: suspended while it held a lock on app.lock"])
    #expect(answer(.howIs(.app), gone) == ["the app has ended: \(held)"])
    let watched = EndReason.killed(.watchdog(milliseconds: 5000)).description
    let again = scene(Scene.Process(place: .inFront, lastEnd: watched))
    #expect(
      answer(.whyEnded(.app), again) == [
        "killed: 0x8badf00d: did not finish going to the background within 5 s"
      ])
    #expect(answer(.whyEnded(.extension), again) == ["the extension has not ended yet"])
  }

  @Test func `The answer to “how is the phone?” lists what differs from a new phone`() {
    #expect(DeviceWords.of(DeviceState()) == ["the phone is as ever"])
    var state = DeviceState()
    let changes: [DeviceChange] = [
      .lowPowerMode(true), .backgroundRefresh(false), .notifications(false), .lockScreen(false),
      .centre(false),
      .banners(false), .focus(true),
      .battery(percent: 7), .charger(true), .network(false), .storage(isFull: true), .otherAudio(true),
    ]
    for change in changes {
      let before = DeviceWords.of(state).filter { $0 != "the phone is as ever" }
      state.apply(change)
      #expect(DeviceWords.of(state).count == before.count + 1, "\(change)")
    }
    #expect(DeviceWords.of(state)[7] == "the battery is at 7 percent")
    #expect(DeviceWords.of(DeviceState().afterReboot)[0].hasSuffix("was not unlocked since it was started"))
  }

  @Test(
    arguments: [
      (PushFate.delivered, false), (.held(.lowPowerMode), false), (.dropped(.lowPowerMode), true),
      (.replaced(by: 7), true), (.late(milliseconds: 7), false), (.completed(.newData), true),
      (.expired, true), (.abandoned, true),
    ])
  func `A silent push is over when its fate is final`(fate: PushFate, isOver: Bool) {
    let push = ScenarioWords.push(fate.code, fate.description, isSilent: true, isShown: false)
    #expect(push.isOver == isOver)
    #expect(!push.fate.contains("7"), "numbers of pushes, and times, differ from run to run")
    let new = ScenarioWords.push(nil, nil, isSilent: true, isShown: false)
    let scene = scene(Scene.Process(place: .suspended), PhoneScene(pushes: [new, push]))
    #expect(Condition.silentPushOver.holds(in: scene) == isOver)
    #expect(Condition.silentPushCompleted.holds(in: scene) == (fate == .completed(.newData)))
    #expect(answer(.silentPushes, scene) == ["silent push 1: on its way", "silent push 2: \(push.fate)"])
  }

  @Test func `The answer about all pushes has the visible ones too, in the order of their arrival`() {
    func visible(_ fate: PushFate?, isShown: Bool) -> Scene.Push {
      ScenarioWords.push(fate?.code, fate?.description, isSilent: false, isShown: isShown)
    }
    let pushes = [
      visible(nil, isShown: true), ScenarioWords.push(nil, nil, isSilent: true, isShown: false),
      visible(nil, isShown: false), visible(.late(milliseconds: 5), isShown: true),
    ]
    let scene = scene(Scene.Process(place: .suspended), PhoneScene(pushes: pushes))
    #expect(
      answer(.pushes, scene) == [
        "push 1: shown", "push 2: on its way", "push 3: not shown yet",
        "push 4: delivered late: the phone was off the network",
      ])
    #expect(answer(.silentPushes, scene) == ["silent push 1: on its way"])
  }

  @Test func `Without pushes, badge or tasks the answers say so`() {
    let scene = scene(Scene.Process(place: .suspended))
    #expect(answer(.silentPushes, scene) == ["no silent push has arrived yet"])
    #expect(answer(.pushes, scene) == ["no push has arrived yet"])
    #expect(!Condition.silentPushOver.holds(in: scene) && !Condition.taskOver("x").holds(in: scene))
    #expect(answer(.badge, scene) == ["nothing"])
    #expect(answer(.task("x"), scene) == ["the app has not asked for the task “x”"])
  }

  @Test func `The answer about a background task has its state and reason; a completed task is over`() {
    let waits = ScenarioWords.task("x", state: "waiting", why: TaskHindrance.noCharger.description)
    let done = ScenarioWords.task("x", state: "completed", why: nil)
    func scene(_ tasks: [Scene.Task]) -> Scene {
      self.scene(Scene.Process(place: .inFront), PhoneScene(badge: 3, tasks: tasks))
    }
    #expect(answer(.task("x"), scene([waits])) == ["waiting: the task needs the charger"])
    #expect(answer(.task("x"), scene([done])) == ["completed"])
    #expect(answer(.badge, scene([])) == ["3"])
    #expect(
      Condition.taskOver("x").holds(in: scene([done])) && !Condition.taskOver("x").holds(in: scene([waits])))
  }

  @Test func `The user sees a payment also by a notification that is only in the list`() {
    let listed = Scene.Notification(title: "Received payment", body: "+1 sat: payment 1", isDisplayed: false)
    #expect(listed.words == "Received payment: +1 sat: payment 1, only in the list")
    let scene = scene(Scene.Process(place: .inFront), notifications: [listed])
    #expect(Condition.shown(number: 1).holds(in: scene) && !Condition.shownAsSent.holds(in: scene))
    let sent = Scene.Notification(isAsSent: true, title: "a", body: "b", isDisplayed: false)
    #expect(
      Condition.shownAsSent.holds(in: self.scene(Scene.Process(place: .inFront), notifications: [sent])))
  }
}
