@testable import DaemonRuntime

@Suite struct PlainFileTests {
  private let directory = TemporaryDirectory()

  @Test func `A directory is refused, and not left open`() {
    #expect(throws: SystemError.self) { try PlainFile.open(directory.path, O_RDONLY) }
    expect(openFiles(below: directory.path), is: [])
  }
}
