import Heartbeat

@testable import Baton
@testable import PhonePolicy

@Suite("Answers about the phone", .waits) struct PhoneWordsTests {
  private let story = Scenario(title: "x", steps: [], payments: [], place: .everywhere, lines: [])

  private func scene(
    _ app: Scene.Process, _ phone: PhoneScene = PhoneScene()
  ) -> Scene {
    var scene = Scene.empty(app: app)
    (scene.newestClaim, scene.epoch) = (.app, 1)
    scene.phone = phone
    return scene
  }

  private func answer(_ question: String, _ scene: Scene) -> [String] {
    Phrase.answer(to: question, scene, story)
  }

  @Test func `A process suspended by the phone counts as suspended, not as frozen`() {
    let scene = scene(Scene.Process(state: "suspended", isStopped: true))
    expect(answer("how is the app?", scene), is: ["the app is suspended"])
    #expect(Condition(until: "the app is suspended").holds(scene) && !scene.app.isFrozen)
    #expect(
      Condition(until: "the app runs").holds(scene) && !Condition(until: "the app is in front").holds(scene))
    let awake = self.scene(Scene.Process(state: "background"))
    #expect(!Condition(until: "the app is suspended").holds(awake))
  }

  @Test
  func `The reason of a process's end is the one that iosd gave, also when another process runs by now`() {
    let held = EndReason.killed(.lockHeldWhileSuspended("app.lock")).description
    let gone = scene(Scene.Process(lastEnd: held))
    expect(
      answer("why did the app end?", gone),
      is: [
        "killed: 0xdead10cc: suspended while it held a lock on app.lock"
      ])
    expect(answer("how is the app?", gone), is: ["the app has ended: \(held)"])
    let watched = EndReason.killed(.watchdog(milliseconds: 5000)).description
    let again = scene(Scene.Process(state: "foreground", lastEnd: watched))
    expect(
      answer("why did the app end?", again),
      is: [
        "killed: 0x8badf00d: did not finish going to the background within 5 s"
      ])
    expect(answer("why did the extension end?", again), is: ["the extension has not ended yet"])
  }

  @Test func `The answer to “how is the phone?” lists what differs from a new phone`() {
    expect(DeviceWords.of(DeviceState()), is: ["the phone is as ever"])
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
      expect(DeviceWords.of(state).count, is: before.count + 1, "\(change)")
    }
    expect(DeviceWords.of(state)[7], is: "the battery is at 7 percent")
    #expect(DeviceWords.of(DeviceState().afterReboot)[0].hasSuffix("was not unlocked since it was started"))
  }

  @Test(
    arguments: [
      (PushFate.delivered, false), (.held(.lowPowerMode), false), (.dropped(.lowPowerMode), true),
      (.replaced(by: 7), true), (.late(milliseconds: 7), false), (.completed(.newData), true),
      (.expired, true), (.abandoned, true),
    ])
  func `A silent push is over when its fate is final`(fate: PushFate, isOver: Bool) {
    let phone = PhoneScene(pushes: [push(1, nil, isSilent: true), push(2, fate, isSilent: true)])
    let words = phone.fate(of: phone.pushes[1])
    #expect(!words.contains("7"), "numbers of pushes, and times, differ from run to run")
    let scene = scene(Scene.Process(state: "suspended"), phone)
    expect(Condition(until: "the newest silent push is over").holds(scene), is: isOver)
    expect(
      Condition(until: "the newest silent push is completed").holds(scene), is: (fate == .completed(.newData))
    )
    expect(
      answer("what became of the silent pushes?", scene),
      is: [
        "silent push 1: on its way", "silent push 2: \(words)",
      ])
  }

  private func push(_ id: UInt64, _ fate: PushFate?, isSilent: Bool = false) -> PushRow {
    var row = PushRow(id: id, isVisible: !isSilent, hasMutableContent: true, wallNs: 0, atNs: 0)
    if let fate { row.take(fate, wall: 0, at: 0) }
    return row
  }

  private func notification(
    _ title: String, _ body: String = "", of push: UInt64? = nil, source: String = "content"
  ) -> NotificationRow {
    var row = NotificationRow(
      id: push ?? 1, push: push, source: source, title: title, body: body, badge: 0, wallNs: 0, atNs: 0)
    row.isDisplayed = false
    return row
  }

  @Test func `The answer about all pushes has the visible ones too, in the order of their arrival`() {
    let pushes = [
      push(1, nil), push(2, nil, isSilent: true), push(3, nil), push(4, .late(milliseconds: 5)),
    ]
    let shown = [1, 4].map { notification("x", of: $0) }
    let scene = scene(
      Scene.Process(state: "suspended"), PhoneScene(pushes: pushes, notifications: shown))
    expect(
      answer("what became of the pushes?", scene),
      is: [
        "push 1: shown", "push 2: on its way", "push 3: not shown yet",
        "push 4: delivered late: the phone was off the network",
      ])
    expect(answer("what became of the silent pushes?", scene), is: ["silent push 1: on its way"])
  }

  @Test func `Without pushes, badge or tasks the answers say so`() {
    let scene = scene(Scene.Process(state: "suspended"))
    expect(answer("what became of the silent pushes?", scene), is: ["no silent push has arrived yet"])
    expect(answer("what became of the pushes?", scene), is: ["no push has arrived yet"])
    #expect(
      !Condition(until: "the newest silent push is over").holds(scene)
        && !Condition(until: "the task “x” is over").holds(scene))
    expect(answer("what does the badge say?", scene), is: ["nothing"])
    expect(answer("what became of the task “x”?", scene), is: ["the app has not asked for the task “x”"])
  }

  @Test func `The answer about a background task has its state and reason; a completed task is over`() {
    func task(_ state: String, why: String? = nil) -> TaskRow {
      var row = TaskRow(
        id: 1, of: TaskRequest(identifier: "x", kind: .refresh), wall: 0, at: 0, earliestAt: 0)
      (row.state, row.why) = (state, why)
      return row
    }
    let waits = task("waiting", why: TaskHindrance.noCharger.description)
    let done = task("completed")
    func scene(_ tasks: [TaskRow]) -> Scene {
      self.scene(Scene.Process(state: "foreground"), PhoneScene(badge: 3, tasks: tasks))
    }
    expect(
      answer("what became of the task “x”?", scene([waits])), is: ["waiting: the task needs the charger"])
    expect(answer("what became of the task “x”?", scene([done])), is: ["completed"])
    expect(answer("what does the badge say?", scene([])), is: ["3"])
    #expect(
      Condition(until: "the task “x” is over").holds(scene([done]))
        && !Condition(until: "the task “x” is over").holds(scene([waits])))
  }

  @Test func `The user sees a payment also by a notification that is only in the list`() {
    func scene(_ row: NotificationRow) -> Scene {
      self.scene(Scene.Process(state: "foreground"), PhoneScene(notifications: [row]))
    }
    let listed = scene(notification("Received payment", "+1 sat: payment 1"))
    expect(
      answer("what does the user see?", listed), is: ["Received payment: +1 sat: payment 1, only in the list"]
    )
    let isTold = Condition(until: "the user sees payment 1")
    let isShownAsSent = Condition(until: "the user sees a push as it was sent")
    #expect(isTold.holds(listed) && !isShownAsSent.holds(listed))
    let sent = scene(notification("a", "b", source: "original"))
    #expect(isShownAsSent.holds(sent) && !isTold.holds(sent))
  }
}
