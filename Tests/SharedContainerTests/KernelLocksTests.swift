@testable import SharedContainer

@Suite(.waits) struct KernelLocksTests {
  @Test
  func `The kernel's lock list names this process as holder of the file that it locked, not of another`()
    throws
  {
    let place = Place()
    let lock = FileLock(path: place.file("a"))
    expect(lock.tryTake(), is: .taken)
    Files.write(place.file("b"), [])
    let list = try #require(Kernel.locks())
    let facts = try FileFacts.at(place.file("a")).get()
    let others = try FileFacts.at(place.file("b")).get()
    expect(list.filter { $0.isOn(facts) }.map(\.pid), is: [getpid()])
    #expect(!list.contains { $0.isOn(others) })
  }

  @Test func `A running or missing process is not reported as stopped`() {
    #expect(!BlockedBy.isStopped(getpid()))
    #expect(!BlockedBy.isStopped(-5))
  }
}
