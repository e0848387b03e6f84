@testable import DaemonRuntime

@Suite struct SecretFileTests {
  private let directory = TemporaryDirectory()
  private var file: SecretFile { SecretFile(path: directory("secret"), size: 4) }

  @Test func `A second secret does not replace the first, and storing it returns the first`() throws {
    #expect(try file.read() == nil)
    expect(try file.keep([1, 2, 3, 4]), is: [1, 2, 3, 4])
    expect(try file.keep([5, 6, 7, 8]), is: [1, 2, 3, 4])
    expect(try file.read(), is: [1, 2, 3, 4])
    expect(directory.entries, is: ["secret"])
  }

  @Test func `A secret has mode 0600, and a file that its group can read is refused`() throws {
    _ = try file.keep([1, 2, 3, 4])
    var status = stat()
    expect(stat(directory("secret"), &status), is: 0)
    expect(status.st_mode & 0o777, is: 0o600)
    chmod(directory("secret"), 0o640)
    #expect(throws: SecretFileError.openToOthers(directory("secret"))) { try file.read() }
  }

  @Test(arguments: [[UInt8](), [1, 2, 3], [1, 2, 3, 4, 5]])
  func `A secret file of another size is refused`(bytes: [UInt8]) throws {
    let descriptor = open(directory("secret"), O_CREAT | O_WRONLY, 0o600)
    write(descriptor, bytes, bytes.count)
    close(descriptor)
    #expect(throws: SecretFileError.wrongSize(directory("secret"), Int64(bytes.count), wanted: 4)) {
      try file.read()
    }
  }
}
