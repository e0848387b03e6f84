import DaemonRuntime
import SharedContainer
import WalletStore

/// What the app does of its own in the background: tasks, and audio to stay awake.
final class WalletBackground {
  private let work: BackgroundWork
  private let keepsAwakeByAudio: Bool
  private let send: (ControlMessage) -> Void
  private let note: (String) -> Void
  private let releaseMemory: () -> UInt64

  /// `cleansJournals` and `keepsAwakeByAudio` are the person's to want; neither is needed.
  init(
    container: SharedContainer, clock: Clock, journal: Journal, journals directory: String, loop: EventLoop,
    cleansJournals: Bool, keepsAwakeByAudio: Bool, send: @escaping (ControlMessage) -> Void
  ) {
    let cleaner = JournalCleaner(directory: directory)
    self.keepsAwakeByAudio = keepsAwakeByAudio
    self.send = send
    note = { journal.note($0) }
    releaseMemory = { container.releaseMemory() }
    work = BackgroundWork(
      loop: loop, send: send, note: { journal.note($0) }, lookAtWallet: { Self.look(at: container, clock) },
      cleanUp: cleansJournals ? { cleaner.step() } : nil)
  }

  /// One short read, as the guard's own: who owns the node, and whether the channel can be read.
  private static func look(at container: SharedContainer, _ clock: Clock) -> BackgroundWork.Step {
    let result = container.read { row, reader in
      let now = BootMoment(boot: clock.boot, clock: clock.bootClock)
      let state = try WalletStore.readState(reader, at: now)
      let owner = row.map { "epoch \($0.epoch)" } ?? "no process has owned the node yet"
      return "\(owner), \(state.channel == nil ? "no channel" : "the channel can be read")"
    }
    switch result {
    case .read(let sentence): return .done(sentence)
    case .blocked(let holder):
      return .busy(
        "the container is blocked by \(holder.map { "\($0)" } ?? "a process that cannot be found")")
    case .failed(let error): return .failed("\(error)")
    }
  }

  func told(_ message: ControlMessage) throws(ControlMessageError) {
    switch message.verb {
    case "enter-foreground":
      work.schedule()
      if keepsAwakeByAudio { send(ControlMessage("audio-stop")) }
    case "enter-background": if keepsAwakeByAudio { playNearlyNothing() }
    case "task", "task-will-expire", "task-submitted", "task-refused": try work.told(message)
    case "memory-warning":
      note("the phone warns of memory: SQLite gave back \(releaseMemory()) bytes of its cache")
    case "audio-refused":
      note("the audio does not play: \(message["message"] ?? "the phone does not say why")")
    case "audio-plays", "audio-interrupted", "audio-ended": note("the phone says \(message.verb)")
    default: break
    }
  }

  /// A second of silence without end, at a volume that is not quite nothing: at none the phone takes it for idle.
  private func playNearlyNothing() {
    send(
      ControlMessage(
        "audio-start",
        [
          "volume": "0.01", "mixes": "yes", "loops": "-1", "rate": "44100", "channels": "1",
          "frames": "44100",
        ]))
  }
}
