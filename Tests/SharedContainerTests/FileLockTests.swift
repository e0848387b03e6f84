@testable import SharedContainer

@Suite(.waits) struct FileLockTests {
  let place = Place()

  private var path: String { place.file("a.lock") }

  @Test(.shows("K-21")) func `A lock that was taken twice is free after one drop`() throws {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    expect(mine.tryTake(), is: .taken)
    expect(theirs.tryTake(), is: .busy)
    expect(mine.tryTake(), is: .taken)
    mine.drop()
    expect(theirs.tryTake(), is: .taken)
    expect(Files.mode(path), is: 0o600)
  }

  @Test func `A probe finds a lock busy even if the probing process holds it, and does not take a free lock`()
    throws
  {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    try mine.open()
    expect(mine.probe(), is: .free)
    expect(mine.tryTake(), is: .taken)
    for _ in 0..<3 {
      expect(mine.probe(), is: .busy)
      expect(theirs.probe(), is: .busy)
    }
    #expect(!mine.isHeldByAnother())
    #expect(theirs.isHeldByAnother())
    expect(theirs.tryTake(), is: .busy)
    mine.drop()
    expect(theirs.probe(), is: .free)
  }

  @Test
  func
    `While a process is frozen inside a probe, other probes find the lock free, but no process can take it`()
    throws
  {
    let mine = FileLock(path: path)
    try mine.open()
    let frozen = open(path, O_RDONLY | O_CLOEXEC)
    flock(frozen, LOCK_SH)
    expect(mine.probe(), is: .free)
    expect(mine.tryTake(), is: .busy)
    // A child that another test starts now has the descriptor, too, until it runs its program.
    flock(frozen, LOCK_UN)
    close(frozen)
    expect(mine.tryTake(), is: .taken)
  }

  @Test func `A missing lock file is reported as damaged, not as a free lock`() {
    expect(FileLock(path: path).probe(), is: .damaged(.missing(path: path)))
  }

  @Test func `A process whose lock file was replaced notices, and locks the new file once it is free`() {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    expect(mine.tryTake(), is: .taken)
    Files.write(place.file("b"), [])
    rename(place.file("b"), path)
    #expect(!mine.stillGuards)
    expect(theirs.tryTake(), is: .taken)
    #expect(mine.isHeldByAnother())
    // The next try locks the file that is at the path now.
    expect(mine.tryTake(), is: .busy)
    theirs.drop()
    expect(mine.tryTake(), is: .taken)
    #expect(mine.stillGuards)
  }

  @Test func `A lock whose file is replaced between open and flock does not count as taken`() throws {
    let mine = FileLock(path: path)
    let theirs = FileLock(path: path)
    var replacements = 0
    mine.onLocked = {
      if replacements == 1 { return }
      replacements += 1
      Files.write(place.file("b"), [])
      rename(place.file("b"), path)
      expect(theirs.tryTake(), is: .taken)
    }
    expect(mine.tryTake(), is: .busy)
    #expect(!mine.isHeld)
    theirs.drop()
    mine.onLocked = {
      Files.write(place.file("b"), [])
      rename(place.file("b"), path)
    }
    expect(mine.tryTake(), is: .damaged(.lockUnavailable(path: path, because: "as it keeps being replaced")))
  }

  @Test func `A removed lock file is created again when its lock is next taken`() {
    let mine = FileLock(path: path)
    expect(mine.tryTake(), is: .taken)
    unlink(path)
    #expect(!mine.stillGuards)
    expect(mine.tryTake(), is: .taken)
    #expect(mine.stillGuards)
  }

  @Test func `A lock file that is not a plain file with exactly one name is refused`() {
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
    expect(lock.tryTake(), is: .taken)
  }

  @Test func `Both roles see that the app wants the node while its intent lock is held`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    _ = try other.owned(seen: 0)
    expect(other.seen()?.appWantsNode, is: false)
    expect(app.setIntent(true), is: .taken)
    expect(app.setIntent(true), is: .taken)
    expect(other.seen()?.appWantsNode, is: true)
    expect(app.seen()?.appWantsNode, is: true)
    expect(app.setIntent(false), is: .taken)
    expect(other.seen()?.appWantsNode, is: false)
    expect(other.setIntent(true), is: .damaged(.intentIsTheAppsOnly))
  }
}

extension FileLock {
  fileprivate func isHeldByAnother() -> Bool { !stillGuards && probe() == .busy }
}
