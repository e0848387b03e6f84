import Glibc
import Heartbeat
import Testing
import WaitingTests

@testable import SharedContainer

@Suite(.waits) struct FileLockTests {
  let place = Place()

  private var path: String { place.file("a.lock") }

  @Test
  func `K-21 A lock taken twice is held once, and one drop frees it for another`() throws {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    #expect(mine.tryTake() == .taken)
    #expect(theirs.tryTake() == .busy)
    #expect(mine.tryTake() == .taken)
    mine.drop()
    #expect(theirs.tryTake() == .taken)
    #expect(Files.mode(path) == 0o600)
  }

  @Test func `A probe sees a holder in its own process and does not take the lock`() throws {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    try mine.open()
    #expect(mine.probe() == .free)
    #expect(mine.tryTake() == .taken)
    for _ in 0..<3 {
      #expect(mine.probe() == .busy)
      #expect(theirs.probe() == .busy)
    }
    #expect(!mine.isHeldByAnother())
    #expect(theirs.isHeldByAnother())
    #expect(theirs.tryTake() == .busy)
    mine.drop()
    #expect(theirs.probe() == .free)
  }

  @Test func `A frozen probe is not reported as a holder, but blocks a take`() throws {
    let mine = FileLock(path: path)
    try mine.open()
    let frozen = open(path, O_RDONLY)
    flock(frozen, LOCK_SH)
    #expect(mine.probe() == .free)
    #expect(mine.tryTake() == .busy)
    close(frozen)
    #expect(mine.tryTake() == .taken)
  }

  @Test func `A missing lock file is damage, not a free lock`() {
    #expect(FileLock(path: path).probe() == .damaged(.missing(path: path)))
  }

  @Test func `A lock whose file was replaced no longer guards`() {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    #expect(mine.tryTake() == .taken)
    Files.write(place.file("b"), [])
    rename(place.file("b"), path)
    #expect(!mine.stillGuards)
    #expect(theirs.tryTake() == .taken)
    #expect(mine.isHeldByAnother())
    // The next try locks the file that is at the path now.
    #expect(mine.tryTake() == .busy)
    theirs.drop()
    #expect(mine.tryTake() == .taken)
    #expect(mine.stillGuards)
  }

  @Test func `A lock file replaced between open and lock is not taken`() throws {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    var replacements = 0
    mine.onLocked = {
      if replacements == 1 { return }
      replacements += 1
      Files.write(place.file("b"), [])
      rename(place.file("b"), path)
      #expect(theirs.tryTake() == .taken)
    }
    #expect(mine.tryTake() == .busy)
    #expect(!mine.isHeld)
    theirs.drop()
    mine.onLocked = {
      Files.write(place.file("b"), [])
      rename(place.file("b"), path)
    }
    #expect(
      mine.tryTake() == .damaged(.lockUnavailable(path: path, because: "as it keeps being replaced")))
  }

  @Test func `A removed lock file is created again when the lock is taken next`() {
    let mine = FileLock(path: path)
    #expect(mine.tryTake() == .taken)
    unlink(path)
    #expect(!mine.stillGuards)
    #expect(mine.tryTake() == .taken)
    #expect(mine.stillGuards)
  }

  @Test func `A lock path that is not a plain file with one name is refused`() {
    let lock = FileLock(path: path)
    let refusals: [(String, () -> Void)] = [
      ("a link", { symlink("/etc/hostname", path) }), ("a directory", { mkdir(path, 0o700) }),
      ("a pipe", { mkfifo(path, 0o600) }),
      (
        "two names",
        {
          Files.write(path, [])
          link(path, place.file("second"))
        }
      ),
    ]
    for (what, arrange) in refusals {
      arrange()
      guard case .damaged = lock.tryTake(), case .damaged = lock.probe() else {
        Issue.record("\(what) was accepted")
        return
      }
      Files.removeTree(path)
    }
    #expect(lock.tryTake() == .taken)
  }

  @Test func `Both roles see the app's intent while its lock is held`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    _ = try other.owned(seen: 0)
    #expect(other.seen()?.appWantsNode == false)
    #expect(app.setIntent(true) == .taken)
    #expect(app.setIntent(true) == .taken)
    #expect(other.seen()?.appWantsNode == true)
    #expect(app.seen()?.appWantsNode == true)
    #expect(app.setIntent(false) == .taken)
    #expect(other.seen()?.appWantsNode == false)
    #expect(other.setIntent(true) == .damaged(.intentIsTheAppsOnly))
  }
}
